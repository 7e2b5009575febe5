import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { after, usePaged } from '../live.js';
import { Download } from '../parts/download.jsx';
import { Choice } from '../parts/field.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { OneOrder } from './order.jsx';
import { OrderBadge } from './order-status.jsx';
import type { PartProps } from './part.js';

type Order = components['schemas']['OrderDto'];
type Status = Order['status'];

const W = words.portfolio;
const CSV = { Accept: 'text/csv' };

const COLUMNS: readonly Column<Order>[] = [
  {
    title: W.market,
    cell: ({ market_id: id }) => <Link to={`portfolio/fills/${encodeURIComponent(id)}`}>{id}</Link>,
  },
  { title: words.orders.side, class: 'side', cell: ({ side }) => words.side[side] },
  { title: words.orders.type, isWide: true, cell: ({ type }) => words.orders.types[type] },
  {
    title: W.price,
    isNumber: true,
    cell: ({ price, stop_price: stop }) => grouped(price ?? stop ?? '–'),
  },
  { title: W.size, isNumber: true, cell: ({ size }) => grouped(size) },
  { title: W.filled, isNumber: true, isWide: true, cell: ({ filled_size: filled }) => grouped(filled) },
  {
    title: W.average,
    isNumber: true,
    isWide: true,
    cell: ({ average_fill_price: average }) => grouped(average ?? '–'),
  },
  { title: W.status, cell: ({ status }) => <OrderBadge status={status} /> },
  {
    title: W.time,
    isNumber: true,
    cell: ({ order_id: id, created_at: at }) => (
      <Link to={`portfolio/orders/${id}`}>
        <Moment at={at} />
      </Link>
    ),
  },
];

/** All orders of an account, those that have ended, too; or one of them. */
export function Orders({ accountId, only }: PartProps): JSX.Element {
  return only === undefined ? <AllOrders accountId={accountId} /> : <OneOrder orderId={only} />;
}

function AllOrders({ accountId }: Pick<PartProps, 'accountId'>): JSX.Element {
  const [status, setStatus] = useState<Status | 'any'>('any');
  const { client } = session.value;
  const query = {
    ...(accountId !== 'me' && { account_id: accountId }),
    ...(status !== 'any' && { status: [status] }),
  };
  const pages = usePaged(`${accountId} ${status}`, (cursor, signal) =>
    client.get('/orders', {
      params: { query: { ...query, ...after(cursor) } },
      signal,
    }),
  );
  return (
    <section class="panel">
      <div class="filters">
        <h2>{W.parts.orders}</h2>
        <Choice
          label={W.status}
          value={status}
          options={{ any: W.anyStatus, ...W.statuses }}
          onChange={setStatus}
        />
        <Download
          label={W.csv}
          fileName="orders.csv"
          open={() => client.response('/orders', { params: { query }, headers: CSV })}
        />
      </div>
      <PagedTable
        label={W.parts.orders}
        columns={COLUMNS}
        pages={pages}
        none={W.noOrders}
        keyOf={({ order_id }) => order_id}
        classOf={({ side }) => side}
      />
    </section>
  );
}
