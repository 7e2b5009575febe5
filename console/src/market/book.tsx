import type { Level } from '@tradepost/client';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { add, fixed, forDrawing, grouped } from '../decimal.js';
import { useStream } from '../live.js';
import { session } from '../session.js';
import { words } from '../words/index.js';

/** A copy of the book as of one sequence. */
export interface BookView {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly sequence: number;
}

/** Of each side. */
const LEVELS_SHOWN = 15;

/** How long after a copy that had to be taken anew the book counts as behind. */
const BEHIND_MS = 2_000;

/** The book, kept by its sequence and checksum. */
export function useBook(marketId: string): BookView {
  const view = useRef<BookView>({ bids: [], asks: [], sequence: -1 });
  const resyncs = useRef({ count: 0, atMs: -Infinity });
  useStream(
    'book',
    marketId,
    (following) => session.value.client.book(marketId, following),
    (book) => {
      view.current = { bids: [...book.bids], asks: [...book.asks], sequence: book.sequence };
      if (book.resyncs > resyncs.current.count)
        resyncs.current = { count: book.resyncs, atMs: performance.now() };
      return performance.now() - resyncs.current.atMs < BEHIND_MS ? 'behind' : 'live';
    },
  );
  return view.current;
}

/** Levels with the sum of all sizes up to each, best first. */
export function cumulative(
  levels: readonly Level[],
): readonly (readonly [price: string, size: string, total: string])[] {
  let total = '0';
  return levels.map(([price, size]) => {
    total = add(total, size);
    return [price, size, total] as const;
  });
}

interface BookProps {
  readonly book: BookView;
  readonly digits: number;
  /** Such as `buy 100.5`: where the user's own orders are. */
  readonly ownPrices: ReadonlySet<string>;
  readonly onPrice: (price: string) => void;
}

export function Book({ book, digits, ownPrices, onPrice }: BookProps): JSX.Element {
  const [bids, asks] = [book.bids, book.asks].map((side) => cumulative(side.slice(0, LEVELS_SHOWN)));
  const deepest = Math.max(
    ...[bids, asks].map((side) => forDrawing(side!.at(-1)?.[2] ?? '0')),
    Number.MIN_VALUE,
  );
  const side = (name: 'buy' | 'sell', levels: typeof bids & object): JSX.Element => (
    <tbody class={name} aria-label={name === 'buy' ? words.market.bids : words.market.asks}>
      {levels.length === 0 && (
        <tr>
          <td colSpan={3} class="empty">
            {words.market.emptySide}
          </td>
        </tr>
      )}
      {levels.map(([price, size, total], at) => {
        const isOwn = ownPrices.has(`${name} ${price}`);
        return (
          <tr key={price} class={isOwn ? 'own-level' : ''}>
            <td>
              <button
                type="button"
                tabIndex={isNearest(name, at, levels.length) ? 0 : -1}
                title={words.market.takePrice({ price })}
                onClick={() => onPrice(price)}
                onKeyDown={moveAmongPrices}
              >
                {grouped(fixed(price, digits))}
              </button>
              {isOwn && <span class="mark">{words.market.own}</span>}
            </td>
            <td class="number">{grouped(size)}</td>
            <td class="number">
              <span class="bar" style={{ width: `${(forDrawing(total) / deepest) * 100}%` }} />
              <span class="over">{grouped(total)}</span>
            </td>
          </tr>
        );
      })}
    </tbody>
  );
  return (
    <section class="book" aria-label={words.market.book} data-sequence={book.sequence}>
      <h2>{words.market.book}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.market.price}</th>
            <th scope="col" class="number">
              {words.market.size}
            </th>
            <th scope="col" class="number">
              {words.market.total}
            </th>
          </tr>
        </thead>
        {side('sell', [...asks!].reverse())}
        {side('buy', bids!)}
      </table>
    </section>
  );
}

/** The best price of a side is where the keyboard comes to it; arrows go on from there. */
function isNearest(side: 'buy' | 'sell', at: number, length: number): boolean {
  return side === 'buy' ? at === 0 : at === length - 1;
}

function moveAmongPrices(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
  const prices = [...(event.currentTarget.closest('table')?.querySelectorAll<HTMLElement>('button') ?? [])];
  prices[prices.indexOf(event.currentTarget) + step]?.focus();
  event.preventDefault();
}
