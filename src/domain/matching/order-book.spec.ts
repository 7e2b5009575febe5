import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../invariant.js';
import type { Side } from './terms.js';
import { type BookEntry, type Level, OrderBook } from './order-book.js';

class Entry implements BookEntry<Entry> {
  level: Level<Entry> | null = null;
  previous: Entry | null = null;
  next: Entry | null = null;
  hiddenLots = 0;

  constructor(
    readonly name: number,
    readonly side: Side,
    public priceTicks: number,
    public remainingLots: number,
  ) {}
}

/** The interface of both books: best price first, each level with its oldest order first. */
interface Book {
  add(entry: Entry): void;
  reduce(entry: Entry, lots: number): void;
  remove(entry: Entry): void;
  levels(side: Side): { priceTicks: number; totalLots: number; names: number[] }[];
}

class RealBook implements Book {
  private readonly book = new OrderBook<Entry>();

  add(entry: Entry): void {
    this.book.sideOf(entry.side).add(entry);
  }

  reduce(entry: Entry, lots: number): void {
    this.book.sideOf(entry.side).reduce(entry, lots);
  }

  remove(entry: Entry): void {
    this.book.sideOf(entry.side).remove(entry);
  }

  levels(side: Side): ReturnType<Book['levels']> {
    const told = this.book.sideOf(side);
    return told.levels.toReversed().map((level) => {
      const names: number[] = [];
      let last: Entry | null = null;
      for (let entry = level.head; entry !== null; entry = entry.next) {
        if (entry.previous !== last || entry.level !== level)
          throw new Error(`${entry.name} is linked wrongly`);
        names.push(entry.name);
        last = entry;
      }
      const { priceTicks, totalLots } = level;
      if (level.tail !== last || level.orders !== names.length || told.levelAt(priceTicks) !== level) {
        throw new Error(`the level at ${priceTicks} is out of order`);
      }
      return { priceTicks, totalLots, names };
    });
  }
}

/** A list of orders in order of arrival, searched linearly for every question. */
class NaiveBook implements Book {
  private readonly entries: Entry[] = [];

  add(entry: Entry): void {
    this.entries.push(entry);
  }

  reduce(entry: Entry, lots: number): void {
    entry.remainingLots -= lots;
    if (entry.remainingLots === 0) this.remove(entry);
  }

  remove(entry: Entry): void {
    this.entries.splice(this.entries.indexOf(entry), 1);
  }

  levels(side: Side): ReturnType<Book['levels']> {
    const mine = this.entries.filter((entry) => entry.side === side);
    const prices = [...new Set(mine.map((entry) => entry.priceTicks))];
    prices.sort((a, b) => (side === 'buy' ? b - a : a - b));
    return prices.map((priceTicks) => {
      const queue = mine.filter((entry) => entry.priceTicks === priceTicks);
      return {
        priceTicks,
        totalLots: queue.reduce((sum, entry) => sum + entry.remainingLots, 0),
        names: queue.map(({ name }) => name),
      };
    });
  }
}

describe.each([
  ['the order book', () => new RealBook()],
  ['a naive book', () => new NaiveBook()],
] as const)('%s', (_, create) => {
  it('keeps each side best first', () => {
    const book: Book = create();
    for (const ticks of [100, 98, 101, 99]) {
      book.add(new Entry(ticks, 'buy', ticks, 1));
      book.add(new Entry(ticks, 'sell', ticks + 10, 1));
    }
    expect(book.levels('buy').map(({ priceTicks }) => priceTicks)).toEqual([101, 100, 99, 98]);
    expect(book.levels('sell').map(({ priceTicks }) => priceTicks)).toEqual([108, 109, 110, 111]);
  });

  it('queues orders of one price in the order in which they came', () => {
    const book: Book = create();
    for (const name of [1, 2, 3]) book.add(new Entry(name, 'buy', 100, name));
    expect(book.levels('buy')).toEqual([{ priceTicks: 100, totalLots: 6, names: [1, 2, 3] }]);
  });

  it('takes lots off an order in its place, and the order out with the last of them', () => {
    const book: Book = create();
    const [first, second] = [new Entry(1, 'sell', 100, 5), new Entry(2, 'sell', 100, 5)];
    book.add(first);
    book.add(second);
    book.reduce(first, 2);
    expect(book.levels('sell')).toEqual([{ priceTicks: 100, totalLots: 8, names: [1, 2] }]);
    book.reduce(first, 3);
    expect(book.levels('sell')).toEqual([{ priceTicks: 100, totalLots: 5, names: [2] }]);
  });

  it('takes orders out from head, middle and tail, and a level with its last order', () => {
    const book: Book = create();
    const entries = [1, 2, 3, 4].map((name) => new Entry(name, 'buy', 100, 1));
    for (const entry of entries) book.add(entry);
    book.remove(entries[1]!);
    expect(book.levels('buy')[0]?.names).toEqual([1, 3, 4]);
    book.remove(entries[0]!);
    book.remove(entries[3]!);
    expect(book.levels('buy')[0]?.names).toEqual([3]);
    book.remove(entries[2]!);
    expect(book.levels('buy')).toEqual([]);
    book.add(entries[2]!);
    expect(book.levels('buy')[0]?.names).toEqual([3]);
  });
});

