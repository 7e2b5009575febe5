import pg from 'pg';
import type { DatabaseHost } from '../config/database-hosts.js';
import { GuardedPool, whileHolding } from './held-connections.js';
import { CONNECTION_LIMITS } from './pg-pool.js';

/** Visible in `pg_stat_activity` of the standby. */
export const READS_APPLICATION_NAME = 'tradepost-reads';
const PROBE_APPLICATION_NAME = 'tradepost-reads-probe';

const CONNECTIONS_MAX = 8;
/** Queries that take longer are repeated on the primary. */
const QUERY_MS_MAX = 2_000;
const CONNECT_MS_MAX = 1_000;

/** Connections to a server that is only read, and need not be the primary. */
export class StandbyConnections {
  private pool: pg.Pool;

  constructor(private readonly host: DatabaseHost) {
    this.pool = createPool(host);
  }

  /** Runs the work on a connection of its own, which is closed if the work fails. */
  async use<Result>(work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let isSound = false;
    try {
      const result = await whileHolding('refused', () => work(client));
      isSound = true;
      return result;
    } finally {
      client.release(!isSound);
    }
  }

  /** The same on a new connection, which is closed in any case. */
  async useOnce<Result>(work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({
      connectionString: this.host.url,
      application_name: PROBE_APPLICATION_NAME,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: QUERY_MS_MAX,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      // A frozen server never confirms the end.
      client.end().catch(() => undefined);
      setTimeout(() => client.connection.stream.destroy(), CONNECT_MS_MAX).unref();
    }
  }

  /** Makes later connections new ones: any existing one may hang. */
  renew(): void {
    this.pool.end().catch(() => undefined);
    this.pool = createPool(this.host);
  }

  async end(): Promise<void> {
    await this.pool.end();
  }
}

function createPool({ url }: DatabaseHost): pg.Pool {
  const pool = new GuardedPool({
    connectionString: url,
    application_name: READS_APPLICATION_NAME,
    max: CONNECTIONS_MAX,
    ...CONNECTION_LIMITS,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: QUERY_MS_MAX,
    query_timeout: QUERY_MS_MAX,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
