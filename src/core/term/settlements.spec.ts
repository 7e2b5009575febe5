import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deposit,
  EVENT,
  eventually,
  type Floor,
  limit,
  openFloor,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openPool } from '../../../test/support/pool.js';
import type { CorrectSettlement, SetMarketStatus } from '../../domain/engine/commands.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { LedgerCheck } from '../ledger-check/ledger-check.js';

const ONE = 10n ** 18n;

describe('a settlement in the tables', () => {
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
    await core.place(limit(floor.bob, 'sell', 40, 10, { marketId: EVENT }));
    await core.place(limit(floor.ann, 'buy', 40, 10, { marketId: EVENT }));
    await core.run(status('closed', null));
    await core.run(status('settled', '1'));
  });
  afterEach(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
  });

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
  const reversals = () =>
    core.query(
      `SELECT t.debit_account_id, t.credit_account_id, t.amount, t.reference
       FROM transfers t WHERE reason = 'reversal' ORDER BY transfer_id`,
    );
  const realized = async (accountId: number): Promise<bigint> => {
    const [row] = await core.query<{ realized_pnl: string }>(
      'SELECT realized_pnl FROM positions WHERE account_id = $1 AND market_id = $2',
      [accountId, EVENT],
    );
    return BigInt(row!.realized_pnl);
  };
  const expectBalanced = async (): Promise<void> => {
    const check = await new LedgerCheck(core.followed, pool, new MetricsRegistry()).check();
    expect(check).toMatchObject({ balanced: true, problems: [] });
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  };

  it('leaves what each account held', async () => {
    const rows = await core.query(
      'SELECT account_id, size_lots, settled_lots FROM positions WHERE market_id = $1 ORDER BY account_id',
      [EVENT],
    );
    expect(rows).toEqual([
      { account_id: `${floor.ann}`, size_lots: '0', settled_lots: '10' },
      { account_id: `${floor.bob}`, size_lots: '0', settled_lots: '-10' },
    ]);
    await expectBalanced();
  });

  it('is corrected by transfers through the pool, and every value stays on record', async () => {
    await core.run(correct('0'));
    await core.run(correct('0.5'));
    const [market] = await core.query<{ pool: string; settlement_value: string }>(
      'SELECT pool_account_id AS pool, settlement_value FROM markets WHERE market_id = $1',
      [EVENT],
    );
    expect(market!.settlement_value).toBe(`${ONE / 2n}`);
    const [ann, bob] = [`${floor.ann}`, `${floor.bob}`];
    const row = (from: string, to: string, dollars: bigint) => ({
      debit_account_id: from,
      credit_account_id: to,
      amount: `${dollars * ONE}`,
      reference: EVENT,
    });
    expect(await reversals()).toEqual([
      row(ann, market!.pool, 10n),
      row(market!.pool, bob, 10n),
      row(bob, market!.pool, 5n),
      row(market!.pool, ann, 5n),
    ]);
    const values = await core.query<{ sequence: string; settlement_value: string }>(
      'SELECT sequence, settlement_value FROM settlements WHERE market_id = $1 ORDER BY sequence',
      [EVENT],
    );
    expect(values.map((one) => BigInt(one.settlement_value))).toEqual([ONE, 0n, ONE / 2n]);
    expect([await realized(floor.ann), await realized(floor.bob)]).toEqual([ONE, -ONE]);
    expect(core.sequencer.freshTerm().view.market(EVENT)).toMatchObject({
      status: 'settled',
      settlementValue: ONE / 2n,
      openInterestLots: 0,
    });
    await expectBalanced();
  });

  it('is corrected after a restart, too, when nobody is in memory', async () => {
    await core.stop();
    core = await TestCore.start(database.url);
    await core.run(correct('0'));
    expect(await realized(floor.ann)).toBe(-4n * ONE);
    await expectBalanced();
  });

  it('takes its positions out of memory, and finds them again for previews and corrections', async () => {
    const inMemory = () => core.sequencer.freshTerm().positionsInMemory;
    expect(inMemory()).toBe(0);
    expect(await core.sequencer.preview(correct('0'))).toMatchObject({ lots: 10 });
    await core.run(correct('0'));
    expect(inMemory()).toBe(0);
    expect([await realized(floor.ann), await realized(floor.bob)]).toEqual([-4n * ONE, 4n * ONE]);
    await core.cutWriter();
    await core.run(correct('1'));
    expect(inMemory()).toBe(0);
    expect(await core.refusalOf(limit(floor.ann, 'buy', 40, 1, { marketId: EVENT }))).toBe('market_not_open');
    await expectBalanced();
  });

  it('stays whole where it cannot be reversed', async () => {
    const [balance] = await core.query<{ available: string }>(
      `SELECT available FROM balances WHERE account_id = $1 AND asset = 'USD'`,
      [floor.ann],
    );
    const spare = BigInt(balance!.available) / ONE;
    await core.run({
      type: 'place_hold',
      ownerKind: 'payout',
      ownerId: 'p',
      accountId: floor.ann,
      asset: 'USD',
      amount: `${spare}`,
    });
    const hash = core.stateHash();
    expect(await core.refusalOf(correct('0'))).toBe('settlement_not_reversible');
    expect(await core.sequencer.preview(correct('0'))).toMatchObject({ code: 'settlement_not_reversible' });
    expect(await reversals()).toEqual([]);
    expect(core.stateHash()).toBe(hash);
    await core.run({ type: 'release_hold', ownerKind: 'payout', ownerId: 'p' });
    expect(await core.sequencer.preview(correct('0'))).toEqual({
      asset: 'USD',
      settlementValue: 0n,
      lots: 10,
      toLongs: -10n * ONE,
      toShorts: 10n * ONE,
    });
    expect(await reversals()).toEqual([]);
    await expectBalanced();
  });

  it('survives in a checkpoint', async () => {
    expect(await core.verify({ saveCheckpoint: true })).toMatchObject({ ok: true });
    await core.run(correct('0'));
    expect(await core.verify({ fromCheckpoint: true })).toMatchObject({
      ok: true,
      entries: 1,
      stateHash: core.stateHash(),
    });
  });

  it('is corrected once by several corrections that come together', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => core.refusalOf(correct('0'))));
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([undefined, 'invalid_status_change']));
    expect(await reversals()).toHaveLength(2);
    await expectBalanced();
  });
});

