/** What waits for the single writer, in the order in which it runs. */
import type { ServiceFailure } from '../../platform/coded-error.js';
import { monotonicMs } from '../command-clock.js';
import { outcomeUnknown, unavailable } from '../failures.js';
import type { Work, WorkAnswer } from '../term/work.js';

/** Commands that may wait, in whatever number of requests. */
export const QUEUE_MAX = 10_000;
export const COMMANDS_PER_BATCH_MAX = 1_000;
/** How long a request may wait for a leader before its caller is asked to come again. */
const LEADERLESS_WAIT_MS = 5_000;
const ATTEMPTS_MAX = 3;

export interface Waiting {
  readonly work: Work;
  /** On the monotonic clock. */
  readonly queuedAtMs: number;
  readonly resolve: (answer: WorkAnswer) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
  /** Its batch failed on its data, so it runs by itself now: if it fails again, it was the one. */
  alone: boolean;
}

export class WorkQueue {
  private waiting: Waiting[] = [];
  /** Those that wait, and those that run. */
  private readonly unanswered = new Set<Waiting>();
  /** Commands of all requests that are not answered yet. */
  private commands = 0;

  /** Commands that are not answered yet, whether they wait or run. */
  get depth(): number {
    return this.commands;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  get first(): Waiting | undefined {
    return this.waiting[0];
  }

  /** Rejects where too many commands wait already. */
  add(work: Work, onAdded: () => void): Promise<WorkAnswer> {
    const commands = countCommands(work);
    if (this.commands > 0 && this.commands + commands > QUEUE_MAX)
      return Promise.reject(unavailable('Too many commands wait already. Slow down.'));
    this.commands += commands;
    let waiting: Waiting | undefined;
    return new Promise<WorkAnswer>((resolve, reject) => {
      waiting = { work, queuedAtMs: monotonicMs(), resolve, reject, attempts: 0, alone: false };
      this.unanswered.add(waiting);
      this.waiting.push(waiting);
      onAdded();
    }).finally(() => {
      this.commands -= commands;
      this.unanswered.delete(waiting!);
    });
  }

  /** Runs before all others and alone; nobody waits for its answer. */
  addFirst(work: Work): void {
    const ignore = (): void => undefined;
    const queuedAtMs = monotonicMs();
    this.waiting.unshift({ work, queuedAtMs, resolve: ignore, reject: ignore, attempts: 0, alone: true });
  }

  /** The next that run together. */
  takeBatch(): Waiting[] {
    const first = this.waiting[0];
    if (first === undefined) return [];
    if (first.alone) return this.waiting.splice(0, 1);
    let commands = 0;
    let count = 0;
    for (const waiting of this.waiting) {
      commands += countCommands(waiting.work);
      if (waiting.alone || (count > 0 && commands > COMMANDS_PER_BATCH_MAX)) break;
      count++;
    }
    if (count === this.waiting.length) {
      const all = this.waiting;
      this.waiting = [];
      return all;
    }
    return this.waiting.splice(0, count);
  }

  /** Those who came later wait behind them, but for what runs by itself. */
  putBack(batch: readonly Waiting[]): void {
    const last = batch.at(-1);
    if (last === undefined) return;
    const place = this.waiting.findIndex(({ alone, queuedAtMs }) => !alone && queuedAtMs > last.queuedAtMs);
    this.waiting.splice(place === -1 ? this.waiting.length : place, 0, ...batch);
  }

  /** They run again, each by itself where `alone` says so; one that was tried too often is refused. */
  requeue(batch: readonly Waiting[], alone: boolean): void {
    const again: Waiting[] = [];
    for (const waiting of batch) {
      waiting.attempts++;
      waiting.alone ||= alone;
      if (waiting.attempts < ATTEMPTS_MAX) again.push(waiting);
      else waiting.reject(unavailable('The request could not be completed. Try again in a moment.'));
    }
    this.waiting.unshift(...again);
  }

  /** Refuses those that have waited for too long. */
  refuseOld(message: string): void {
    const oldest = monotonicMs() - LEADERLESS_WAIT_MS;
    while (this.waiting[0] !== undefined && this.waiting[0].queuedAtMs < oldest) {
      this.waiting.shift()!.reject(unavailable(message));
    }
  }

  /** The same wherever they are: what runs already goes on, and its key answers a repeat. */
  answerOld(message: string): void {
    this.refuseOld(message);
    const oldest = monotonicMs() - LEADERLESS_WAIT_MS;
    for (const { work, queuedAtMs, reject } of this.unanswered) {
      if (queuedAtMs < oldest) reject(work.kind === 'request' ? outcomeUnknown() : unavailable(message));
    }
  }

  refuseAll(error: ServiceFailure): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }

  /** Lets somebody else answer all that waits. */
  handOver(forward: (work: Work) => Promise<WorkAnswer>): void {
    for (const { work, resolve, reject } of this.waiting.splice(0)) forward(work).then(resolve, reject);
  }
}

function countCommands(work: Work): number {
  return work.kind === 'request' ? work.request.commands.length : 1;
}
