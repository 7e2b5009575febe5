import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { after, usePaged } from '../../live.js';
import { Download } from '../../parts/download.jsx';
import { Choice } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

type Order = components['schemas']['OrderDto'];
type Status = Order['status'];

const W = words.deskPeople;

const COLUMNS: readonly Column<Order>[] = [
  { title: W.time, cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    title: W.account,
    isWide: true,
    cell: ({ account_id: id }) => <Link to={`desk/people/accounts/${id}`}>{id}</Link>,
  },
  { title: W.market, cell: ({ market_id: id }) => id },
  { title: W.side, class: 'side', cell: ({ side }) => words.side[side] },
  { title: W.price, isNumber: true, cell: ({ price, stop_price: stop }) => grouped(price ?? stop ?? '–') },
  { title: W.size, isNumber: true, cell: ({ size }) => grouped(size) },
  { title: W.filled, isNumber: true, isWide: true, cell: ({ filled_size: filled }) => grouped(filled) },
  { title: W.status, isWide: true, cell: ({ status }) => words.portfolio.statuses[status] },
];

interface OrderQuery {
  readonly account_id?: string;
  readonly market_id?: string;
  readonly status?: Status[];
}

export function OrderList({ query }: { readonly query: OrderQuery }): JSX.Element {
  const { client } = session.value;
  const pages = usePaged(JSON.stringify(query), (cursor, signal) =>
    client.get('/admin/orders', { params: { query: { ...query, ...after(cursor) } }, signal }),
  );
  return (
    <>
      <PagedTable
        label={W.parts.orders}
        columns={COLUMNS}
        pages={pages}
        none={W.noOrders}
        keyOf={({ order_id: id }) => id}
        classOf={({ side }) => side}
      />
      <Download
        label={W.csv}
        fileName="orders.csv"
        open={() => client.response('/admin/orders', { params: { query }, headers: { Accept: 'text/csv' } })}
      />
    </>
  );
}

/** Of all owners. */
export function AllOrders(): JSX.Element {
  const [account, setAccount] = useState('');
  const [market, setMarket] = useState('');
  const [status, setStatus] = useState<Status | 'any'>('any');
  return (
    <section class="panel">
      <div class="filters">
        <TextField label={W.accountId} type="search" value={account} onChange={setAccount} />
        <TextField label={W.market} type="search" value={market} onChange={setMarket} />
        <Choice
          label={W.status}
          value={status}
          options={{ any: words.desk.all, ...words.portfolio.statuses }}
          onChange={setStatus}
        />
      </div>
      <OrderList
        query={{
          ...(account !== '' && { account_id: account }),
          ...(market !== '' && { market_id: market }),
          ...(status !== 'any' && { status: [status] }),
        }}
      />
    </section>
  );
}
