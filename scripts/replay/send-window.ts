import type { Side } from '../../src/domain/engine/types.js';
import type { FlowOrder } from './recorded-flow.js';

/** The most orders in a batch; the same limit serves for concurrent cancels. */
const BATCH_ORDERS_MAX = 100;
const CANCELS_MAX = 100;

/**
 * Events that may be sent together: each side's new orders, a batch a side in their recorded order,
 * beside the cancels of orders that were there before; then the cancels that have to come after.
 *
 * The service keeps no order among requests that are under way at the same time, and waiting for each
 * answer would replay nothing but round trips. So events change places here, but only where that
 * changes nothing: two events touch each other only if their orders could meet in the book, that is if
 * they are on opposite sides and the buy's price reaches the sell's. A window takes no new order that
 * could meet one that it has already, be it placed or cancelled there. Everything else commutes: orders
 * of one side keep their queue, and a cancel leaves the queue as it was for the others.
 */
export class SendWindow {
  readonly creates: Readonly<Record<Side, FlowOrder[]>> = { buy: [], sell: [] };
  readonly cancels: FlowOrder[] = [];
  /** Cancels of orders that are placed in this very window, or that one of its orders could have met before. */
  readonly lateCancels: FlowOrder[] = [];
  private readonly createdIds = new Set<string>();
  private highestBuy = -Infinity;
  private lowestSell = Infinity;

  /** Whether there is room for this new order, and nothing that it could meet. */
  admitsCreate(order: FlowOrder): boolean {
    return this.creates[order.side].length < BATCH_ORDERS_MAX && !this.couldMeet(order);
  }

  admitsCancel(): boolean {
    return this.cancels.length + this.lateCancels.length < CANCELS_MAX;
  }

  create(order: FlowOrder): void {
    this.creates[order.side].push(order);
    this.createdIds.add(order.id);
    this.remember(order);
  }

  cancel(order: FlowOrder): void {
    const isLate = this.createdIds.has(order.id) || this.couldMeet(order);
    (isLate ? this.lateCancels : this.cancels).push(order);
    this.remember(order);
  }

  /** Compared as floats, which is sound: reading decimals never swaps two prices, at worst it makes them equal. */
  private couldMeet({ side, price }: FlowOrder): boolean {
    return side === 'buy' ? Number(price) >= this.lowestSell : Number(price) <= this.highestBuy;
  }

  private remember({ side, price }: FlowOrder): void {
    if (side === 'buy') this.highestBuy = Math.max(this.highestBuy, Number(price));
    else this.lowestSell = Math.min(this.lowestSell, Number(price));
  }
}
