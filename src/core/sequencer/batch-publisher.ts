/** Publishes committed batches to listeners, and answers their requests. */
import { loopTurns } from '../../kit/turns/loop-turns.js';
import type { CommitListeners } from '../view/commit-listeners.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import type { Waiting } from './work-queue.js';

export class BatchPublisher {
  /** Commits that readers see and listeners do not know of yet. */
  private unpublished = 0;

  constructor(private readonly listeners: CommitListeners) {}

  /** Whether listeners know of everything that readers see. */
  get hasPublishedAll(): boolean {
    return this.unpublished === 0;
  }

  /**
   * Listeners come first, and then those who asked. That waits until the next batch is on its way, so that the
   * database has work meanwhile; then `before` comes first of all.
   */
  publish(
    batch: readonly Waiting[],
    { publication, answers, journal }: PreparedBatch,
    before?: () => void,
  ): void {
    if (publication !== null) this.unpublished++;
    setImmediate(() => {
      before?.();
      if (publication !== null) {
        const trace = journal?.trace;
        this.listeners.publish(trace === undefined ? publication : { ...publication, trace });
        this.unpublished--;
      }
      batch.forEach(({ owner, resolve }, index) => {
        // Each answer is some work on its way out.
        const turn = loopTurns.turnOf(owner, { isEnd: true });
        const answer = answers[index]!;
        if (turn === undefined) resolve(answer);
        else void turn.then(() => resolve(answer));
      });
    });
  }
}
