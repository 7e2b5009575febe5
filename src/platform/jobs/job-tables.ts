import { runMigrations } from 'graphile-worker';
import { jobLogger } from './job-logger.js';

/** Brings the tables of the job queue up to date, which have a schema and migrations of their own. */
export async function migrateJobTables(url: string): Promise<void> {
  await runMigrations({ connectionString: url, maxPoolSize: 1, logger: jobLogger(), noHandleSignals: true });
}
