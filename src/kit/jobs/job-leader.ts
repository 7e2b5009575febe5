import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DatabaseConnection } from '../database/database-connection.js';
import { SessionLock } from '../database/session-lock.js';

/** "jobs" in ASCII: the key of the advisory lock. */
const LOCK_KEY = 0x6a6f_6273;

/** The longest time until another process takes over, and until this one retries after its connection broke. */
const TRY_EVERY_MS = 1_000;

/** Background work of the leading process. */
export interface LeaderDuty {
  /**
   * Starts; no other process does this work now, so work that a dead process left may be resumed. If it cannot continue
   * later, `resign` ends all duties, and this process or another starts again.
   */
  begin(resign: () => void): Promise<void>;
  /** Resolves when the work has stopped here. */
  end(): Promise<void>;
}

/**
 * Elects the one process that does the background work of a database: the holder of its lock. A process that loses the
 * lock ends its duties, but may still be working when the next one begins, so the work must be idempotent.
 */
@Injectable()
export class JobLeader implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Jobs');
  private readonly duties: LeaderDuty[] = [];
  private readonly stopping = new AbortController();
  private campaign: Promise<void> = Promise.resolve();

  constructor(private readonly connection: DatabaseConnection) {}

  /** For what modules declare in `duties`, before the service has started. */
  assume(duty: LeaderDuty): void {
    this.duties.push(duty);
  }

  onApplicationBootstrap(): void {
    this.campaign = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.campaign;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const lock = new SessionLock({
      url: this.connection.url,
      applicationName: 'tradepost-jobs',
      key: LOCK_KEY,
    });
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      try {
        if ((await lock.take()) && !this.stopping.signal.aborted) {
          try {
            await this.lead(Promise.race([lock.lost, stopped]));
          } finally {
            await lock.release();
          }
        }
      } catch (error) {
        this.logger.warn({ err: error, msg: 'background work could not begin' });
      }
      await delay(TRY_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    await lock.release();
  }

  private async lead(over: Promise<void>): Promise<void> {
    const begun: LeaderDuty[] = [];
    const ended = new AbortController();
    let beginning: Promise<void> = Promise.resolve();
    try {
      await new Promise<void>((resolve, reject) => {
        void over.then(resolve);
        beginning = this.beginAll(begun, resolve, ended.signal);
        beginning.catch(reject);
      });
    } finally {
      ended.abort();
      // A duty that is still starting cannot be ended yet.
      await beginning.catch(() => undefined);
      await Promise.all(begun.map((duty) => duty.end()));
    }
  }

  private async beginAll(begun: LeaderDuty[], resign: () => void, ended: AbortSignal): Promise<void> {
    for (const duty of this.duties) {
      if (ended.aborted) return;
      begun.push(duty);
      await duty.begin(resign);
    }
  }
}
