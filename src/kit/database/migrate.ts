import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { StartRefusal } from '../config/start-refusal.js';
import { migrateJobTables } from './job-tables.js';
import { PrimaryClient, typeOrmServer } from './primary-client.js';

/** Processes that start together migrate one after the other; the later ones find nothing to do. */
const MIGRATION_LOCK = 7_301_544_002;
const MIGRATION_NAME = 'tradepost-migrations';

export type MigrationClass = new () => MigrationInterface;

/**
 * Migrates the schema, each migration in its own transaction, and that of the job queue.
 * @returns the names of the migrations that ran
 * @throws StartRefusal that names the migration that failed; those before it stay done
 */
export async function migrate(
  url: string,
  migrations: readonly MigrationClass[],
): Promise<readonly string[]> {
  const lock = new PrimaryClient({ connectionString: url, application_name: MIGRATION_NAME });
  try {
    await lock.connect();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // Usually nothing is to do; this query finds it out faster than TypeORM.
    const areDone = await namesOfDone(lock);
    const isUpToDate = migrations.every((migration) => areDone.has(nameOf(migration)));
    const ran = isUpToDate ? [] : await runMigrations(url, migrations);
    await migrateJobTables(url);
    return ran;
  } catch (error) {
    throw new StartRefusal(`The database could not be migrated: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    // Releases the lock too.
    await lock.end();
  }
}

async function namesOfDone(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows: tables } = await client.query(`SELECT 1 WHERE to_regclass('migrations') IS NOT NULL`);
  if (tables.length === 0) return new Set();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
  return new Set(rows.map(({ name }) => name));
}

/** The name under which TypeORM stores it. */
function nameOf(migration: MigrationClass): string {
  return new migration().name ?? migration.name;
}

async function runMigrations(url: string, migrations: readonly MigrationClass[]): Promise<readonly string[]> {
  // Its own connection: migrating a large table may take longer than a request may.
  const dataSource = new DataSource({
    type: 'postgres',
    driver: pg,
    ...typeOrmServer(url),
    applicationName: MIGRATION_NAME,
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    uuidExtension: 'pgcrypto',
    poolSize: 2,
  });
  await dataSource.initialize();
  try {
    const done = await dataSource.runMigrations();
    return done.map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
}
