import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { StartRefusal } from '../config/start-refusal.js';
import { migrateJobTables } from './job-tables.js';
import { PrimaryClient, typeOrmServer } from './primary-client.js';

/** Processes that start together migrate one after the other; the later ones find nothing to do. */
const MIGRATION_LOCK = 7_301_544_002;
const MIGRATION_NAME = 'tradepost-migrations';

export type MigrationClass = new () => MigrationInterface;

/** Given the names of the migrations that are done; what it throws stops the start. */
export type InspectMigrations = (areDone: ReadonlySet<string>) => void;

/**
 * Migrates the schema, each migration in its own transaction, and that of the job queue.
 * @returns the names of the migrations that ran
 * @throws StartRefusal that names the migration that failed; those before it stay done
 */
export async function migrate(
  url: string,
  migrations: readonly MigrationClass[],
  inspectMigrations?: InspectMigrations,
): Promise<readonly string[]> {
  try {
    return await withMigrations(url, async (areDone) => {
      inspectMigrations?.(areDone);
      // Usually nothing is to do, which is found out faster so than by TypeORM.
      const isUpToDate = migrations.every((migration) => areDone.has(nameOf(migration)));
      const ran = isUpToDate ? [] : await runMigrations(url, migrations);
      await migrateJobTables(url);
      return ran;
    });
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw new StartRefusal(`The database could not be migrated: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Work with the names of the migrations that are done, while nobody else migrates. */
export async function withMigrations<T>(
  url: string,
  work: (areDone: ReadonlySet<string>, client: pg.Client) => Promise<T>,
): Promise<T> {
  const lock = new PrimaryClient({ connectionString: url, application_name: MIGRATION_NAME });
  try {
    await lock.connect();
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(await namesOfDone(lock), lock);
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
