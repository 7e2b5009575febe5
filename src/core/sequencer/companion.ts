import type { LeftState } from '../replica/replica-state.js';
import type { HeldOrders } from '../state/held-orders.js';
import type { Work, WorkAnswer } from '../term/work.js';

/**
 * What else this process is besides the one that may lead: where others serve, too, it follows them while it does not
 * lead, and sends them what it cannot run itself.
 */
export interface Companion {
  /**
   * This process has the lock, so that the journal ends at the sequence for now. Tells all up to there, and answers the
   * orders as of there, where it holds them.
   */
  ordersAt(sequence: number): Promise<HeldOrders | null>;
  /** The term has begun and tells its first commit next: nothing else is told from when this resolves. */
  beforeLeading(): Promise<void>;
  leading(epoch: number): void;
  /** It leads no more, or is about to stop: answers what it has begun for others. */
  leaving(): Promise<void>;
  /**
   * Readers are to see what others commit, from what a term has left on, if there is one. Resolves once they see all
   * that was durable when this was called, or cannot in time.
   */
  standingBy(left?: LeftState | null): Promise<void>;
  forward(work: Work): Promise<WorkAnswer>;
}
