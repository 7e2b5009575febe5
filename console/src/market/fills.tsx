import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded } from '../live.js';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { AccountView } from './account.js';
import { type Column, Table } from '../parts/table.jsx';
import { Time } from '../parts/time.jsx';

type Fill = components['schemas']['AccountFillDto'];

interface FillsProps {
  readonly marketId: string;
  readonly account: AccountView;
}

const COLUMNS: readonly Column<Fill>[] = [
  { title: words.orders.side, class: 'side', cell: ({ side }) => words.side[side] },
  { title: words.orders.price, isNumber: true, cell: ({ price }) => grouped(price) },
  { title: words.orders.size, isNumber: true, cell: ({ size }) => grouped(size) },
  {
    title: words.fills.fee,
    isNumber: true,
    cell: ({ fee, fee_asset: asset }) => `${grouped(fee)} ${asset}`,
  },
  { title: words.fills.time, isNumber: true, cell: ({ executed_at: at }) => <Time at={at} /> },
];

/** The user's last fills in a market; read anew whenever one comes. */
export function Fills({ marketId, account }: FillsProps): JSX.Element {
  const { value: fills, failure } = useLoaded(`${marketId} ${account.fills}`, async (signal) => {
    const { data } = await session.value.client.get('/markets/{market_id}/fills', {
      params: { path: { market_id: marketId }, query: { limit: 20 } },
      signal,
    });
    return data;
  });
  return (
    <section class="fills">
      <h2>{words.fills.title}</h2>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {fills === undefined || fills.length === 0 ? (
        <p class="empty">{fills === undefined ? words.loading : words.fills.none}</p>
      ) : (
        <Table
          label={words.fills.title}
          columns={COLUMNS}
          rows={fills}
          keyOf={({ fill_id }) => fill_id}
          classOf={({ side }) => side}
        />
      )}
    </section>
  );
}
