import pg from 'pg';
import { PrimaryClient } from './primary-client.js';
import { jobLogger } from './job-logger.js';

/** Brings the tables of the job queue up to date, which have a schema and migrations of their own. */
export async function migrateJobTables(url: string): Promise<void> {
  const { runMigrations } = await import('graphile-worker');
  const pool = new pg.Pool({ connectionString: url, max: 1, Client: PrimaryClient });
  // It asks for listeners that outlive its own.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool, logger: await jobLogger(), noHandleSignals: true });
  } finally {
    await pool.end();
  }
}
