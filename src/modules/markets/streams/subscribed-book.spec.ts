import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookView } from '../../../core/core.types.js';
import type { BookLevel } from '../../../domain/engine/types.js';
import { SubscribedBook } from './subscribed-book.js';

/** A book of one side each, from prices to sizes. */
type Sizes = ReadonlyMap<number, number>;

const sizes = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 3 })), { maxLength: 30 })
  .map((levels) => new Map(levels));

function sorted(side: Sizes, sign: 1 | -1): BookLevel[] {
  return [...side].sort(([a], [b]) => sign * (a - b)).map(([price, size]): BookLevel => [price, size, size]);
}

function view(bookSequence: number, bids: Sizes, asks: Sizes): BookView {
  return { marketId: 'M', bookSequence, timeMs: 0, bids: sorted(bids, -1), asks: sorted(asks, 1) };
}

/** What a client does with changes. */
function apply(side: Map<number, BookLevel>, changes: readonly BookLevel[]): void {
  for (const level of changes) {
    if (level[1] === 0) expect(side.delete(level[0])).toBe(true);
    else side.set(level[0], level);
  }
}

describe('SubscribedBook', () => {
  it('keeps a client at exactly the best levels, whatever the book becomes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.tuple(sizes, sizes), { minLength: 2, maxLength: 10 }),
        (depth, books) => {
          const views = books.map(([bids, asks], i) => view(i, bids, asks));
          const sent = new SubscribedBook(depth, views[0]!);
          const client = {
            bids: new Map(sent.book.bids.map((level) => [level[0], level])),
            asks: new Map(sent.book.asks.map((level) => [level[0], level])),
          };
          for (const book of views.slice(1)) {
            const change = sent.advance(book)!;
            expect(change.previousSequence).toBe(book.bookSequence - 1);
            for (const side of ['bids', 'asks'] as const) {
              apply(client[side], change[side]);
              expect([...client[side].values()].sort(([a], [b]) => a - b)).toEqual(
                book[side].slice(0, depth).toSorted(([a], [b]) => a - b),
              );
            }
          }
        },
      ),
    );
  });

  it('tells only what changed', () => {
    const level: BookLevel = [5, 1, 1];
    const book: BookView = { marketId: 'M', bookSequence: 1, timeMs: 0, bids: [level], asks: [] };
    const sent = new SubscribedBook(10, book);
    expect(sent.advance(book)).toBeUndefined();
    expect(sent.advance({ ...book, bookSequence: 2, bids: [[5, 1, 1]] })).toEqual({
      previousSequence: 1,
      bids: [],
      asks: [],
    });
  });

  it('lets a level in that was outside, when a better one goes', () => {
    const book = view(
      1,
      new Map([
        [9, 1],
        [8, 1],
        [7, 1],
      ]),
      new Map(),
    );
    const sent = new SubscribedBook(2, book);
    const change = sent.advance(
      view(
        2,
        new Map([
          [9, 1],
          [7, 1],
        ]),
        new Map(),
      ),
    );
    expect(change!.bids).toEqual([
      [8, 0, 0],
      [7, 1, 1],
    ]);
  });
});
