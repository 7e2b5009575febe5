import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated database that test databases are cloned from; nobody may stay connected to it. */
    templateDatabaseUrl: string;
  }
}

export interface TestDatabase {
  readonly url: string;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

/** A database with all tables and no rows, for one spec file or one test. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const templateUrl = inject('templateDatabaseUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(templateUrl, `CREATE DATABASE ${name} TEMPLATE ${new URL(templateUrl).pathname.slice(1)}`);
  return {
    url: inDatabase(templateUrl, name),
    drop: () => onServer(templateUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** The address of another database on the same server. */
export function inDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inDatabase(url, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
