import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { grouped } from '../decimal.js';
import { Facts } from '../parts/facts.jsx';
import { words } from '../words/index.js';
import { wordFor } from '../words/word-for.js';

type OrderPreview = components['schemas']['OrderPreviewDto'];

/** What a request would do. */
export interface Previewed {
  /** One, or those of a list. */
  readonly orders: readonly OrderPreview[];
  /** What a replaced order would give back. */
  readonly released: components['schemas']['PreviewHoldDto'] | null;
}

interface PreviewProps {
  readonly preview: Previewed;
  readonly quoteAsset: string;
}

/** What an order would do, before it is sent. */
export function Preview({ preview: { orders, released }, quoteAsset }: PreviewProps): JSX.Element {
  const { title, parts, gives } = words.preview;
  const names = [parts.entry, parts.limit, parts.stop].slice(orders.length === 1 ? 3 : 3 - orders.length);
  return (
    <section class="preview" aria-label={title} aria-live="polite">
      <h3>{title}</h3>
      {released !== null && <p>{gives({ amount: grouped(released.amount), asset: released.asset })}</p>}
      {orders.map((order, at) => (
        <div key={at}>
          {names[at] !== undefined && <h4>{names[at]}</h4>}
          <OrderPart order={order} quoteAsset={quoteAsset} />
        </div>
      ))}
    </section>
  );
}

interface OrderPartProps {
  readonly order: OrderPreview;
  readonly quoteAsset: string;
}

function OrderPart({ order, quoteAsset }: OrderPartProps): JSX.Element {
  const { none, average, fees, hold, ahead, netted, rejected, waits, endsWithList } = words.preview;
  const { average_fill_price: price, status, status_reason: reason, queue_ahead_size: queue } = order;
  const { netting } = order;
  if (status === 'untriggered' && reason === 'awaiting_entry') return <p>{waits.entry}</p>;
  if (status === 'cancelled' && reason === 'order_list') return <p>{endsWithList}</p>;
  const rows: [string, string][] = [
    ...(price === null ? [] : [[average, `${grouped(price)} ${quoteAsset}`] as [string, string]]),
    [fees, `${grouped(order.fees)} ${quoteAsset}`],
    [hold, `${grouped(order.hold.amount)} ${order.hold.asset}`],
    ...(queue === null ? [] : [[ahead, grouped(queue)] as [string, string]]),
    ...(netting === null ? [] : [[netted, `${grouped(netting.amount)} ${quoteAsset}`] as [string, string]]),
  ];
  return (
    <>
      {status === 'rejected' && (
        <p class="error">{rejected({ reason: wordFor(words.orderReasons, reason!) })}</p>
      )}
      {status === 'untriggered' && <p>{reason === 'triggered' ? waits.runs : waits.price}</p>}
      {order.fills.length > 0 ? (
        <FilledAtOnce order={order} />
      ) : (
        status !== 'rejected' && status !== 'untriggered' && <p>{none}</p>
      )}
      <Facts of={rows} />
    </>
  );
}

function FilledAtOnce({ order }: { readonly order: OrderPreview }): JSX.Element {
  return (
    <table>
      <caption class="hidden">{words.preview.fills}</caption>
      <thead>
        <tr>
          <th scope="col">{words.market.price}</th>
          <th scope="col" class="number">
            {words.market.size}
          </th>
          <th scope="col" class="number">
            {words.preview.fee}
          </th>
        </tr>
      </thead>
      <tbody>
        {order.fills.map((each, at) => (
          <tr key={at}>
            <td>{grouped(each.price)}</td>
            <td class="number">{grouped(each.size)}</td>
            <td class="number">{grouped(each.fee)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
