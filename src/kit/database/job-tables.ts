import pg from 'pg';
import { PrimaryClient } from './primary-client.js';
import { jobLogger } from './job-logger.js';

/** Migrates the tables of the job queue, which have their own schema and migrations. */
export async function migrateJobTables(url: string): Promise<void> {
  const { runMigrations } = await import('graphile-worker');
  const pool = new pg.Pool({ connectionString: url, max: 1, Client: PrimaryClient });
  // The library wants error listeners that outlive its own.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool, logger: await jobLogger(), noHandleSignals: true });
  } finally {
    await pool.end();
  }
}
