import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import pg, { type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { typeOrmOptions } from './database.module.js';
import { lockUntilCommit } from './advisory-locks.js';
import { CoalescedWork } from '../coalesced-work.js';
import { handleFor } from '../turns/owner.js';
import { assertNothingHeld, GuardedPool, watchTransactions } from './held-connections.js';
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

describe('who waits for a connection', () => {
  const CONNECTIONS = 8;
  let database: TestDatabase;
  let pool: GuardedPool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new GuardedPool({
      connectionString: database.url,
      max: CONNECTIONS,
      connectionTimeoutMillis: 2_000,
    });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const by = <Result>(name: string, work: () => Promise<Result>, isOrder = false): Promise<Result> =>
    handleFor({ user: { accountOwner: name }, isOrder }, work);
  /** Takes connections of an owner until `release`, or until none is left for it. */
  const holding = async (name: string, count: number): Promise<() => void> => {
    const clients = await Promise.all(Array.from({ length: count }, () => by(name, () => pool.connect())));
    return () => {
      for (const client of clients) client.release();
    };
  };

  it('waits for a query, and not for all queries that another has sent', async () => {
    const one = new GuardedPool({ connectionString: database.url, max: 1 });
    let done = 0;
    const all = Array.from({ length: 60 }, () =>
      by('user:1', () => one.query('SELECT pg_sleep(0.001)')).then(() => done++),
    );
    await by('user:2', () => one.query('SELECT 1'));
    expect(done).toBeLessThanOrEqual(2);
    await Promise.all(all);
    await one.end();
  });

  it('gets no more than half of what reads have, and leaves the rest to others', async () => {
    const release = await holding('user:1', 3);
    const fourth = by('user:1', () => pool.query('SELECT 4'));
    await by('user:2', () => pool.query('SELECT 1'));
    release();
    expect((await fourth).rowCount).toBe(1);
  });

  it('finds connections on the path of orders that reads cannot take', async () => {
    const releases = [await holding('user:1', 3), await holding('user:2', 3)];
    let hasRead = false;
    const read = by('user:3', () => pool.query('SELECT 1')).then(() => (hasRead = true));
    await by('user:3', () => pool.query('SELECT 1'), true);
    expect(hasRead).toBe(false);
    for (const release of releases) release();
    await read;
  });

  it('is told when it has waited for too long, and the turn goes on', async () => {
    const releases = [await holding('user:1', 3), await holding('user:2', 3)];
    await expect(by('user:3', () => pool.query('SELECT 1'))).rejects.toThrow('timeout exceeded');
    for (const release of releases) release();
    await by('user:3', () => pool.query('SELECT 1'));
  });

  it('takes up one answer of many rows in a turn of the event loop, and others meanwhile theirs', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const turnOfAnswer = (name: string, rows: number): Promise<number> =>
      by(name, () => pool.query('SELECT generate_series(1, $1::integer)', [rows])).then(({ rowCount }) => {
        expect(rowCount).toBe(rows);
        return turn;
      });
    // All connections are open, so that all answers are there when the loop goes on.
    for (const release of [await holding('user:1', 3), await holding('user:2', 3)]) release();
    const large = Array.from({ length: 3 }, () => turnOfAnswer('user:1', 500));
    const small = Array.from({ length: 3 }, () => turnOfAnswer('user:2', 1));
    await new Promise(setImmediate);
    const untilMs = performance.now() + 200;
    while (performance.now() < untilMs);
    const [turnsOfLarge, turnsOfSmall] = [await Promise.all(large), await Promise.all(small)];
    isOver = true;
    expect(new Set(turnsOfLarge).size).toBe(3);
    expect(Math.max(...turnsOfSmall)).toBeLessThan(Math.max(...turnsOfLarge));
  });

  it('keeps the errors and the streams of its queries', async () => {
    await expect(by('user:1', () => pool.query('SELECT 1 / 0'))).rejects.toThrow('division by zero');
    const client = await by('user:1', () => pool.connect());
    await expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    const query = new pg.Query('SELECT generate_series(1, 3) AS number');
    const rows: unknown[] = [];
    query.on('row', (row) => rows.push(row));
    const end = once(query, 'end');
    client.query(query);
    await end;
    client.release();
    expect(rows).toHaveLength(3);
  });

  it('shares what is done for all who wait: it is nobody’s turn', async () => {
    const release = await holding('user:1', 3);
    const shared = new CoalescedWork(() => pool.query('SELECT 1'));
    await by('user:1', () => shared.take());
    release();
  });
});

describe('transactions of one owner that wait for each other', () => {
  const TRANSACTIONS = 12;
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    source = await watchTransactions(new DataSource(typeOrmOptions(database.url)), 'refused').initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('wait without a connection, and not for too long, while their owner and others read', async () => {
    const by = <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
      handleFor({ user: { accountOwner: name } }, work);
    let done = 0;
    const all = Array.from({ length: TRANSACTIONS }, () =>
      by('user:1', () =>
        source.transaction(async (manager) => {
          await lockUntilCommit(manager, 'of user 1');
          await manager.query('SELECT pg_sleep(0.05)');
        }),
      ).then(() => done++),
    );
    await by('user:1', () => source.query('SELECT 1'));
    await by('user:2', () => source.transaction((manager) => manager.query('SELECT 1')));
    expect(done).toBeLessThan(TRANSACTIONS / 2);
    await Promise.all(all);
    expect(done).toBe(TRANSACTIONS);
  });
});