describe('the order book', () => {
  it('takes no order without lots', () => {
    const { bids } = new OrderBook<Entry>();
    for (const lots of [0, -1, NaN]) {
      const enter = (): void => bids.add(new Entry(1, 'buy', 100, lots));
      expect(enter).toThrow(new InvariantError(`an order that enters the book has lots left (${lots})`));
    }
    expect(bids.levels).toEqual([]);
  });

  it('takes no more lots off an order than it has, and puts none back', () => {
    const { asks } = new OrderBook<Entry>();
    const entry = new Entry(1, 'sell', 100, 5);
    asks.add(entry);
    for (const lots of [6, -1, NaN]) {
      const reduce = (): void => asks.reduce(entry, lots);
      expect(reduce).toThrow(
        new InvariantError(`no more lots leave the book than an order has (${lots}, 5)`),
      );
    }
    expect([entry.remainingLots, asks.totalLots]).toEqual([5, 5]);
  });

  it('is empty once it is cleared, on both sides, and takes the same orders again', () => {
    const book = new OrderBook<Entry>();
    const entries = [new Entry(1, 'buy', 99, 2), new Entry(2, 'sell', 101, 3), new Entry(3, 'sell', 101, 4)];
    for (const entry of entries) book.sideOf(entry.side).add(entry);
    expect([book.bids.totalLots, book.asks.totalLots]).toEqual([2, 7]);
    book.clear();
    for (const side of [book.bids, book.asks])
      expect([side.levels, side.totalLots, side.best()]).toEqual([[], 0, undefined]);
    for (const entry of entries) book.sideOf(entry.side).add(entry);
    expect(book.asks.best()).toMatchObject({ totalLots: 7, orders: 2, head: entries[1], tail: entries[2] });
  });

  it('knows its sides', () => {
    const { bids, asks } = new OrderBook<Entry>();
    expect([bids.side, asks.side]).toEqual(['buy', 'sell']);
  });
});

describe('the order book and a naive one', () => {
  const actions = fc.array(
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      // Few prices make long queues, many make long sides.
      ticks: fc.oneof(fc.integer({ min: 95, max: 105 }), fc.integer({ min: 1, max: 10_000 })),
      lots: fc.integer({ min: 1, max: 9 }),
      what: fc.constantFrom('add', 'add', 'add', 'reduce', 'remove'),
      pick: fc.nat(10_000),
    }),
    { minLength: 1, maxLength: 80, size: 'max' },
  );

  it('are the same after every change', () => {
    fc.assert(
      fc.property(actions, (list) => {
        const real = { book: new RealBook(), entries: [] as Entry[] };
        const naive = { book: new NaiveBook(), entries: [] as Entry[] };
        list.forEach(({ side, ticks, lots, what, pick }, name) => {
          for (const { book, entries } of [real, naive]) {
            const index = pick % Math.max(1, entries.length);
            const entry = entries[index];
            if (what === 'add' || entry === undefined) {
              const added = new Entry(name, side, ticks, lots);
              entries.push(added);
              book.add(added);
            } else if (what === 'remove') {
              entries.splice(index, 1);
              book.remove(entry);
            } else {
              const taken = Math.min(lots, entry.remainingLots);
              if (taken === entry.remainingLots) entries.splice(index, 1);
              book.reduce(entry, taken);
            }
          }
          for (const each of ['buy', 'sell'] as const) {
            expect(real.book.levels(each)).toEqual(naive.book.levels(each));
          }
        });
      }),
    );
  });
});
