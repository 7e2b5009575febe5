import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated template that test databases are cloned from; nobody may stay connected to it. */
    templateDatabaseUrl: string;
    /** A folder that is removed when the run ends. */
    runFolder: string;
  }
}

export interface TestDatabase {
  readonly url: string;
  /** Removes it, even while there are connections; those that are closing are waited for. */
  drop(): Promise<void>;
}

/** A database with all tables and no rows, for one spec file or one test. `template` may name another one to clone. */
export async function createTestDatabase(template?: string): Promise<TestDatabase> {
  const templateUrl = inject('templateDatabaseUrl');
  // The cost reporter reads from the name whose database a backend serves.
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await onServer(templateUrl, (client) =>
    // Half of what the log of each page would cost.
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template ?? nameOf(templateUrl)} STRATEGY FILE_COPY`),
  );
  return {
    url: inDatabase(templateUrl, name),
    drop: () => dropDatabase(templateUrl, name),
  };
}

/** Makes a template for all workers of a run, by the first of them that needs it. */
export function makeTemplate(name: string, fill: (url: string) => Promise<void>): Promise<void> {
  return oneAtATime(name, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    const database = await createTestDatabase();
    try {
      await fill(database.url);
      await client.query(`ALTER DATABASE ${nameOf(database.url)} RENAME TO ${name}`);
    } catch (error) {
      await database.drop();
      throw error;
    }
  });
}

/** Does what the workers of a run must not do at the same time. */
export async function oneAtATime(name: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  await onServer(inject('templateDatabaseUrl'), async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    await work(client);
  });
}

/** The address of another database on the same server. */
export function inDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/**
 * `end` of a pool resolves before its connections are closed. One that is told of the drop at that moment has no error
 * listener anymore, and the message would be an uncaught exception of whichever spec runs then.
 */
async function dropDatabase(url: string, name: string): Promise<void> {
  await onServer(url, async (client) => {
    const patience = performance.now() + CLOSING_MS_MAX;
    const isInUse = async (): Promise<boolean> =>
      (await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [name])).rowCount !== 0;
    while (performance.now() < patience && (await isInUse())) await sleep(5);
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

/** Connections that are closing are gone within milliseconds; what is left after this is open on purpose. */
const CLOSING_MS_MAX = 1_000;

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: inDatabase(url, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
