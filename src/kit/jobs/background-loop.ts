import { Logger } from '@nestjs/common';
import type { AgreedTime } from './agreed-time.js';
import type { LeaderDuty } from './job-leader.js';

export interface BackgroundLoopOptions {
  /** In messages, such as `Order webhooks`. */
  readonly name: string;
  /** A run begins at least this often. */
  readonly everyMs: number;
  /** How long the first request that no run has taken up waits, so that those that follow closely are done with it. */
  readonly gatherMs?: number;
  /** Whether the first run begins after `everyMs` only, and not at once. */
  readonly isFirstLater?: boolean;
  /** Whether this process leads what the work is about; runs are left out while it does not. */
  readonly leads?: () => boolean;
  /** Given where time alone makes the work: runs are left out while it is in doubt. */
  readonly time?: Pick<AgreedTime, 'isAgreed'>;
}

/** What a run may know about itself. */
export interface BackgroundRun {
  /** Nothing has been done since the beginning: what a dead process left half done may be taken up. */
  readonly isFirst: boolean;
  /** Aborts when the loop is to end. */
  readonly signal: AbortSignal;
}

/**
 * Runs background work again and again, one run at a time: every so often, at once where a run has left something,
 * and soon after somebody requests one. What fails is tried again in the next run.
 */
export class BackgroundLoop implements LeaderDuty {
  private readonly logger: Logger;
  private stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** When the first request came since the last run began; null where none did. */
  private requestedAtMs: number | null = null;
  private wake: () => void = () => undefined;

  /** `work` does a bounded piece of work and answers whether more is left. */
  constructor(
    private readonly options: BackgroundLoopOptions,
    private readonly work: (run: BackgroundRun) => Promise<boolean>,
  ) {
    this.logger = new Logger(options.name);
  }

  /** Where it has begun already, it begins anew. */
  async begin(): Promise<void> {
    await this.end();
    this.stopping = new AbortController();
    this.running = this.loop(this.stopping.signal);
  }

  get hasEnded(): boolean {
    return this.stopping.signal.aborted;
  }

  async end(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  /** There is something to do. */
  request(): void {
    if (this.requestedAtMs !== null) return;
    this.requestedAtMs = performance.now();
    this.wake();
  }

  private async loop(signal: AbortSignal): Promise<void> {
    const { leads = () => true, isFirstLater = false } = this.options;
    if (isFirstLater) await this.pause(signal);
    let isFirst = true;
    while (!signal.aborted) {
      let isMoreLeft = false;
      this.requestedAtMs = null;
      if (leads()) {
        isMoreLeft = await this.tryRun({ isFirst, signal });
        isFirst = false;
      }
      if (!isMoreLeft) await this.pause(signal);
    }
  }

  private async tryRun(run: BackgroundRun): Promise<boolean> {
    const { time } = this.options;
    try {
      if (time !== undefined && !(await time.isAgreed())) return false;
      return await this.work(run);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'a run has failed and is tried again' });
      return false;
    }
  }

  private async pause(signal: AbortSignal): Promise<void> {
    const { everyMs, gatherMs = 0 } = this.options;
    if (this.requestedAtMs === null) await this.sleep(everyMs, signal);
    if (this.requestedAtMs !== null)
      await this.sleep(Math.max(0, this.requestedAtMs + gatherMs - performance.now()), signal);
  }

  /** Until the first request or the end, if they come before. */
  private async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
