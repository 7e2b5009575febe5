/** Live orders that a follower of the journal holds in memory, and that it leads on with instead of reading them again. */
import type { Market, Order } from '../../domain/engine/state.js';

/** As of a commit. The new owner may change them: the follower no longer uses them. */
export interface HeldOrders {
  readonly sequence: number;
  /** Of the journal's entry there. */
  readonly journalHash: string;
  /** All markets. Their parts other than orders are read from the tables. */
  readonly markets: ReadonlyMap<string, Market>;
  readonly orders: ReadonlyMap<number, Order>;
  /** What the orders come to in the state's hash, summed up as they changed. */
  readonly ordersSum: string;
}
