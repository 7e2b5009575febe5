import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openPool } from '../../../test/support/pool.js';
import { inTransaction } from '../database/transaction.js';
import type { AgreedTime } from './agreed-time.js';
import { purge, type PurgedRows, Purges } from './purges.js';

const OLD: PurgedRows = {
  table: 'things',
  key: ['kind', 'name'],
  over: `made_at < now() - interval '1 day'`,
  orderBy: 'made_at',
};

describe('purges', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    await pool.query(
      'CREATE TABLE things (kind text, name text, made_at timestamptz, PRIMARY KEY (kind, name))',
    );
  });
  /** Ten of each kind, made a day apart; two are young. */
  beforeEach(async () => {
    await pool.query(`TRUNCATE things;
      INSERT INTO things SELECT kind, day::text, now() - day * interval '23 hours'
      FROM generate_series(0, 9) day, (VALUES ('a'), ('b')) kinds (kind)`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const left = async (): Promise<string[]> =>
    (await pool.query<{ name: string }>('SELECT kind || name AS name FROM things ORDER BY 1')).rows.map(
      ({ name }) => name,
    );

  it('delete what is over and nothing else, the oldest first, no more than asked for', async () => {
    expect(await purge(pool, OLD, 3)).toBe(3);
    expect(await left()).toHaveLength(17);
    expect(await left()).toEqual(expect.not.arrayContaining(['a9', 'b9']));
    expect(await purge(pool, OLD, 100)).toBe(13);
    expect(await purge(pool, OLD, 100)).toBe(0);
    expect(await left()).toEqual(['a0', 'a1', 'b0', 'b1']);
  });

  it('wait for nobody, and leave what somebody else has locked', async () => {
    await inTransaction(pool, async (client) => {
      await client.query(`SELECT FROM things WHERE kind = 'a' AND name = '5' FOR UPDATE`);
      expect(await purge(pool, OLD, 100)).toBe(15);
    });
    expect(await left()).toEqual(['a0', 'a1', 'a5', 'b0', 'b1']);
  });

  it('go table by table, one that fails keeps none of the others, and say whether more is left', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const purges = new Purges(pool, {} as AgreedTime);
    purges.add({ ...OLD, table: 'nothing' }, OLD);
    await pool.query(`INSERT INTO things SELECT 'c', n::text, '2020-01-01' FROM generate_series(1, 5000) n`);
    expect(await purges.purgeNext()).toBe(true);
    expect(await purges.purgeNext()).toBe(false);
    expect(await left()).toEqual(['a0', 'a1', 'b0', 'b1']);
    expect(warn).toHaveBeenCalledTimes(2);
    warn.mockRestore();
  });
});
