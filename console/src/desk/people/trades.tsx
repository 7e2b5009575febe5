import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { after, usePaged } from '../../live.js';
import { Download } from '../../parts/download.jsx';
import { TextField } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Trade = components['schemas']['OperatorTradeDto'];

const W = words.deskPeople;

const COLUMNS: readonly Column<Trade>[] = [
  { title: W.time, cell: ({ executed_at: at }) => <Moment at={at} /> },
  { title: W.market, cell: ({ market_id: id }) => id },
  { title: W.price, isNumber: true, cell: ({ price }) => grouped(price) },
  { title: W.size, isNumber: true, cell: ({ size }) => grouped(size) },
  {
    title: W.maker,
    isWide: true,
    cell: ({ maker_account_id: id }) => <Link to={`desk/people/accounts/${id}`}>{id}</Link>,
  },
  {
    title: W.taker,
    isWide: true,
    cell: ({ taker_account_id: id, taker_side: side }) => (
      <>
        <Link to={`desk/people/accounts/${id}`}>{id}</Link> {words.side[side]}
      </>
    ),
  },
  {
    title: W.fees,
    isNumber: true,
    isWide: true,
    cell: ({ maker_fee: maker, taker_fee: taker }) => `${grouped(maker)} / ${grouped(taker)}`,
  },
];

interface TradeQuery {
  readonly account_id?: string;
  readonly market_id?: string;
}

export function TradeList({ query }: { readonly query: TradeQuery }): JSX.Element {
  const { client } = session.value;
  const pages = usePaged(JSON.stringify(query), (cursor, signal) =>
    client.get('/admin/trades', { params: { query: { ...query, ...after(cursor) } }, signal }),
  );
  return (
    <>
      <PagedTable
        label={W.parts.trades}
        columns={COLUMNS}
        pages={pages}
        none={W.noTrades}
        keyOf={({ trade_id: id }) => id}
      />
      <Download
        label={W.csv}
        fileName="trades.csv"
        open={() => client.response('/admin/trades', { params: { query }, headers: { Accept: 'text/csv' } })}
      />
    </>
  );
}

/** Of all owners. */
export function AllTrades(): JSX.Element {
  const [account, setAccount] = useState('');
  const [market, setMarket] = useState('');
  return (
    <section class="panel">
      <div class="filters">
        <TextField label={W.accountId} type="search" value={account} onChange={setAccount} />
        <TextField label={W.market} type="search" value={market} onChange={setMarket} />
      </div>
      <TradeList
        query={{
          ...(account !== '' && { account_id: account }),
          ...(market !== '' && { market_id: market }),
        }}
      />
    </section>
  );
}
