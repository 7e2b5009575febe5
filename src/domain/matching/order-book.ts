/**
 * A book with price-time priority. Each side is an array of price levels with the best price last, so that changes near
 * it are cheap; each level is a linked queue of orders. Prices are ticks and sizes are lots, both safe integers; this
 * file knows nothing of money.
 */
import { invariant } from '../invariant.js';
import type { Side } from './terms.js';

/** What the book reads of an order; the links belong to the book. */
export interface BookEntry<E extends BookEntry<E>> {
  readonly side: Side;
  priceTicks: number;
  remainingLots: number;
  /** How many of them the book does not show. */
  hiddenLots: number;
  level: Level<E> | null;
  previous: E | null;
  next: E | null;
}

export class Level<E extends BookEntry<E>> {
  totalLots = 0;
  hiddenLots = 0;
  orders = 0;
  /** The oldest order, filled first. */
  head: E | null = null;
  tail: E | null = null;

  constructor(readonly priceTicks: number) {}

  get shownLots(): number {
    return this.totalLots - this.hiddenLots;
  }
}

export class BookSide<E extends BookEntry<E>> {
  /** Worst price first, best price last. */
  readonly levels: Level<E>[] = [];
  /** The sum over all levels; the caller keeps it, and each level's, within safe integers. */
  totalLots = 0;
  /** Makes "better" mean "greater" on both sides. */
  private readonly sign: 1 | -1;

  constructor(readonly side: Side) {
    this.sign = side === 'buy' ? 1 : -1;
  }

  best(): Level<E> | undefined {
    return this.levels[this.levels.length - 1];
  }

  /** Whether a taker with the limit `limitTicks` may trade with this level. */
  crosses(level: Level<E>, limitTicks: number): boolean {
    return this.sign * (level.priceTicks - limitTicks) >= 0;
  }

  levelAt(priceTicks: number): Level<E> | undefined {
    const level = this.levels[this.indexOf(priceTicks)];
    return level !== undefined && level.priceTicks === priceTicks ? level : undefined;
  }

  /** Puts the order at the end of its price's queue. */
  add(order: E): void {
    invariant(order.side === this.side, 'an order enters its own side of the book');
    invariant(order.priceTicks > 0, 'an order that enters the book has a price', order.priceTicks);
    invariant(order.remainingLots > 0, 'an order that enters the book has lots left', order.remainingLots);
    const index = this.indexOf(order.priceTicks);
    let level = this.levels[index];
    if (level === undefined || level.priceTicks !== order.priceTicks) {
      level = new Level<E>(order.priceTicks);
      if (index === this.levels.length) this.levels.push(level);
      else this.levels.splice(index, 0, level);
      this.checkPlace(index);
    }
    this.link(order, level, level.tail);
  }

  /** Puts an order that was removed back behind the one that stood before it; null where it was the first. */
  putBack(order: E, previous: E | null): void {
    const level = this.levelAt(order.priceTicks);
    if (level === undefined) this.add(order);
    else this.link(order, level, previous);
  }

  /** Removes lots from an order in place; an order with no lots left leaves the book. */
  reduce(order: E, lots: number): void {
    const { level } = order;
    invariant(level !== null, 'lots are taken off an order that is in the book', lots);
    invariant(
      lots >= 0 && lots <= order.remainingLots,
      'no more lots leave the book than an order has',
      lots,
      order.remainingLots,
    );
    order.remainingLots -= lots;
    level.totalLots -= lots;
    this.totalLots -= lots;
    if (order.remainingLots === 0) this.unlink(order, level);
  }

  /** Says how many lots of an order, which is in the book, are hidden. */
  hide(order: E, hiddenLots: number): void {
    const { level } = order;
    invariant(level !== null, 'an order that hides lots is in the book', hiddenLots);
    invariant(
      hiddenLots >= 0 && hiddenLots < order.remainingLots,
      'an order in the book shows a part of its lots',
      hiddenLots,
      order.remainingLots,
    );
    level.hiddenLots += hiddenLots - order.hiddenLots;
    order.hiddenLots = hiddenLots;
  }

