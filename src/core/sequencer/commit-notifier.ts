/** Notifies listeners of committed batches, and answers their requests. */
import { invariant } from '../../domain/invariant.js';
import { loopTurns } from '../../kit/turns/loop-turns.js';
import type { CommitListeners } from '../view/commit-listeners.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import type { Waiting } from './work-queue.js';

export class CommitNotifier {
  /** Commits that readers see and listeners do not know of yet. */
  private pending = 0;

  constructor(private readonly listeners: CommitListeners) {}

  /** Whether listeners know of everything that readers see. */
  get hasNotifiedAll(): boolean {
    return this.pending === 0;
  }

  /**
   * Listeners come first, and then those who asked. That waits until the next batch is on its way, so that the
   * database has work meanwhile; then `before` comes first of all.
   */
  notify(
    batch: readonly Waiting[],
    { notification, answers, journal }: PreparedBatch,
    before?: () => void,
  ): void {
    invariant(
      answers.length === batch.length,
      'whoever asked of a batch gets one answer',
      answers.length,
      batch.length,
    );
    if (notification !== null) this.pending++;
    setImmediate(() => {
      before?.();
      if (notification !== null) {
        const trace = journal?.trace;
        this.listeners.notify(trace === undefined ? notification : { ...notification, trace });
        this.pending--;
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
