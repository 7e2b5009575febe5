import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openPool } from '../../../test/support/pool.js';
import type { SignedJournalHead } from '../../domain/proof/journal-head.js';
import { inTransaction } from '../../kit/database/transaction.js';
import { purge } from '../../kit/jobs/purges.js';
import { insertHead, JournalHeads, OLD_HEADS } from './journal-heads.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

it('keeps all heads for a month, and of older ones the first of each hour', async () => {
  const hour = Math.floor((Date.now() - 40 * DAY_MS) / HOUR_MS) * HOUR_MS;
  const minutes = (count: number): number => hour + count * 60_000;
  const times = [minutes(5), minutes(30), minutes(59), minutes(60), minutes(61), Date.now(), Date.now()];
  for (const [index, timeMs] of times.entries()) {
    const head = { tree_size: index + 1, height: index + 1, time: new Date(timeMs).toISOString() };
    await inTransaction(pool, (client) => insertHead(client, head as SignedJournalHead));
  }
  const heads = new JournalHeads(pool);
  const kept = async (): Promise<number[]> => (await heads.from(1, 100)).map(({ height }) => height);
  expect(await kept()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await purge(pool, OLD_HEADS)).toBe(3);
  expect(await kept()).toEqual([1, 4, 6, 7]);
  expect(await heads.newest()).toMatchObject({ height: 7 });
});