  /** Removes the order with all its remaining lots. */
  remove(order: E): void {
    const { level } = order;
    invariant(level !== null, 'an order that leaves the book is in it', order.priceTicks);
    level.totalLots -= order.remainingLots;
    this.totalLots -= order.remainingLots;
    this.unlink(order, level);
  }

  /** Removes all orders; they keep their links until they are added again. */
  clear(): void {
    this.levels.length = 0;
    this.totalLots = 0;
  }

  private link(order: E, level: Level<E>, previous: E | null): void {
    const next = previous === null ? level.head : previous.next;
    order.level = level;
    order.previous = previous;
    order.next = next;
    if (previous === null) level.head = order;
    else previous.next = order;
    if (next === null) level.tail = order;
    else next.previous = order;
    level.totalLots += order.remainingLots;
    level.hiddenLots += order.hiddenLots;
    this.totalLots += order.remainingLots;
    level.orders++;
  }

  private unlink(order: E, level: Level<E>): void {
    level.hiddenLots -= order.hiddenLots;
    if (order.previous === null) level.head = order.next;
    else order.previous.next = order.next;
    if (order.next === null) level.tail = order.previous;
    else order.next.previous = order.previous;
    order.level = null;
    order.previous = null;
    order.next = null;
    level.orders--;
    if (level.orders === 0) {
      invariant(
        level.totalLots === 0 && level.hiddenLots === 0 && level.head === null && level.tail === null,
        'a level without orders has no lots',
        level.priceTicks,
        level.totalLots,
        level.hiddenLots,
      );
      const last = this.levels.length - 1;
      if (this.levels[last] === level) this.levels.pop();
      else this.removeLevel(level);
      invariant(
        this.totalLots >= 0 && (this.levels.length > 0 || this.totalLots === 0),
        'a side of a book has the lots of its levels',
        this.totalLots,
      );
    }
  }

  private removeLevel(level: Level<E>): void {
    const index = this.indexOf(level.priceTicks);
    invariant(this.levels[index] === level, 'a level is found by its price', level.priceTicks);
    this.levels.splice(index, 1);
  }

  /** A new level stands between a worse and a better one. */
  private checkPlace(index: number): void {
    const { levels, sign } = this;
    const price = sign * levels[index]!.priceTicks;
    const worse = levels[index - 1];
    const better = levels[index + 1];
    invariant(
      (worse === undefined || sign * worse.priceTicks < price) &&
        (better === undefined || sign * better.priceTicks > price),
      'the levels of a book are in order',
      worse?.priceTicks,
      levels[index]!.priceTicks,
      better?.priceTicks,
    );
  }

  /** The index at which the price is, or would be inserted. Searches from the best levels, where most orders go. */
  private indexOf(priceTicks: number): number {
    const { levels, sign } = this;
    const key = sign * priceTicks;
    let low = 0;
    let high = levels.length;
    let step = 1;
    while (high - step >= 0) {
      const probe = high - step;
      if (sign * levels[probe]!.priceTicks < key) {
        low = probe + 1;
        break;
      }
      high = probe;
      step *= 2;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sign * levels[middle]!.priceTicks < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The part that a book shows of an order of which it shows `displayLots` at a time; Infinity shows all. */
export function shownLotsOf(remainingLots: number, filledLots: number, displayLots: number): number {
  if (displayLots === Infinity) return remainingLots;
  return Math.min(remainingLots, displayLots - (filledLots % displayLots));
}

export class OrderBook<E extends BookEntry<E>> {
  readonly bids = new BookSide<E>('buy');
  readonly asks = new BookSide<E>('sell');

  sideOf(side: Side): BookSide<E> {
    return side === 'buy' ? this.bids : this.asks;
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }

  /** The side that an order of `side` trades against. */
  oppositeOf(side: Side): BookSide<E> {
    return side === 'buy' ? this.asks : this.bids;
  }
}
