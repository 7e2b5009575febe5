/** One market's book as the public part of the journal tells it, order by order. */
import type { PublicOrder } from './public-journal.js';

/** A price with its orders, the oldest place first. */
interface PublicLevel {
  readonly priceTicks: number;
  readonly orders: PublicOrder[];
}

/** Where an order stood when it traded. */
interface Place {
  readonly priceTicks: number;
  readonly queueSequence: number;
  /** That of the trade. */
  readonly sequence: number;
  readonly isPassedOver: (order: PublicOrder) => boolean;
}

class PublicSide {
  /** Worst price first, best price last. */
  private readonly levels: PublicLevel[] = [];

  constructor(private readonly sign: 1 | -1) {}

  add(order: PublicOrder): void {
    const place = this.indexOf(order.price_ticks);
    let level = this.levels[place];
    if (level?.priceTicks !== order.price_ticks) {
      level = { priceTicks: order.price_ticks, orders: [] };
      this.levels.splice(place, 0, level);
    }
    level.orders.splice(placeIn(level.orders, order.queue_sequence), 0, order);
  }

  remove(order: PublicOrder): void {
    const place = this.indexOf(order.price_ticks);
    const { orders } = this.levels[place]!;
    orders.splice(orders.indexOf(order, placeIn(orders, order.queue_sequence)), 1);
    if (orders.length === 0) this.levels.splice(place, 1);
  }

  get best(): PublicLevel | undefined {
    return this.levels.at(-1);
  }

  /**
   * The first order that was in the book before `sequence`, and whose turn is before that of a place at a price; null
   * where there is none. Walks over what is better and younger, which is at most what one commit has added, and over what
   * is passed over.
   */
  ahead({ priceTicks, queueSequence, sequence, isPassedOver }: Place): PublicOrder | null {
    for (let place = this.levels.length - 1; place >= 0; place--) {
      const level = this.levels[place]!;
      const better = this.sign * (level.priceTicks - priceTicks);
      if (better < 0) return null;
      const before = better > 0 ? sequence : queueSequence;
      for (const order of level.orders) {
        if (order.queue_sequence >= before) break;
        if (!isPassedOver(order)) return order;
      }
    }
    return null;
  }

  private indexOf(priceTicks: number): number {
    return lowest(
      this.levels.length,
      (place) => this.sign * (this.levels[place]!.priceTicks - priceTicks) >= 0,
    );
  }
}

export class PublicBook {
  readonly orders = new Map<number, PublicOrder>();
  private readonly buy = new PublicSide(1);
  private readonly sell = new PublicSide(-1);

  /** Puts an order where it says it stands, or takes it out where its size is 0. */
  put(order: PublicOrder): void {
    const known = this.orders.get(order.order_id);
    if (known !== undefined) this[known.side].remove(known);
    if (order.size_lots === 0) {
      this.orders.delete(order.order_id);
      return;
    }
    this[order.side].add(order);
    this.orders.set(order.order_id, order);
  }

  ahead(side: 'buy' | 'sell', place: Place): PublicOrder | null {
    return this[side].ahead(place);
  }

  /** Whether somebody offers to buy for as much as somebody sells for. */
  get isCrossed(): boolean {
    const [bid, ask] = [this.buy.best, this.sell.best];
    return bid !== undefined && ask !== undefined && bid.priceTicks >= ask.priceTicks;
  }
}

function placeIn(orders: readonly PublicOrder[], queueSequence: number): number {
  return lowest(orders.length, (place) => orders[place]!.queue_sequence >= queueSequence);
}

/** The lowest number below `end` from which on something holds; `end` where it never does. */
function lowest(end: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
