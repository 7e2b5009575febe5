import { DataSource, type MigrationInterface } from 'typeorm';
import { StartRefusal } from '../config/start-refusal.js';
import { migrateJobTables } from '../jobs/job-tables.js';

/** Processes that start together migrate one after the other; the later ones find nothing left to do. */
const MIGRATION_LOCK = 7_301_544_002;

export type MigrationClass = new () => MigrationInterface;

/**
 * Brings the schema up to date, each migration in a transaction of its own, and that of the job queue.
 * @returns the names of the migrations that ran
 * @throws StartRefusal that names what failed; those before it stay done
 */
export async function migrate(
  url: string,
  migrations: readonly MigrationClass[],
): Promise<readonly string[]> {
  // Apart from the service's own pools: a migration of a large table may take longer than any request.
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'tradepost-migrations',
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    uuidExtension: 'pgcrypto',
    poolSize: 2,
  });
  try {
    await dataSource.initialize();
    const lock = dataSource.createQueryRunner();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await dataSource.runMigrations();
    await migrateJobTables(url);
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
    return done.map(({ name }) => name);
  } catch (error) {
    throw new StartRefusal(`The database could not be migrated: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    // Ends the lock too, where something failed while it was held.
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}
