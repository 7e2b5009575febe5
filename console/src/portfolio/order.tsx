import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { useLoaded, useLooks } from '../live.js';
import { Facts } from '../parts/facts.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { ReceiptPanel } from '../proof/receipt-panel.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { wordFor } from '../words/word-for.js';
import { isLive, OrderBadge } from './order-status.jsx';

type Order = components['schemas']['OrderWithFillsDto'];
type Fill = components['schemas']['FillDto'];
type Receipt = components['schemas']['ReceiptDto'];

const W = words.portfolio;

const FILLS: readonly Column<Fill>[] = [
  { title: W.time, cell: ({ executed_at: at }) => <Moment at={at} /> },
  { title: W.price, isNumber: true, cell: ({ price }) => grouped(price) },
  { title: W.size, isNumber: true, cell: ({ size }) => grouped(size) },
  { title: W.fees, isNumber: true, cell: ({ fee, fee_asset: asset }) => `${grouped(fee)} ${asset}` },
  { title: W.kind, isWide: true, cell: ({ liquidity }) => W.roles[liquidity] },
];

/** One order with its fills, as they come, and its receipts. */
export function OneOrder({ orderId }: { readonly orderId: string }): JSX.Element {
  const loaded = useLoaded(orderId, (signal) =>
    session.value.client.get('/orders/{order_id}', { params: { path: { order_id: orderId } }, signal }),
  );
  useLooks(loaded.value !== undefined && isLive(loaded.value.status), loaded);
  return (
    <>
      <Link to="portfolio/orders">{W.allOrders}</Link>
      <WhenLoaded of={loaded}>{(order) => <Details {...order} />}</WhenLoaded>
    </>
  );
}

function Details(order: Order): JSX.Element {
  const { order_id: id, market_id: market, side, type, size, price, stop_price: stop, fills } = order;
  const amount = (text: string | null): string | null => text && grouped(text);
  const reason = order.status_reason;
  return (
    <>
      <section class="panel">
        <div class="row">
          <h2>{`${words.side[side]} ${grouped(size)}`}</h2>
          <OrderBadge status={order.status} />
        </div>
        <Facts
          of={[
            [W.market, <Link to={`markets/${encodeURIComponent(market)}`}>{market}</Link>],
            [words.orders.type, words.orders.types[type]],
            [W.price, amount(price)],
            [words.ticket.stopPrice, amount(stop)],
            [W.filled, grouped(order.filled_size)],
            [W.average, amount(order.average_fill_price)],
            [W.reason, reason && wordFor(words.orderReasons, reason)],
            [W.time, <Moment at={order.created_at} />],
            [W.lastChange, <Moment at={order.updated_at} />],
            [W.id, <code>{id}</code>],
          ]}
        />
        {fills.length > 0 && (
          <>
            <h3>{W.parts.fills}</h3>
            <Table label={W.parts.fills} columns={FILLS} rows={fills} keyOf={({ fill_id }) => fill_id} />
          </>
        )}
      </section>
      <ReceiptPanel accountId={order.account_id} orderId={id} offers={offersOf(id)} />
    </>
  );
}

function offersOf(orderId: string): Parameters<typeof ReceiptPanel>[0]['offers'] {
  const get = (of: 'accepted' | 'latest') => (): Promise<Receipt> =>
    session.value.client.get('/orders/{order_id}/receipt', {
      params: { path: { order_id: orderId }, query: { of } },
    });
  return [
    { label: words.proof.ofAccepted, fileName: `receipt-${orderId}.json`, get: get('accepted') },
    { label: words.proof.ofLatest, fileName: `receipt-${orderId}-latest.json`, get: get('latest') },
  ];
}
