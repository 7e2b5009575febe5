import type { ClientBase } from 'pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '../../../test/support/database.js';
import { StartRefusal } from '../config/start-refusal.js';
import { DatabaseConnection } from './database-connection.js';
import { assertDurable } from './durability.js';

describe('assertDurable', () => {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes'];
  const clientWith = (off: string): ClientBase => {
    const rows = names.map((name) => ({ name, setting: name === off ? 'off' : 'on' }));
    return { query: () => Promise.resolve({ rows }) } as unknown as ClientBase;
  };

  it.each(names)('refuses %s = off and names it', async (name) => {
    await expect(assertDurable(clientWith(name))).rejects.toThrow(new RegExp(`${name} = off`));
  });
});

describe('DatabaseConnection', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  const open = (databaseUrl: string) => DatabaseConnection.open({ databaseUrl, dataDir: '/nowhere' });

  it('opens a database that is durable', async () => {
    const connection = await open(database.url);
    expect(connection.url).toBe(database.url);
    await connection.close();
  });

  it('refuses one in which commits are not, whoever turned it off', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`ALTER DATABASE ${client.database} SET synchronous_commit = off`);
    await client.end();
    await expect(open(database.url)).rejects.toThrow(/synchronous_commit = off/);
  });

  it('refuses one that does not exist in one line without the password', async () => {
    const url = new URL(database.url);
    url.pathname = '/missing';
    url.password = 'hunter2';
    const error: unknown = await open(url.href).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartRefusal);
    expect((error as Error).message).toBe(
      'DATABASE_URL cannot be connected to: database "missing" does not exist.',
    );
  });
});
