/** Listeners to commits: called after the commit is durable, in commit order. */
import type { CommittedBatch } from './views.js';

export type CommitListener = (batch: CommittedBatch) => void;

/** What a listener gets in detail: the orders and balances of these accounts. */
export type Interest = (accountId: number) => boolean;
/** For listeners to whom orders and balances say nothing. */
export const NOBODY: Interest = () => false;
export const EVERYBODY: Interest = () => true;

/** The listener's interest in orders and balances of an account; null without listeners. */
export type Audience = Interest | null;

export class CommitListeners {
  private readonly listeners = new Map<CommitListener, Interest>();

  constructor(private readonly onFailure: (error: unknown) => void) {}

  add(listener: CommitListener, interest: Interest): () => void {
    this.listeners.set(listener, interest);
    return () => this.listeners.delete(listener);
  }

  get audience(): Audience {
    if (this.listeners.size === 0) return null;
    const interests = [...this.listeners.values()].filter((interest) => interest !== NOBODY);
    return (accountId) => interests.some((interest) => interest(accountId));
  }

  /**
   * Notifies listeners of where the journal stands, as a batch without changes: those who have missed commits notice it now, and
   * not only with the next one.
   */
  notifyPlace(sequence: number, timeMs: number): void {
    this.notify({
      firstSequence: sequence + 1,
      lastSequence: sequence,
      timeMs,
      trades: [],
      setLegs: [],
      orders: [],
      books: [],
      transfers: [],
      balances: [],
      accountSequences: new Map(),
      changedAccountIds: [],
      marketIds: [],
    });
  }

  /** One that fails keeps no other from its batch. */
  notify(batch: CommittedBatch): void {
    for (const listener of this.listeners.keys()) {
      try {
        listener(batch);
      } catch (error) {
        this.onFailure(error);
      }
    }
  }
}
