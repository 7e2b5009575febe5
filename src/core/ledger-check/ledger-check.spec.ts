import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  EVENT,
  eventually,
  type Floor,
  limit,
  openFloor,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { LedgerCheck } from './ledger-check.js';

describe('LedgerCheck', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let core: TestCore;
  let floor: Floor;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    for (let index = 0; index < 5; index++) {
      await core.place(limit(floor.ann, 'sell', 100 + index, 10));
      await core.place(limit(floor.bob, 'buy', 100 + index, 7));
      await core.place(limit(floor.cat, 'buy', 40, 5, { marketId: EVENT }));
      await core.place(limit(floor.ann, 'sell', 40, 4, { marketId: EVENT }));
    }
    await core.run({
      type: 'place_hold',
      ownerKind: 'payout',
      ownerId: 'p',
      accountId: floor.ann,
      asset: 'USD',
      amount: '12.5',
    });
  });
  afterAll(async () => {
    await core.stop();
    await pool.end();
    await database.drop();
  });

  const newCheck = () => new LedgerCheck(core.followed, pool, new MetricsRegistry());
  /** What the checks find in damaged tables; the damage is undone. */
  const problemsOf = async (damage: string, repair: string): Promise<string> => {
    await pool.query(damage);
    try {
      const { balanced, problems } = await newCheck().check();
      expect(balanced).toBe(false);
      return problems.join('\n');
    } finally {
      await pool.query(repair);
    }
  };
  /** Damages only tables that no pending write will touch. */
  beforeEach(() => core.sequencer.freshTerm().projected());
  const finished = async (check: LedgerCheck) => {
    await eventually(() => check.checkAll().status !== 'running', 'the sum over all history is done');
    return check.checkAll();
  };

  it('finds nothing in books that balance, at the state hash of the running core', async () => {
    const result = await newCheck().check();
    expect(result).toMatchObject({
      balanced: true,
      problems: [],
      sequence: core.sequencer.freshTerm().sequence,
      stateHash: core.stateHash(),
    });
    const usd = result.assets.find(({ asset }) => asset === 'USD')!;
    expect(usd).toMatchObject({ total: '0', inside: '3000000', held: usd.liveHolds });
    expect(Number(usd.held)).toBeGreaterThan(12.5);
  });

  it('holds while orders are being placed', async () => {
    let isOver = false;
    const trading = (async () => {
      for (let index = 0; !isOver; index++) {
        await Promise.all([
          core.place(limit(floor.ann, 'sell', 200 + (index % 7), 3)),
          core.place(limit(floor.bob, 'buy', 203, 2)),
        ]);
      }
    })();
    const check = newCheck();
    for (let round = 0; round < 10; round++)
      expect(await check.check()).toMatchObject({ balanced: true, problems: [] });
    isOver = true;
    await trading;
  });

  it('finds money that came from nowhere', async () => {
    const account = `WHERE account_id = ${floor.ann} AND asset = 'USD'`;
    const problems = await problemsOf(
      `UPDATE balances SET available = available + 1000000000000000000 ${account}`,
      `UPDATE balances SET available = available - 1000000000000000000 ${account}`,
    );
    expect(problems).toContain('All USD together are 1, not 0.');
    expect(problems).toContain('The stored balances differ from the running state');
  });

  it('finds money that went from one to another without an entry', async () => {
    const move = (units: string) =>
      `UPDATE balances SET available = available + CASE account_id WHEN ${floor.ann} THEN ${units} ELSE -(${units}) END
       WHERE asset = 'USD' AND account_id IN (${floor.ann}, ${floor.bob})`;
    const check = newCheck();
    await pool.query(move('5'));
    expect((await check.check()).problems).toEqual([expect.stringContaining('The stored balances differ')]);
    const full = await finished(check);
    await pool.query(move('-5'));
    expect(full).toMatchObject({ status: 'done', balanced: false, progress: 1 });
    expect(full.problems).toHaveLength(2);
    expect(full.problems[0]).toMatch(/its entries sum to/);
  });

  it('finds held money without a hold, and a hold without held money', async () => {
    const freed = await problemsOf(
      `UPDATE holds SET amount = amount - 1`,
      `UPDATE holds SET amount = amount + 1`,
    );
    expect(freed).toContain(`Account ${floor.ann} holds another amount of USD than its live holds.`);
    expect(freed).toContain('The stored holds differ');
    const shifted = await problemsOf(
      `UPDATE orders SET held = held + 1 WHERE status IN ('open', 'partially_filled') AND side = 'sell' AND market_id = '${SPOT}'`,
      `UPDATE orders SET held = held - 1 WHERE status IN ('open', 'partially_filled') AND side = 'sell' AND market_id = '${SPOT}'`,
    );
    expect(shifted).toContain('of BTC than its live holds');
    expect(shifted).toContain('BTC are held for live holds of');
  });

  it('finds contracts that no pool pays for', async () => {
    const where = `WHERE account_id = ${floor.cat} AND market_id = '${EVENT}'`;
    const problems = await problemsOf(
      `UPDATE positions SET size_lots = size_lots + 1 ${where}`,
      `UPDATE positions SET size_lots = size_lots - 1 ${where}`,
    );
    expect(problems).toContain(`The pool of ${EVENT} does not equal its open interest.`);
    expect(problems).toContain('The stored positions differ');
  });

  it('finds orders and books that are not the running state', async () => {
    const orders = `WHERE status IN ('open', 'partially_filled') AND market_id = '${SPOT}'`;
    expect(
      await problemsOf(
        `UPDATE orders SET queue_sequence = queue_sequence + 1 ${orders}`,
        `UPDATE orders SET queue_sequence = queue_sequence - 1 ${orders}`,
      ),
    ).toContain('The stored orders differ');
    expect(
      await problemsOf(
        'UPDATE market_books SET last_price_ticks = last_price_ticks + 1',
        'UPDATE market_books SET last_price_ticks = last_price_ticks - 1',
      ),
    ).toContain('The stored markets differ');
  });

  it('finds rows whose account is missing', async () => {
    const problems = await problemsOf(
      `UPDATE accounts SET account_id = -1 WHERE account_id = ${floor.cat}`,
      `UPDATE accounts SET account_id = ${floor.cat} WHERE account_id = -1`,
    );
    expect(problems).toBe(
      `The tables are torn: account ${floor.cat} is referred to, but its row is missing.`,
    );
  });

  it('sums all history in the background and keeps the result for a while', async () => {
    const check = newCheck();
    expect(check.checkAll()).toMatchObject({ status: 'running', progress: 0, balanced: null });
    const done = await finished(check);
    expect(done).toMatchObject({ status: 'done', progress: 1, balanced: true, problems: [] });
    expect(done.sequence).toBeGreaterThan(0);
    expect(check.checkAll()).toBe(done);
  });
});
