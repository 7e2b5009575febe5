import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { LeaderDuty } from './job-leader.js';

export interface RoundsOptions {
  /** In messages, such as `Order webhooks`. */
  readonly name: string;
  /** A round begins at least this often. */
  readonly everyMs: number;
  /** How long after it was asked for a round begins, so that what follows closely is done with it. */
  readonly gatherMs?: number;
  /** Whether the first round begins after `everyMs` only, and not at once. */
  readonly isFirstLater?: boolean;
  /** Whether this process leads what the work is about; rounds are left out while it does not. */
  readonly leads?: () => boolean;
}

/** What a round may know about itself. */
export interface Round {
  /** Nothing has been done since the beginning: what a dead process left half done may be taken up. */
  readonly isFirst: boolean;
  /** Aborts when the rounds are to end. */
  readonly signal: AbortSignal;
}

/**
 * Background work in rounds, one at a time: every so often, at once where a round has left something, and
 * soon after somebody asks for one. One that fails is tried again in the next.
 */
export class Rounds implements LeaderDuty {
  private readonly logger: Logger;
  private stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isRequested = false;
  private wake: () => void = () => undefined;

  /** `round` does a bounded piece of work and answers whether more is left. */
  constructor(
    private readonly options: RoundsOptions,
    private readonly round: (round: Round) => Promise<boolean>,
  ) {
    this.logger = new Logger(options.name);
  }

  /** Where they have begun already, they begin anew. */
  async begin(): Promise<void> {
    await this.end();
    this.stopping = new AbortController();
    this.running = this.run(this.stopping.signal);
  }

  async end(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  /** There is something to do. */
  request(): void {
    this.isRequested = true;
    this.wake();
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { leads = () => true, isFirstLater = false } = this.options;
    if (isFirstLater) await this.pause(signal);
    let isFirst = true;
    while (!signal.aborted) {
      let isMoreLeft = false;
      if (leads()) {
        isMoreLeft = await this.tryRound({ isFirst, signal });
        isFirst = false;
      }
      if (!isMoreLeft) await this.pause(signal);
    }
  }

  private async tryRound(round: Round): Promise<boolean> {
    try {
      return await this.round(round);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'a round has failed and is tried again' });
      return false;
    }
  }

  private async pause(signal: AbortSignal): Promise<void> {
    const { everyMs, gatherMs = 0 } = this.options;
    if (!this.isRequested && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (this.isRequested) await delay(gatherMs, undefined, { signal }).catch(() => undefined);
    this.isRequested = false;
  }
}
