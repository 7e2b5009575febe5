import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DatabaseConnection } from '../database/database-connection.js';
import { SessionLock } from '../database/session-lock.js';

/** "jobs" in ASCII: the key of the advisory lock. */
const LOCK_KEY = 0x6a6f_6273;

/** How soon another process takes over, and how soon this one tries again after its connection broke. */
const TRY_EVERY_MS = 1_000;

/** What one process at a time does in the background. */
export interface LeaderDuty {
  /**
   * Nobody else does it any more: what a dead process left half done may be taken up. Where it cannot go on
   * later, `resign` ends all duties, and this process or another begins anew.
   */
  begin(resign: () => void): Promise<void>;
  /** Resolves once nothing of it runs here any more. */
  end(): Promise<void>;
}

/**
 * One process does the background work of a database: the one that has the lock of it. A process that loses the
 * lock ends its duties, but may still be at them when the next one begins: what they do is safe to be done twice.
 */
@Injectable()
export class JobLeader implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Jobs');
  private readonly duties: LeaderDuty[] = [];
  private readonly stopping = new AbortController();
  private campaign: Promise<void> = Promise.resolve();

  constructor(private readonly connection: DatabaseConnection) {}

  /** To be called before the service has started. */
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
          await this.lead(Promise.race([lock.lost, stopped])).finally(() => lock.release());
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
      // A duty that is still beginning cannot be ended yet.
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