describe('a settlement of many holders', () => {
  const HOLDERS = 300;
  const options = { settledPerCommandMax: 40, accountsInMemoryMax: 50 };
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let pool: Pool;
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url, options);
    floor = await openFloor(core);
    pool = openPool(database.url);
    const made = await core.submit(
      Array.from({ length: HOLDERS }, (_, i) => ({
        type: 'create_account',
        kind: 'trading',
        name: `holder ${i}`,
        owner: `user:${i}`,
      })),
    );
    const ids = made.map((outcome) =>
      outcome.ok && outcome.result.type === 'account' ? outcome.result.accountId : 0,
    );
    await core.submit(ids.map((accountId) => deposit(accountId, 'USD', '2')));
    await core.place(limit(floor.bob, 'sell', 40, HOLDERS, { marketId: EVENT }));
    await core.submit(ids.map((accountId) => limit(accountId, 'buy', 40, 1, { marketId: EVENT })));
    await core.run(status('closed', null));
  });
  afterEach(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
  });

  const status = (to: SetMarketStatus['status'], settlementValue: string | null): SetMarketStatus => ({
    type: 'set_market_status',
    marketId: EVENT,
    status: to,
    settlementValue,
  });
  const statusNow = async (): Promise<string> => {
    const [row] = await core.query<{ status: string }>('SELECT status FROM markets WHERE market_id = $1', [
      EVENT,
    ]);
    return row!.status;
  };
  const paid = async (): Promise<number> => {
    const [row] = await core.query<{ paid: string }>(
      'SELECT count(*) AS paid FROM positions WHERE market_id = $1 AND settled_lots <> 0',
      [EVENT],
    );
    return Number(row!.paid);
  };
  const check = () => new LedgerCheck(core.followed, pool, new MetricsRegistry()).check();

  it('is paid in parts between the commands of others, and the books balance after each', async () => {
    const seen = new Set<string>();
    core.sequencer.onCommitted(({ marketIds }) => {
      if (marketIds.includes(EVENT)) seen.add(core.sequencer.freshTerm().view.market(EVENT)!.status);
    });
    await core.run(status('settled', '0.75'));
    const between = await Promise.all(
      Array.from({ length: 5 }, () => core.run(deposit(floor.cat, 'USD', '1')).then(check)),
    );
    expect(between.flatMap(({ problems }) => problems)).toEqual([]);
    await eventually(async () => (await statusNow()) === 'settled', 'everybody is paid');
    expect(seen).toEqual(new Set(['settling', 'settled']));
    expect(await paid()).toBe(HOLDERS + 1);
    const chunks = await core.query<{ holders: number }>(
      'SELECT cardinality(account_ids) AS holders FROM settlement_chunks WHERE market_id = $1 ORDER BY sequence',
      [EVENT],
    );
    expect(chunks.map(({ holders }) => holders)).toEqual([40, 40, 40, 40, 40, 40, 40, 21]);
    expect(await check()).toMatchObject({ balanced: true, problems: [] });
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('goes on after the writer is cut off in the middle, and pays nobody twice', async () => {
    await core.run(status('settled', '0.75'));
    for (let cut = 0; cut < 3; cut++) {
      await core.cutWriter();
      await core.run(deposit(floor.cat, 'USD', '1')).catch(() => undefined);
      expect((await check()).problems).toEqual([]);
    }
    await core.stop();
    core = await TestCore.start(database.url, options);
    await eventually(async () => (await statusNow()) === 'settled', 'everybody is paid');
    expect(await paid()).toBe(HOLDERS + 1);
    const [sums] = await core.query<{ transfers: string; accounts: string; amount: string }>(
      `SELECT count(*) AS transfers, count(DISTINCT credit_account_id) AS accounts, sum(amount) AS amount
       FROM transfers WHERE reason = 'settlement'`,
    );
    expect(sums).toEqual({
      transfers: `${HOLDERS + 1}`,
      accounts: `${HOLDERS + 1}`,
      amount: `${BigInt(HOLDERS) * ONE}`,
    });
    expect(await check()).toMatchObject({ balanced: true, problems: [] });
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('cannot be interfered with while it goes on', async () => {
    const answers = await core.submit([
      status('settled', '0.75'),
      status('settled', '0.5'),
      status('open', null),
      { type: 'correct_settlement', marketId: EVENT, settlementValue: '0' },
      limit(floor.ann, 'buy', 40, 1, { marketId: EVENT }),
    ]);
    expect(answers.map((one) => (one.ok ? 'done' : one.refusal.code))).toEqual([
      'done',
      'invalid_status_change',
      'invalid_status_change',
      'invalid_status_change',
      'market_not_open',
    ]);
    await eventually(async () => (await statusNow()) === 'settled', 'everybody is paid');
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});
