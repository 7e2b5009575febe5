/** Tells committed batches to those who follow commits, and answers those who asked for them. */
import type { CommitListeners } from '../commit-listeners.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import type { Waiting } from './work-queue.js';

export class ToldBatches {
  /** Commits that readers see and listeners do not know of yet. */
  private untold = 0;

  constructor(private readonly listeners: CommitListeners) {}

  /** Whether listeners know of everything that readers see. */
  get areAll(): boolean {
    return this.untold === 0;
  }

  /**
   * Listeners are told first, and then those who asked. That waits until the next batch is on its way, so that the
   * database has work meanwhile; then `before` comes first of all.
   */
  tell(batch: readonly Waiting[], { told, answers }: PreparedBatch, before?: () => void): void {
    if (told !== null) this.untold++;
    setImmediate(() => {
      before?.();
      if (told !== null) {
        this.listeners.tell(told);
        this.untold--;
      }
      batch.forEach((waiting, index) => waiting.resolve(answers[index]!));
    });
  }
}
