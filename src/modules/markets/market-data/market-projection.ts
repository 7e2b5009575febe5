import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { CoreService } from '../../../core/core.service.js';
import { NOBODY } from '../../../core/commit-listeners.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { IdleWork } from '../../../core/idle-work.js';
import { ApiError } from '../../../platform/http/errors.js';
import { CommitGaps } from './commit-gaps.js';

/** How many steps a reader waits for before it is refused and must retry. */
const STEPS_PER_READ_MAX = 10;
/** How many steps a reader waits for that could also do without them. */
const STEPS_IN_PASSING_MAX = 1;
/** Events that are not in the table yet. */
interface Backlog {
  /** Events committed since the last step began; only those that this process saw. */
  seen: number;
  /** Whether the last step reached the end; before that, this process may lack some events. */
  isComplete: boolean;
  running: Promise<boolean> | null;
  /** Whether it is being worked off to its end because a reader had to be sent away. */
  isRebuilding: boolean;
}

/**
 * Keeps a table up to date with commits, market by market. A durable cursor for each market makes every event count
 * once across restarts. Readers catch the table up first; busy markets are caught up while the writer is idle, so that
 * readers seldom wait long.
 */
export abstract class MarketProjection implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(this.constructor.name);
  private readonly backlogs = new Map<string, Backlog>();
  private readonly gaps = new CommitGaps();
  private unsubscribe: () => void = () => undefined;
  private isStopped = false;
  private readonly idleWork: IdleWork;
  /** Markets with a whole step of events. */
  private readonly due = new Set<string>();

  /**
   * `what` names the table's content in messages; `stepEvents` is how many events one step folds at most, and
   * `eventsBehindMax` how many a market may be behind while the writer is busy.
   */
  protected constructor(
    private readonly core: CoreService,
    private readonly what: string,
    private readonly stepEvents: number,
    private readonly eventsBehindMax: number,
  ) {
    this.idleWork = new IdleWork(core, () => this.stepNextDue());
  }

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => this.count(batch), NOBODY);
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    this.isStopped = true;
    this.idleWork.stop();
    await Promise.allSettled([...this.backlogs.values()].flatMap((backlog) => backlog.running ?? []));
  }

  /** Resolves once everything committed before the call is in the table. Throws `temporarily_unavailable`. */
  async catchUp(marketId: string): Promise<void> {
    if (await this.advanceBy(STEPS_PER_READ_MAX, marketId)) return;
    this.catchUpLater(marketId);
    throw new ApiError(
      'temporarily_unavailable',
      `${this.what} of this market are being rebuilt. Try again in a few seconds.`,
      { headers: { 'Retry-After': '2' } },
    );
  }

  /** Answers whether everything committed before the call is in the table, or could be brought there at once. */
  async isCaughtUp(marketId: string): Promise<boolean> {
    const { seen } = this.backlogOf(marketId);
    return seen <= STEPS_IN_PASSING_MAX * this.stepEvents && this.advanceBy(STEPS_IN_PASSING_MAX, marketId);
  }

  /** Catches up in the background, however busy the writer is. */
  catchUpLater(marketId: string): void {
    this.inBackground(marketId, this.rebuild(marketId, this.backlogOf(marketId)));
  }

  /** Folds the next events of a market, `stepEvents` at most, and moves its cursor; answers how many there were. */
  protected abstract fold(marketId: string): Promise<number>;

  /** Takes up to `stepsMax` steps, and returns whether the table is complete. */
  private async advanceBy(stepsMax: number, marketId: string): Promise<boolean> {
    const backlog = this.backlogOf(marketId);
    if (backlog.isComplete && backlog.seen === 0) return true;
    // A step that is running may have begun before the event that the caller knows of; later ones see it.
    await backlog.running;
    for (let step = 0; step < stepsMax; step++) {
      if (await this.step(marketId, backlog)) return true;
    }
    return false;
  }

  /** The market of each event in the batch that concerns the table. */
  protected *eventsIn(batch: CommittedBatch): Iterable<string> {
    for (const trade of batch.trades) yield trade.marketId;
  }

  private count(batch: CommittedBatch): void {
    if (this.gaps.missedBefore(batch)) {
      // Counted as one at least, so that the next reader looks for itself.
      for (const backlog of this.backlogs.values()) backlog.seen++;
    }
    for (const marketId of this.eventsIn(batch)) {
      const backlog = this.backlogOf(marketId);
      backlog.seen++;
      if (backlog.seen < this.stepEvents) continue;
      this.due.add(marketId);
      this.idleWork.request();
      if (backlog.seen >= this.eventsBehindMax && backlog.running === null) {
        this.inBackground(marketId, this.step(marketId, backlog));
      }
    }
  }

  /** One step of a market that has one to do; answers whether there are others. */
  private async stepNextDue(): Promise<boolean> {
    const [marketId] = this.due;
    if (marketId === undefined) return false;
    const backlog = this.backlogOf(marketId);
    // Whether it fails or has more to do, others come first.
    this.due.delete(marketId);
    const step = this.step(marketId, backlog);
    this.inBackground(marketId, step);
    await step.catch(() => undefined);
    if (backlog.seen >= this.stepEvents) this.due.add(marketId);
    return this.due.size > 0;
  }

  /** Continues to the end, so that a refused reader finds it done at its retry. */
  private async rebuild(marketId: string, backlog: Backlog): Promise<void> {
    if (backlog.isRebuilding) return;
    backlog.isRebuilding = true;
    try {
      while (!this.isStopped && !(await this.step(marketId, backlog)));
    } finally {
      backlog.isRebuilding = false;
    }
  }

  private inBackground(marketId: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.logger.warn(`${this.what} of ${marketId} will be caught up later: ${String(error)}`);
    });
  }

  /** One step, or the one that is running; tells whether it reached the last event. */
  private step(marketId: string, backlog: Backlog): Promise<boolean> {
    backlog.running ??= this.advance(marketId, backlog).finally(() => {
      backlog.running = null;
    });
    return backlog.running;
  }

  private async advance(marketId: string, backlog: Backlog): Promise<boolean> {
    const seenBefore = backlog.seen;
    // Events are published when durable; the tables have them a moment later.
    await this.core.projected();
    const events = await this.fold(marketId);
    const reachedEnd = events < this.stepEvents;
    backlog.isComplete = reachedEnd;
    // Events that arrived meanwhile may be in already: counting them again costs one empty step.
    backlog.seen -= reachedEnd ? seenBefore : Math.min(events, seenBefore);
    return reachedEnd;
  }

  private backlogOf(marketId: string): Backlog {
    let backlog = this.backlogs.get(marketId);
    if (backlog === undefined) {
      backlog = { seen: 0, isComplete: false, running: null, isRebuilding: false };
      this.backlogs.set(marketId, backlog);
    }
    return backlog;
  }
}
