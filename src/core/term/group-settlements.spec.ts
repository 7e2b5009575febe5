import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Floor, limit, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { event } from '../../../test/support/domain/markets.js';
import { openPool } from '../../../test/support/pool.js';
import type { CorrectEventGroup } from '../../domain/engine/commands.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { LedgerCheck } from '../ledger-check/ledger-check.js';

const ONE = 10n ** 18n;
const MARKETS = ['RED', 'GREEN', 'BLUE'] as const;

describe('the settlement of an event group in the tables', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let pool: Pool;
  beforeEach(async () => {
    database = await createTestDatabase();
    // So small that holders leave memory and must be found again.
    core = await TestCore.start(database.url, { accountsInMemoryMax: 1 });
    floor = await openFloor(core);
    pool = openPool(database.url);
    for (const marketId of MARKETS) await core.run(event({ marketId }));
    await core.run({ type: 'create_event_group', groupId: 'WINNER', title: 'Who wins', marketIds: MARKETS });
    // Ann is long in RED, bob short; cat has one set.
    await core.place(limit(floor.bob, 'sell', 40, 10, { marketId: 'RED' }));
    await core.place(limit(floor.ann, 'buy', 40, 10, { marketId: 'RED' }));
    await core.run({ type: 'split_event_group', groupId: 'WINNER', accountId: floor.cat, sizeLots: 1 });
    for (const marketId of MARKETS)
      await core.run({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
    await core.run({ type: 'settle_event_group', groupId: 'WINNER', winningMarketId: 'RED' });
  });
  afterEach(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
  });

  const correct = (winningMarketId: string): CorrectEventGroup => ({
    type: 'correct_event_group',
    groupId: 'WINNER',
    winningMarketId,
  });
  const realized = async (): Promise<string[]> => {
    const rows = await core.query<{ pnl: string }>(
      `SELECT sum(realized_pnl)::text AS pnl FROM positions WHERE market_id = ANY ($1) GROUP BY account_id
       HAVING bool_or(settled_lots <> 0) ORDER BY account_id`,
      [[...MARKETS]],
    );
    return rows.map(({ pnl }) => pnl);
  };
  const reversals = () => core.query(`SELECT amount, reference FROM transfers WHERE reason = 'reversal'`);
  const values = () =>
    MARKETS.map((marketId) => core.sequencer.freshTerm().view.market(marketId)!.settlementValue);
  const inDollars = (...dollars: bigint[]) => dollars.map((each) => `${each * ONE}`);
  const expectBalanced = async (): Promise<void> => {
    const check = await new LedgerCheck(core.followed, pool, new MetricsRegistry()).check();
    expect(check).toMatchObject({ balanced: true, problems: [] });
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  };

  it('is corrected by transfers through the pool, and every value stays on record', async () => {
    expect(await realized()).toEqual(inDollars(6n, -6n, 0n));
    expect(await core.sequencer.preview(correct('BLUE'))).toEqual({
      asset: 'USD',
      toLongs: -10n * ONE,
      toShorts: 10n * ONE,
      paidBack: 10n * ONE,
    });
    await core.run(correct('BLUE'));
    expect(values()).toEqual([0n, 0n, ONE]);
    expect(await realized()).toEqual(inDollars(-4n, 4n, 0n));
    expect(await reversals()).toEqual(
      Array.from({ length: 2 }, () => ({ amount: `${10n * ONE}`, reference: 'WINNER' })),
    );
    const rows = await core.query<{ market_id: string; settlement_value: string }>(
      'SELECT market_id, settlement_value FROM settlements ORDER BY sequence, market_id',
    );
    const last = rows.slice(-2).map((row) => [row.market_id, BigInt(row.settlement_value)]);
    expect(last).toEqual([
      ['BLUE', ONE],
      ['RED', 0n],
    ]);
    expect(rows).toHaveLength(5);
    await expectBalanced();
  });

  it('is corrected after a restart, too, when nobody is in memory', async () => {
    await core.stop();
    core = await TestCore.start(database.url);
    await core.run(correct('GREEN'));
    expect(await realized()).toEqual(inDollars(-4n, 4n, 0n));
    expect(core.sequencer.freshTerm().positionsInMemory).toBe(0);
    await expectBalanced();
  });

  it('is corrected twice in one batch, from a market that was not concerned before', async () => {
    const [first, second] = await core.submit([correct('GREEN'), correct('BLUE')]);
    expect([first, second]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(values()).toEqual([0n, 0n, ONE]);
    expect(await realized()).toEqual(inDollars(-4n, 4n, 0n));
    await core.run(correct('RED'));
    expect(await realized()).toEqual(inDollars(6n, -6n, 0n));
    await expectBalanced();
  });

  it('is corrected once by several corrections that come together', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => core.refusalOf(correct('BLUE'))));
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([undefined, 'invalid_status_change']));
    expect(await reversals()).toHaveLength(2);
    await expectBalanced();
  });

  it('is replayed from a checkpoint', async () => {
    expect(await core.verify({ saveCheckpoint: true })).toMatchObject({ ok: true });
    await core.run(correct('BLUE'));
    expect(await core.verify({ fromCheckpoint: true })).toMatchObject({
      ok: true,
      entries: 1,
      stateHash: core.stateHash(),
    });
  });
});
