import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onClient } from '../../../test/support/core.js';
import { createTestDatabase, inDatabase, type TestDatabase } from '../../../test/support/database.js';
import { tryLockSession, unlockSession } from './advisory-locks.js';
import { SessionLock } from './session-lock.js';

const KEY = [7, 'ethereum'] as const;

describe('a session lock', () => {
  let database: TestDatabase;
  let locks: SessionLock[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(locks.map((lock) => lock.release()));
    locks = [];
  });
  afterAll(() => database.drop());

  function newLock(key: SessionLock['options']['key'] = KEY): SessionLock {
    const lock = new SessionLock({ url: database.url, applicationName: 'tradepost-lock', key });
    locks.push(lock);
    return lock;
  }

  const sessions = () =>
    onClient(database.url, async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE application_name = 'tradepost-lock' AND datname = current_database()`,
      );
      return rows.length;
    });

  it('is held by one at a time, and by the next once it is given back', async () => {
    const [first, second] = [newLock(), newLock()];
    expect(await first.take()).toBe(true);
    expect(await first.take()).toBe(true);
    expect(await second.take()).toBe(false);
    expect(await newLock([7, 'bitcoin']).take()).toBe(true);
    expect(await newLock(7).take()).toBe(true);
    const { lost } = first;
    await first.release();
    await lost;
    expect(await second.take()).toBe(true);
  });

  it('keeps one connection for all attempts', async () => {
    const [first, second] = [newLock(), newLock()];
    await first.take();
    for (let i = 0; i < 5; i++) expect(await second.take()).toBe(false);
    expect(await sessions()).toBe(2);
    await second.release();
    await expect.poll(sessions, { timeout: 30_000 }).toBe(1);
  });

  it('is lost with its connection, and can be taken again', async () => {
    const lock = newLock();
    await lock.take();
    const { lost } = lock;
    await onClient(database.url, (client) =>
      client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'tradepost-lock' AND datname = current_database()`,
      ),
    );
    await lost;
    await expect.poll(() => lock.take(), { timeout: 30_000 }).toBe(true);
  });

  it('rejects where the database cannot be asked, and leaves nothing behind', async () => {
    const lock = new SessionLock({
      url: inDatabase(database.url, 'nowhere'),
      applicationName: 'tradepost-lock',
      key: KEY,
    });
    await expect(lock.take()).rejects.toThrow('nowhere');
    await expect(lock.take()).rejects.toThrow('nowhere');
    await lock.release();
  });

  it('is the same lock for whoever takes it on a connection of their own', async () => {
    await onClient(database.url, async (client) => {
      expect(await tryLockSession(client, KEY)).toBe(true);
      const lock = newLock();
      expect(await lock.take()).toBe(false);
      await unlockSession(client, KEY);
      expect(await lock.take()).toBe(true);
    });
  });
});
