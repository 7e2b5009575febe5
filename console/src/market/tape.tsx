import type { Trade } from '@tradepost/client';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { fixed, grouped } from '../decimal.js';
import { useStream } from '../live.js';
import { Time } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

export interface TradesView {
  /** Newest first. */
  readonly list: readonly Trade[];
  /** How many came since the page was opened; the newest of `list` are those. */
  readonly count: number;
}

const KEPT = 50;

export function useTrades(marketId: string): TradesView {
  const view = useRef<TradesView>({ list: [], count: 0 });
  useStream(
    'trades',
    marketId,
    (following) => session.value.client.trades(marketId, following),
    ({ isSnapshot, trades }) => {
      const { list, count } = view.current;
      const newest = trades.toSorted((a, b) => b.sequence - a.sequence || (a.trade_id < b.trade_id ? 1 : -1));
      view.current = isSnapshot
        ? { list: newest.slice(0, KEPT), count }
        : { list: [...newest, ...list].slice(0, KEPT), count: count + newest.length };
      return undefined;
    },
  );
  return view.current;
}

export function Tape({
  trades,
  digits,
}: {
  readonly trades: TradesView;
  readonly digits: number;
}): JSX.Element {
  return (
    <section class="tape">
      <h2>{words.market.tape}</h2>
      {trades.list.length === 0 ? (
        <p class="empty">{words.market.noTrades}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label={words.market.tape}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.market.price}</th>
                <th scope="col" class="number">
                  {words.market.size}
                </th>
                <th scope="col" class="number">
                  {words.market.time}
                </th>
              </tr>
            </thead>
            <tbody>
              {trades.list.map(({ trade_id, price, size, taker_side, executed_at }) => (
                <tr key={trade_id} class={taker_side}>
                  <td class="price">{grouped(fixed(price, digits))}</td>
                  <td class="number">{grouped(size)}</td>
                  <td class="number">
                    <Time at={executed_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
