import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { usePaged } from '../live.js';
import { Download } from '../parts/download.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { PartProps } from './part.js';

type Fill = components['schemas']['AccountFillDto'];

const W = words.portfolio;
const CSV = { Accept: 'text/csv' };

const COLUMNS: readonly Column<Fill>[] = [
  {
    title: W.market,
    cell: ({ market_id: id }) => <Link to={`markets/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  {
    title: W.kind,
    isWide: true,
    cell: ({ kind, liquidity }) => W.kinds[kind] + (liquidity === null ? '' : `, ${W.roles[liquidity]}`),
  },
  { title: words.orders.side, class: 'side', cell: ({ side }) => words.side[side] },
  { title: W.price, isNumber: true, cell: ({ price }) => grouped(price) },
  { title: W.size, isNumber: true, cell: ({ size }) => grouped(size) },
  {
    title: W.fees,
    isNumber: true,
    isWide: true,
    cell: ({ fee, fee_asset: asset }) => `${grouped(fee)} ${asset}`,
  },
  { title: W.realized, isNumber: true, cell: ({ realized_pnl: pnl }) => grouped(pnl) },
  { title: W.time, isNumber: true, cell: ({ executed_at: at }) => <Moment at={at} /> },
];

/** The fills of an account, in one market or in all. */
export function AllFills({ accountId, only }: PartProps): JSX.Element {
  const { client } = session.value;
  const own = accountId === 'me' ? {} : { account_id: accountId };
  const pages = usePaged(accountId, (cursor, signal) => {
    const page = cursor === undefined ? {} : { cursor };
    return only === undefined
      ? client.get('/accounts/{account_id}/fills', {
          params: { path: { account_id: accountId }, query: page },
          signal,
        })
      : client.get('/markets/{market_id}/fills', {
          params: { path: { market_id: only }, query: { ...own, ...page } },
          signal,
        });
  });
  const open = (): Promise<Response> =>
    only === undefined
      ? client.response('/accounts/{account_id}/fills', {
          params: { path: { account_id: accountId } },
          headers: CSV,
        })
      : client.response('/markets/{market_id}/fills', {
          params: { path: { market_id: only }, query: own },
          headers: CSV,
        });
  return (
    <section class="panel">
      <div class="filters">
        <h2>{only === undefined ? W.parts.fills : W.fillsOf({ market: only })}</h2>
        {only !== undefined && <Link to="portfolio/fills">{W.allMarkets}</Link>}
        <Download label={W.csv} fileName="fills.csv" open={open} />
      </div>
      <PagedTable
        label={W.parts.fills}
        columns={COLUMNS}
        pages={pages}
        none={W.noFills}
        keyOf={({ fill_id }) => fill_id}
        classOf={({ side }) => side}
      />
    </section>
  );
}
