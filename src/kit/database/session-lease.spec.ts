import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { leaseSession } from './session-lease.js';

describe('the lease of a session', () => {
  let database: TestDatabase;
  const clients: pg.Client[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    await database.drop();
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }

  async function lock(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(1) AS locked');
    return rows[0]!.locked;
  }

  it('frees the locks of a process that says nothing any more', async () => {
    const [first, second] = [await connect(), await connect()];
    let hasEnded = false;
    first.once('end', () => (hasEnded = true));
    const fallSilent = await leaseSession(first);
    expect(await lock(first)).toBe(true);
    expect(await lock(second)).toBe(false);
    fallSilent();
    await eventually(() => lock(second), 'the lock is free');
    await eventually(() => hasEnded, 'its holder hears of it');
  });
});
