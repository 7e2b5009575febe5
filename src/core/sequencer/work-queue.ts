/** What waits for the single writer, in the order in which it runs. */
import type { ServiceFailure } from '../../kit/coded-error.js';
import { monotonicMs } from '../clock/command-clock.js';
import { CommandCounts } from '../requests/command-counts.js';
import { nameOf, type Owner, SERVICE } from '../../kit/turns/owner.js';
import { presentTrace } from '../../kit/tracing/tracing.js';
import { Turns } from '../../kit/turns/turns.js';
import { outcomeUnknown, unavailable } from '../requests/failures.js';
import { cancelsAll, isCancellation, type Work, type WorkAnswer } from '../requests/work.js';

/** Commands that may wait, in whatever number of requests. */
export const QUEUE_MAX = 10_000;
/** Cancellations that may wait besides: who is refused everything else can still get out. */
export const CANCELLATIONS_MAX = QUEUE_MAX / 10;
export const COMMANDS_PER_BATCH_MAX = 1_000;
/** How long a request may wait for a leader before its caller is asked to come again. */
const LEADERLESS_WAIT_MS = 5_000;
const ATTEMPTS_MAX = 3;

export interface Waiting {
  /** In the order in which they came. */
  readonly number: number;
  readonly owner: Owner;
  readonly work: Work;
  /** Of the command; undefined where it is not traced. */
  readonly trace: string | undefined;
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
  private readonly commands = new CommandCounts(QUEUE_MAX);
  /** Owners in the last batch, where that could not take all. */
  private served: ReadonlySet<string> = new Set();
  private lastNumber = 0;

  /** Commands that are not answered yet, whether they wait or run. */
  get depth(): number {
    return this.commands.all;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  get first(): Waiting | undefined {
    return this.waiting[0];
  }

  /** Rejects where too many commands wait already, in all or of the owner. */
  add(work: Work, owner: Owner, onAdded: () => void): Promise<WorkAnswer> {
    const commands = countCommands(work);
    const besides = isCancellation(work) ? CANCELLATIONS_MAX : 0;
    const refusal = this.commands.refusalOf(owner, commands, besides);
    if (refusal !== undefined) return Promise.reject(refusal);
    this.commands.change(owner, commands);
    return new Promise<WorkAnswer>((resolve, reject) => {
      const waiting: Waiting = {
        number: ++this.lastNumber,
        owner,
        work,
        trace: presentTrace(),
        queuedAtMs: monotonicMs(),
        resolve: (answer) => {
          answered();
          resolve(answer);
        },
        reject: (error) => {
          answered();
          reject(error);
        },
        attempts: 0,
        alone: false,
      };
      // Rejected while it ran, it may be answered once more.
      const answered = (): void => {
        if (this.unanswered.delete(waiting)) this.commands.change(owner, -commands);
      };
      this.unanswered.add(waiting);
      this.waiting.push(waiting);
      onAdded();
    });
  }

  /** Runs before all others and alone; nobody waits for its answer. */
  addFirst(work: Work): void {
    const ignore = (): void => undefined;
    const queuedAtMs = monotonicMs();
    const answered = { resolve: ignore, reject: ignore };
    this.waiting.unshift({
      number: 0,
      owner: SERVICE,
      work,
      trace: undefined,
      queuedAtMs,
      ...answered,
      attempts: 0,
      alone: true,
    });
  }

  /** The next that run together: all that wait, or what owners get by turns where that is too much. */
  takeBatch(): Waiting[] {
    const first = this.waiting[0];
    if (first === undefined) return [];
    if (first.alone) return this.waiting.splice(0, 1);
    let commands = 0;
    let count = 0;
    for (const waiting of this.waiting) {
      commands += countCommands(waiting.work);
      if (count > 0 && commands > COMMANDS_PER_BATCH_MAX) break;
      count++;
    }
    if (count === this.waiting.length) {
      const all = this.waiting;
      this.waiting = [];
      return all;
    }
    return this.takeByTurns();
  }

  /**
   * Cancellations, which run although everything else waits. One of all orders comes after what its owner sent before,
   * so that it cancels that, too.
   */
  takeCancellations(): Waiting[] {
    if (this.first?.alone === true) return [];
    const keptWaiting = new Set<string>();
    const batch: Waiting[] = [];
    let commands = 0;
    for (const waiting of this.waiting) {
      const { work, owner } = waiting;
      const isNext = isCancellation(work) && !(cancelsAll(work) && keptWaiting.has(nameOf(owner)));
      if (!isNext) keptWaiting.add(nameOf(owner));
      else if ((commands += countCommands(work)) <= COMMANDS_PER_BATCH_MAX) batch.push(waiting);
    }
    return this.takeOut(new Set(batch));
  }

  /** In the order in which they came. Who was passed over in the last batch comes first in this one. */
  private takeByTurns(): Waiting[] {
    const turns = new Turns<Waiting>();
    const wasServed = ({ owner }: Waiting): boolean => this.served.has(nameOf(owner));
    for (const waiting of this.waiting) if (!wasServed(waiting)) turns.add(waiting.owner, waiting);
    for (const waiting of this.waiting) if (wasServed(waiting)) turns.add(waiting.owner, waiting);
    const taken = new Set<Waiting>();
    let commands = 0;
    for (let next = turns.next(); next !== undefined; next = turns.next()) {
      commands += countCommands(next.work);
      if (taken.size > 0 && commands > COMMANDS_PER_BATCH_MAX) break;
      taken.add(next);
    }
    this.served = new Set([...taken].map(({ owner }) => nameOf(owner)));
    return this.takeOut(taken);
  }

  private takeOut(taken: ReadonlySet<Waiting>): Waiting[] {
    if (taken.size === 0) return [];
    const batch = this.waiting.filter((waiting) => taken.has(waiting));
    this.waiting = this.waiting.filter((waiting) => !taken.has(waiting));
    return batch;
  }

  /** To where they were. */
  putBack(batch: readonly Waiting[]): void {
    this.waiting.push(...batch);
    this.waiting.sort((one, other) => Number(other.alone) - Number(one.alone) || one.number - other.number);
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
    this.putBack(again);
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
