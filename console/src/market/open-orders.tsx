import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { wordsOf } from '../live.js';
import { session } from '../session.js';
import { words } from '../words/index.js';
import type { AccountView, Order } from './account.js';
import { nameOf } from './order-name.js';

interface OpenOrdersProps {
  readonly marketId: string;
  readonly account: AccountView;
  readonly onReplace: (order: Order) => void;
}

export function OpenOrders({ marketId, account, onReplace }: OpenOrdersProps): JSX.Element {
  const [failure, setFailure] = useState('');
  const [amending, setAmending] = useState<string | null>(null);
  const orders = [...account.orders.values()]
    .filter((order) => order.market_id === marketId)
    .sort((a, b) => (a.order_id < b.order_id ? 1 : -1));
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setFailure('');
    try {
      await work();
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const { client } = session.value;
  return (
    <section class="orders">
      <div class="row">
        <h2>{words.orders.title}</h2>
        {orders.length > 0 && (
          <button
            type="button"
            onClick={() =>
              void attempt(() => client.delete('/orders', { params: { query: { market_id: marketId } } }))
            }
          >
            {words.orders.cancelAll}
          </button>
        )}
      </div>
      {failure !== '' && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {orders.length === 0 ? (
        <p class="empty">{words.orders.none}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label={words.orders.title}>
          <table>
            <OrdersHead />
            <tbody>
              {orders.map((order) =>
                amending === order.order_id ? (
                  <AmendRow key={order.order_id} order={order} onEnd={() => setAmending(null)} />
                ) : (
                  <OrderRow
                    key={order.order_id}
                    order={order}
                    onAmend={() => setAmending(order.order_id)}
                    onReplace={() => onReplace(order)}
                    onCancel={() =>
                      void attempt(() =>
                        client.delete('/orders/{order_id}', {
                          params: { path: { order_id: order.order_id } },
                        }),
                      )
                    }
                  />
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function OrdersHead(): JSX.Element {
  const { side, type, price, size, filled, actions } = words.orders;
  return (
    <thead>
      <tr>
        <th scope="col">{side}</th>
        <th scope="col">{type}</th>
        <th scope="col" class="number">
          {price}
        </th>
        <th scope="col" class="number">
          {size}
        </th>
        <th scope="col" class="number">
          {filled}
        </th>
        <th scope="col">{actions}</th>
      </tr>
    </thead>
  );
}

interface OrderRowProps {
  readonly order: Order;
  readonly onAmend: () => void;
  readonly onReplace: () => void;
  readonly onCancel: () => void;
}

function OrderRow({ order, onAmend, onReplace, onCancel }: OrderRowProps): JSX.Element {
  const { amend, replace, cancel, of } = words.orders;
  return (
    <tr class={order.side}>
      <td class="side">{words.side[order.side]}</td>
      <td>
        {words.orders.types[order.type]}
        {order.order_list_id !== null && <span class="hint"> {words.orders.ofList}</span>}
      </td>
      <td class="number">{priceOf(order)}</td>
      <td class="number">{grouped(order.size)}</td>
      <td class="number">{grouped(order.filled_size)}</td>
      <td>
        {order.type === 'limit' && (
          <button type="button" aria-label={of({ action: amend, order: nameOf(order) })} onClick={onAmend}>
            {amend}
          </button>
        )}
        {order.order_list_id === null && (
          <button
            type="button"
            aria-label={of({ action: replace, order: nameOf(order) })}
            onClick={onReplace}
          >
            {replace}
          </button>
        )}
        <button type="button" aria-label={of({ action: cancel, order: nameOf(order) })} onClick={onCancel}>
          {cancel}
        </button>
      </td>
    </tr>
  );
}

/** A trailing stop has the distance that it keeps; the price moves. */
function priceOf(order: Order): string {
  if (order.trailing_percent !== null) return `${order.trailing_percent} %`;
  if (order.trailing_offset !== null) return `± ${grouped(order.trailing_offset)}`;
  return grouped(order.price ?? order.stop_price ?? '–');
}

/** Another price or size, in the place of the order. */
function AmendRow({ order, onEnd }: { readonly order: Order; readonly onEnd: () => void }): JSX.Element {
  const [price, setPrice] = useState(order.price ?? '');
  const [size, setSize] = useState(order.size);
  const [failure, setFailure] = useState('');
  const save = async (): Promise<void> => {
    try {
      await session.value.client.patch('/orders/{order_id}', {
        params: { path: { order_id: order.order_id } },
        body: { ...(price !== order.price && { price }), ...(size !== order.size && { size }) },
      });
      onEnd();
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') void save();
    if (event.key === 'Escape') onEnd();
  };
  const input = (label: string, value: string, set: (text: string) => void): JSX.Element => (
    <input
      aria-label={label}
      inputMode="decimal"
      value={value}
      onKeyDown={onKeyDown}
      onInput={(event) => set(event.currentTarget.value.trim())}
    />
  );
  return (
    <tr class={order.side}>
      <td class="side">{words.side[order.side]}</td>
      <td>{words.orders.types[order.type]}</td>
      <td class="number">{input(words.orders.newPrice, price, setPrice)}</td>
      <td class="number">{input(words.orders.newSize, size, setSize)}</td>
      <td class="number">{grouped(order.filled_size)}</td>
      <td>
        <button type="button" class="primary" onClick={() => void save()}>
          {words.orders.save}
        </button>
        <button type="button" onClick={onEnd}>
          {words.orders.keep}
        </button>
        {failure !== '' && (
          <p class="error" role="alert">
            {failure}
          </p>
        )}
      </td>
    </tr>
  );
}
