import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DatabaseConnection } from '../database/database-connection.js';
import { PrimaryClient } from '../database/primary-client.js';
import { leaseSession } from '../database/session-lease.js';

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
 * One process does the background work of a database: the one that holds an advisory lock on a connection of
 * its own, so that whoever dies frees it at once, and whoever stands still after some seconds. A process that
 * loses its connection ends its duties, but may still be at them when the next one begins: what they do is safe to
 * be done twice.
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
    while (!signal.aborted) {
      await this.serve().catch((error: unknown) => {
        this.logger.warn({ err: error, msg: 'background work could not begin' });
      });
      await delay(TRY_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Waits for the lock, and does the duties for as long as it is held. */
  private async serve(): Promise<void> {
    const client = new PrimaryClient({
      connectionString: this.connection.url,
      application_name: 'tradepost-jobs',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
    });
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    const stopped = new Promise<void>((resolve) => {
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      await client.connect();
      if (!(await this.locked(client))) return;
      await leaseSession(client);
      await this.lead(Promise.race([lost, stopped]));
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async locked(client: PrimaryClient): Promise<boolean> {
    for (;;) {
      if (this.stopping.signal.aborted) return false;
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
        LOCK_KEY,
      ]);
      if (rows[0]!.locked) return true;
      await delay(TRY_EVERY_MS, undefined, { signal: this.stopping.signal, ref: false }).catch(
        () => undefined,
      );
    }
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
