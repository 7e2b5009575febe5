import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { Config } from '../config/config.js';
import { StartRefusal } from '../config/start-refusal.js';
import { assertDurable } from './durability.js';
import { EmbeddedPostgres, type RunningPostgres } from './embedded/embedded-postgres.js';
import { APPLICATION_NAME } from './pg-pool.js';
import { PrimaryClient } from './primary-client.js';
import { isDatabaseUnavailable } from './unavailable.js';

/** How long to wait for the operator's database, as when both start with the machine. */
const STARTUP_PATIENCE_MS = 30_000;
const RETRY_MS = 500;

/**
 * The one database of the process, embedded or the operator's. Inject it to open connections besides `PG_POOL` and
 * TypeORM; close them before `onApplicationShutdown`.
 */
export class DatabaseConnection {
  private constructor(
    /** May contain a password: never log it. */
    readonly url: string,
    private readonly embedded: RunningPostgres | undefined,
  ) {}

  /**
   * Starts or adopts the embedded server, or waits for the operator's, and checks that its commits are durable.
   * @throws StartRefusal with one line that gives the reason
   */
  static async open(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<DatabaseConnection> {
    const logger = new Logger('Database');
    if (config.databaseUrl !== undefined) {
      await inspect(config.databaseUrl, STARTUP_PATIENCE_MS);
      return new DatabaseConnection(config.databaseUrl, undefined);
    }
    const embedded = await new EmbeddedPostgres({ dataDir: config.dataDir, logger }).start();
    try {
      await inspect(embedded.url, 0);
    } catch (error) {
      await embedded.stop();
      throw error;
    }
    return new DatabaseConnection(embedded.url, embedded);
  }

  /**
   * Resolves when the embedded server answers again after a crash; at once for the operator's, which the service does
   * not start.
   */
  async ensureRunning(): Promise<void> {
    await this.embedded?.ensureRunning();
  }

  /** Stops the embedded server unless another process uses it. Close all connections before. */
  async close(): Promise<void> {
    await this.embedded?.stop();
  }
}

async function inspect(url: string, patienceMs: number): Promise<void> {
  const client = await connect(url, performance.now() + patienceMs);
  try {
    await assertDurable(client);
  } finally {
    await client.end();
  }
}

async function connect(url: string, deadlineMs: number): Promise<pg.Client> {
  for (;;) {
    const client = new PrimaryClient({
      connectionString: url,
      application_name: APPLICATION_NAME,
      connectionTimeoutMillis: 5_000,
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isDatabaseUnavailable(error) || performance.now() > deadlineMs) {
        const { message, code } = error as { message: string; code?: string };
        throw new StartRefusal(`DATABASE_URL cannot be connected to: ${message || code}.`, { cause: error });
      }
      await delay(RETRY_MS);
    }
  }
}
