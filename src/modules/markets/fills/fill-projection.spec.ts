import fc from 'fast-check';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT, limit, openFloor, openTrader, SPOT, TestCore } from '../../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { closePool, openPool } from '../../../../test/support/pool.js';
import type { CoreService } from '../../../core/core.service.js';
import type { CorrectSettlement, SetMarketStatus } from '../../../domain/engine/commands.js';
import { FillProjection } from './fill-projection.js';

describe('fills', () => {
  let database: TestDatabase;
  let core: TestCore;
  let pool: Pool;
  let traders: number[];
  let projection: FillProjection;
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    const { ann, bob, cat } = await openFloor(core);
    traders = [ann, bob, cat, await openTrader(core, 'dan')];
    pool = openPool(database.url);
    projection = follow();
  });
  afterEach(async () => {
    await projection.onModuleDestroy();
    await closePool(pool);
    await core.stop();
    await database.drop();
  });

  /** A projection that hears of what this core commits. */
  function follow(): FillProjection {
    const started = new FillProjection(core.sequencer as unknown as CoreService, pool);
    started.onModuleInit();
    return started;
  }

  async function catchUp(): Promise<void> {
    for (const marketId of [SPOT, EVENT]) await projection.catchUp(marketId);
  }

  /** So many orders at random in both markets; what is refused is part of it. */
  async function trade(orders: number, seed: number): Promise<void> {
    const order = fc.record({
      trader: fc.nat(traders.length - 1),
      isSpot: fc.boolean(),
      isBuy: fc.boolean(),
      price: fc.integer({ min: 31, max: 69 }),
      lots: fc.integer({ min: 1, max: 17 }),
    });
    const [all] = fc.sample(fc.array(order, { minLength: orders, maxLength: orders }), { seed, numRuns: 1 });
    for (let start = 0; start < orders; start += 50) {
      await core.submit(
        all!.slice(start, start + 50).map(({ trader, isSpot, isBuy, price, lots }) =>
          limit(traders[trader]!, isBuy ? 'buy' : 'sell', isSpot ? price * 97 : price, lots, {
            marketId: isSpot ? SPOT : EVENT,
          }),
        ),
      );
    }
  }

  const status = (to: SetMarketStatus['status'], settlementValue: string | null): SetMarketStatus => ({
    type: 'set_market_status',
    marketId: EVENT,
    status: to,
    settlementValue,
  });
  const correct = (settlementValue: string): CorrectSettlement => ({
    type: 'correct_settlement',
    marketId: EVENT,
    settlementValue,
  });

  /** The last fill of every account and market has what the core's own row has, to the last unit. */
  async function expectStoredPositions(): Promise<void> {
    await catchUp();
    const key = 'account_id, market_id';
    const figures = 'size_lots, cost_basis, realized_pnl, fees';
    const stored = await core.query(
      `SELECT ${key}, ${figures} FROM positions
       WHERE (${key}) IN (SELECT maker_account_id, market_id FROM trades UNION SELECT taker_account_id, market_id FROM trades)
       ORDER BY ${key}`,
    );
    const projected = await core.query(
      `SELECT DISTINCT ON (${key}) ${key}, ${figures} FROM fills ORDER BY ${key}, sequence DESC`,
    );
    expect(projected).toEqual(stored);
    expect(projected.length).toBeGreaterThan(4);
  }

  it('add up to the stored positions through trading, settlement and corrections', async () => {
    const seed = Date.now() % 2 ** 31;
    console.info(`SEED=${seed}`);
    await trade(400, seed);
    await expectStoredPositions();
    await trade(400, seed + 1);
    await core.run(status('closed', null));
    await core.run(status('settled', '0.37'));
    await expectStoredPositions();
    await core.run(correct('1'));
    await core.run(correct('0.5'));
    await expectStoredPositions();
  });
});
