/** Live orders that a follower of the journal holds in memory, and that it leads on with instead of reading them again. */
import type { Market, Order } from '../../domain/engine/state.js';

/** As of a commit. Whoever takes them may change them: the follower is done with them. */
export interface HeldOrders {
  readonly sequence: number;
  /** Of the journal's entry there. */
  readonly journalHash: string;
  /** All that there are. What is in them beside the orders is read from the tables. */
  readonly markets: ReadonlyMap<string, Market>;
  readonly orders: ReadonlyMap<number, Order>;
  /** What the orders come to in the state's hash, summed up as they changed. */
  readonly ordersSum: string;
}
