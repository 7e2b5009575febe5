import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { typeOrmOptions } from './database.module.js';
import { assertNothingHeld, watchTransactions } from './held-connections.js';
import { createPgPool } from './pg-pool.js';
import { inTransaction } from './transaction.js';

describe('who holds a connection', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPgPool(database.url);
    source = await watchTransactions(new DataSource(typeOrmOptions(database.url)), 'refused').initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });

  const holders: [string, (work: () => Promise<unknown>) => Promise<unknown>][] = [
    ['by TypeORM', (work) => source.transaction(work)],
    ['by TypeORM, isolated', (work) => source.transaction('REPEATABLE READ', work)],
    ['of the pool', (work) => inTransaction(pool, work)],
  ];
  const seekers: [string, () => Promise<unknown>][] = [
    ['a query of the pool', () => pool.query('SELECT 1')],
    ['a client of the pool', () => pool.connect()],
    ['a query of TypeORM', () => source.query('SELECT 1')],
    ['another transaction', () => source.transaction(() => Promise.resolve())],
  ];
  const combinations = holders.flatMap(([by, hold]) =>
    seekers.map(([what, seek]) => [by, what, hold, seek] as const),
  );

  it.each(combinations)('%s is refused %s', async (_by, _what, hold, seek) => {
    await expect(hold(seek)).rejects.toThrow(/held-connections\.spec\.ts.* waits for a second connection/);
  });

  it('may use the one that it has, and savepoints in it', async () => {
    const [row] = await source.transaction((manager) =>
      manager.transaction((inner) => inner.query<[{ one: number }]>('SELECT 1 AS one')),
    );
    expect(row.one).toBe(1);
  });

  it('is not told from who runs beside it, or longer', async () => {
    let later!: () => void;
    const afterwards = new Promise<void>((resolve) => (later = resolve)).then(() => pool.query('SELECT 1'));
    let ran: Promise<unknown> | undefined;
    await Promise.all([
      source.transaction(() => {
        ran = new Promise((resolve) => setTimeout(resolve, 50)).then(() => pool.query('SELECT 1'));
        return Promise.resolve();
      }),
      pool.query('SELECT 1'),
    ]);
    later();
    await Promise.all([afterwards, ran]);
  });

  it('is only told of in production, once a place', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const lenient = await watchTransactions(
      new DataSource(typeOrmOptions(database.url)),
      'logged',
    ).initialize();
    const wait = () => assertNothingHeld('something');
    for (let time = 0; time < 3; time++) {
      await lenient.transaction(async () => {
        wait();
        await pool.query('SELECT 1');
      });
    }
    expect(warn.mock.calls.map(([message]) => message as string)).toEqual([
      expect.stringContaining('waits for something'),
      expect.stringContaining('waits for a second connection'),
    ]);
    warn.mockRestore();
    await lenient.destroy();
  });
});
