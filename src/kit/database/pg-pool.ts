import { Logger } from '@nestjs/common';
import type pg from 'pg';
import { GuardedPool, type SecondConnections } from './held-connections.js';
import { PrimaryClient } from './primary-client.js';

/** The token of the `pg.Pool` for plain SQL that reads, or writes tables that the core does not own. */
export const PG_POOL = Symbol('PG_POOL');

/** Visible in `pg_stat_activity`. */
export const APPLICATION_NAME = 'tradepost';

export const PG_POOL_CONNECTIONS_MAX = 16;
export const TYPEORM_CONNECTIONS_MAX = 8;

/** Limits of every pooled connection: a request fails instead of hanging, and no transaction stays open. */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  lock_timeout: 10_000,
  // Longer than the server's own limit, which gives the better error; this one is for an unreachable server.
  query_timeout: 35_000,
  keepAlive: true,
} as const satisfies pg.PoolConfig;

export function createPgPool(
  url: string,
  second: SecondConnections = 'refused',
  connectionsMax = PG_POOL_CONNECTIONS_MAX,
): pg.Pool {
  const pool = new GuardedPool({
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: connectionsMax,
    Client: PrimaryClient,
    ...CONNECTION_LIMITS,
  });
  pool.second = second;
  pool.on('error', reportLostConnection);
  // Like `PrimaryClient`, but in the form that the job queue looks for in its pools.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Idle connections close when the server restarts; the pool opens new ones, so this only logs. */
export function reportLostConnection(error: Error): void {
  new Logger('Database').warn(`An idle connection was lost: ${error.message}`);
}
