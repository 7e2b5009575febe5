import type { Leader } from '../leadership/leadership.js';
import type { LeftState } from '../term/left-state.js';
import type { HeldOrders } from '../state/held-orders.js';
import type { Work, WorkAnswer } from '../requests/work.js';

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
  /** The term has begun and makes its first commit next: listeners are notified of nothing else from when this resolves. */
  beforeLeading(): Promise<void>;
  leading(own: Leader): void;
  /** This process no longer leads, or is about to stop: answers its running work for others. */
  leaving(): Promise<void>;
  /**
   * Starts to show readers other processes' commits, from the state that a term has left, if any. Resolves once they
   * see all that was durable at the call, or on timeout.
   */
  standingBy(left?: LeftState | null): Promise<void>;
  forward(work: Work): Promise<WorkAnswer>;
}
