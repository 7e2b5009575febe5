import fc from 'fast-check';
import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { openPool } from '../../../../test/support/pool.js';
import type { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { Followers } from '../../../core/followers/followers.js';
import { MergeMarks1780000002760 } from '../../../migrations/1780000002760-merge-marks.js';
import { BalanceHistory, MARKS_CURSOR, marksBetween, STRETCH } from './balance-history.js';

const NOBODY_TELLS = {
  onCommitted: () => () => undefined,
  projected: () => Promise.resolve(),
} as unknown as CoreService;

interface Move {
  readonly at: number;
  readonly debit: number;
  readonly credit: number;
  readonly asset: string;
  readonly units: bigint;
}

describe('balances of past moments', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('TRUNCATE transfers, balance_marks; DELETE FROM journal_cursors');
  });

  /** Stores the transfers with the balances after them, as the core does. */
  async function store(moves: readonly Move[]): Promise<void> {
    const balances = new Map<string, bigint>();
    const change = (account: number, asset: string, units: bigint): string => {
      const after = (balances.get(`${account}:${asset}`) ?? 0n) + units;
      balances.set(`${account}:${asset}`, after);
      return after.toString();
    };
    const rows = moves.map(({ at, debit, credit, asset, units }) => ({
      transfer_id: at,
      debit_account_id: debit,
      credit_account_id: credit,
      asset,
      amount: units.toString(),
      reason: 'transfer',
      reference: '',
      debit_balance_after: change(debit, asset, -units),
      credit_balance_after: change(credit, asset, units),
      created_at: new Date(at),
    }));
    await pool.query('INSERT INTO transfers SELECT * FROM json_populate_recordset(NULL::transfers, $1)', [
      JSON.stringify(rows),
    ]);
  }

  function expected(moves: readonly Move[], account: number, asset: string, sequence: number): bigint {
    return moves
      .filter((move) => move.asset === asset && move.at <= sequence)
      .reduce((sum, { debit, credit, units }) => {
        return sum + (credit === account ? units : 0n) - (debit === account ? units : 0n);
      }, 0n);
  }

  const move = fc.record({
    // Far apart, and often at the very ends of stretches.
    at: fc.oneof(
      fc.integer({ min: 1, max: 3 * STRETCH }),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -1, max: 1 }))
        .map(([n, d]) => n * STRETCH + d),
    ),
    debit: fc.integer({ min: 1, max: 2 }),
    credit: fc.integer({ min: 3, max: 4 }),
    asset: fc.constantFrom('BTC', 'USD'),
    units: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  });

  it('are the sum of all transfers until then, wherever the moment lies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(move, { selector: ({ at }) => at, minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 3 * STRETCH }), { minLength: 3, maxLength: 6 }),
        async (unsorted, others) => {
          await pool.query('TRUNCATE transfers, balance_marks; DELETE FROM journal_cursors');
          const moves = unsorted.toSorted((a, b) => a.at - b.at);
          await store(moves);
          const history = new BalanceHistory(NOBODY_TELLS, pool, new Followers());
          for (const sequence of [...others, moves[0]!.at, moves.at(-1)!.at, STRETCH, 3 * STRETCH]) {
            for (const account of [1, 2, 3, 4]) {
              const found = await history.balancesAt(account, ['BTC', 'USD', 'ETH'], sequence);
              expect([...found].toSorted()).toEqual([
                ['BTC', expected(moves, account, 'BTC', sequence)],
                ['ETH', 0n],
                ['USD', expected(moves, account, 'USD', sequence)],
              ]);
            }
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are marked once, however many ask at once and whichever process asks', async () => {
    await store(
      Array.from({ length: 50 }, (_, i) => ({
        at: (i + 1) * 18_000,
        debit: 1,
        credit: 3,
        asset: 'USD',
        units: 1n,
      })),
    );
    const processes = [1, 2].map(() => new BalanceHistory(NOBODY_TELLS, pool, new Followers()));
    const found = await Promise.all(
      Array.from({ length: 20 }, (_, i) => processes[i % 2]!.balancesAt(3, ['USD'], 900_000)),
    );
    for (const balances of found) expect(balances.get('USD')).toBe(50n);
    const { rows } = await pool.query(
      'SELECT count(*)::int AS marks FROM balance_marks WHERE account_id = 3',
    );
    expect(rows).toEqual([{ marks: 3 }]);
  });

  it('are marked as soon as a stretch is over, and tell how long one has waited', async () => {
    let tell: (batch: CommittedBatch) => void = () => undefined;
    const core = {
      onCommitted: (listener: typeof tell) => {
        tell = listener;
        return () => undefined;
      },
      projected: () => Promise.resolve(),
    } as unknown as CoreService;
    const followers = new Followers();
    const history = new BalanceHistory(core, pool, followers);
    const reach = (lastSequence: number): void => tell({ lastSequence } as CommittedBatch);
    const lagMs = (): number => followers.lags[0]!.lagMs;
    const marked = async (): Promise<number> => {
      const { rows } = await pool.query<{ sequence: string }>('SELECT sequence FROM journal_cursors');
      return Number(rows[0]?.sequence ?? 0);
    };
    history.onModuleInit();
    reach(STRETCH - 1);
    expect(lagMs()).toBe(0);
    reach(STRETCH + 5);
    reach(3 * STRETCH - 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lagMs()).toBeGreaterThan(0);
    await history.onApplicationBootstrap();
    await eventually(() => expect(lagMs()).toBe(0));
    expect(await marked()).toBe(2 * STRETCH);

    await pool.query('ALTER TABLE journal_cursors RENAME TO no_cursors');
    reach(3 * STRETCH);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lagMs()).toBeGreaterThan(50);
    await pool.query('ALTER TABLE no_cursors RENAME TO journal_cursors');
    await eventually(() => expect(lagMs()).toBe(0));
    expect(await marked()).toBe(3 * STRETCH);
    await history.onModuleDestroy();
  });

  it('are prepared a bounded number of stretches at a time', async () => {
    const history = new BalanceHistory(NOBODY_TELLS, pool, new Followers());
    await expect(history.balancesAt(1, ['USD'], 11 * STRETCH)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await expect(history.balancesAt(1, ['USD'], 11 * STRETCH)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    expect((await history.balancesAt(1, ['USD'], 11 * STRETCH)).get('USD')).toBe(0n);
  });

  it('come from the nearest mark of a long history', async () => {
    await pool.query(
      `INSERT INTO transfers
       SELECT id, 1, 3, 'USD', 1, 'transfer', '', -id, id, to_timestamp(id) FROM generate_series(4, 800000, 4) id`,
    );
    const history = new BalanceHistory(NOBODY_TELLS, pool, new Followers());
    await history.balancesAt(1, ['USD'], 800_000);
    const { rows } = await pool.query<{ marks: number }>(
      'SELECT count(*)::int AS marks FROM balance_marks WHERE account_id = 1',
    );
    expect(rows[0]!.marks).toBe(3);
    for (const sequence of [4, STRETCH, STRETCH + 4, 2 * STRETCH - 144, 799_996]) {
      expect((await history.balancesAt(3, ['USD'], sequence)).get('USD')).toBe(BigInt(sequence));
    }
  });

  it('are the same marks where those of shorter stretches were merged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(move, { selector: ({ at }) => at, minLength: 1, maxLength: 60 }),
        fc.integer({ min: 0, max: 3 * STRETCH }),
        async (unsorted, marked) => {
          await pool.query('TRUNCATE transfers, balance_marks; DELETE FROM journal_cursors');
          await store(unsorted.toSorted((a, b) => a.at - b.at));
          const shorter = STRETCH / 4;
          const until = marked - (marked % shorter);
          const shorterMarks = marksBetween('0', '$1::int8').replaceAll(`${STRETCH}`, `${shorter}`);
          await pool.query(
            `INSERT INTO balance_marks (account_id, asset, sequence, balance) ${shorterMarks}`,
            [until],
          );
          await pool.query('INSERT INTO journal_cursors VALUES ($1, $2)', [MARKS_CURSOR, until]);
          await new MergeMarks1780000002760().up(pool as unknown as QueryRunner);
          const merged = until - (until % STRETCH);
          const [cursor] = (await pool.query('SELECT sequence::int FROM journal_cursors')).rows;
          expect(cursor).toEqual({ sequence: merged });
          const expectedMarks = await pool.query(marksBetween('0', `${merged}`));
          const { rows } = await pool.query(
            'SELECT account_id, asset, sequence, balance FROM balance_marks ORDER BY account_id, asset, sequence',
          );
          expect(rows).toEqual(expectedMarks.rows);
        },
      ),
      { numRuns: 30 },
    );
  });
});
