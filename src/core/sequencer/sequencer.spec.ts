import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  EVENT,
  eventually,
  type Floor,
  limit,
  marketTerms,
  openFloor,
  openTrader,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { QUEUE_MAX } from './work-queue.js';

it('waits for nothing and connects nowhere until it is started', () => {
  vi.useFakeTimers();
  try {
    const timersBefore = vi.getTimerCount();
    new TestCore('postgres://nobody@127.0.0.1:1/none');
    expect(vi.getTimerCount()).toBe(timersBefore);
  } finally {
    vi.useRealTimers();
  }
});

describe('Sequencer', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await core.stop();
    await database.drop();
  });

  const countRows = async (): Promise<Record<string, string>> => {
    const tables = [
      'accounts',
      'assets',
      'balances',
      'command_keys',
      'holds',
      'journal',
      'markets',
      'orders',
      'positions',
      'transfers',
      'trades',
    ];
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    const [row] = await core.query<Record<string, string>>(`SELECT ${counts.join(', ')}`);
    return row!;
  };
  const statusOf = async (orderId: number): Promise<string | undefined> => {
    const [row] = await core.query<{ status: string }>('SELECT status FROM orders WHERE order_id = $1', [
      orderId,
    ]);
    return row?.status;
  };

  it('leaves nothing of what it refuses', async () => {
    const before = await countRows();
    const hash = core.stateHash();
    const outcomes = await core.submit([
      limit(floor.ann, 'buy', 100, 0),
      limit(floor.ann, 'buy', 99_999_999_999, 1),
      limit(floor.ann, 'sell', 100, 5_000_000, { clientOrderId: 'refused' }),
      limit(999_999, 'buy', 100, 1),
      limit(floor.ann, 'buy', 100, 1, { marketId: 'NONE' }),
      { type: 'cancel_order', accountId: floor.ann, orderId: 1 },
      { type: 'release_hold', ownerKind: 'payout', ownerId: 'none' },
      { type: 'set_market_status', marketId: SPOT, status: 'settled', settlementValue: '1' },
    ]);
    expect(outcomes.filter(({ ok }) => ok)).toEqual([]);
    expect(await countRows()).toEqual(before);
    expect(core.stateHash()).toBe(hash);
  });

  it('makes durable together what came together, in the order in which it came', async () => {
    const before = await countRows();
    const answers = await Promise.all([
      core.submit([limit(floor.ann, 'sell', 100, 10)]),
      core.submit([
        limit(floor.bob, 'buy', 100, 4),
        limit(floor.bob, 'buy', 100, 0),
        limit(floor.bob, 'buy', 100, 6),
      ]),
      core.submit([limit(floor.cat, 'buy', 100, 1)]),
    ]);
    const statuses = answers
      .flat()
      .map((outcome) => outcome.ok && outcome.result.type === 'order' && outcome.result.order.status);
    expect(statuses).toEqual(['open', 'filled', false, 'filled', 'open']);
    const after = await countRows();
    expect(Number(after['journal']) - Number(before['journal'])).toBe(1);
    expect(Number(after['orders']) - Number(before['orders'])).toBe(4);
    expect(Number(after['trades']) - Number(before['trades'])).toBe(2);
  });

  it('shows readers only what is committed, and tells listeners after it', async () => {
    const seen: string[] = [];
    core.sequencer.onCommitted(({ orders, trades, marketIds, firstSequence, lastSequence }) => {
      seen.push(
        `${orders.length} orders, ${trades.length} trades in ${marketIds.join()} (${lastSequence - firstSequence + 1})`,
      );
      throw new Error('a listener that fails harms nobody');
    });
    const placing = core.place(limit(floor.ann, 'sell', 100, 10));
    expect(core.sequencer.freshTerm().view.book(SPOT, 5)!.asks).toEqual([]);
    await placing;
    expect(core.sequencer.freshTerm().view.book(SPOT, 5)!.asks).toEqual([[100, 10, 1]]);
    await core.place(limit(floor.ann, 'sell', 100, 10));
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatch(/^1 orders, 0 trades/);
  });

  it('previews after everything queued before it, and changes nothing', async () => {
    void core.place(limit(floor.ann, 'sell', 100, 10));
    const preview = await core.sequencer.preview(limit(floor.bob, 'buy', 100, 4));
    expect(preview).toMatchObject({ fills: [{ priceTicks: 100, sizeLots: 4 }] });
    const before = core.stateHash();
    await core.sequencer.preview(limit(floor.bob, 'buy', 100, 4));
    expect(core.stateHash()).toBe(before);
  });

  it('refuses what goes beyond its queue with the time to come again', async () => {
    const command = limit(floor.ann, 'buy', 100, 0);
    const answers = Array.from({ length: QUEUE_MAX + 3 }, () =>
      core.submit([command]).then(
        () => undefined,
        (error: unknown) => error as ServiceFailure,
      ),
    );
    const refusals = (await Promise.all(answers)).filter((error) => error !== undefined);
    expect(refusals).toHaveLength(3);
    expect(refusals[0]).toBeInstanceOf(ServiceFailure);
    expect(refusals[0]).toMatchObject({ code: 'temporarily_unavailable', retryAfterS: 1 });
    await core.place(limit(floor.ann, 'buy', 100, 1));
  });

  it('counts commands in its queue, not the requests that they come in', async () => {
    const command = limit(floor.ann, 'buy', 100, 0);
    const hundred = Array.from({ length: 100 }, () => command);
    const answers = await Promise.allSettled(
      Array.from({ length: QUEUE_MAX / 100 + 2 }, () => core.submit(hundred)),
    );
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(core.sequencer.depth).toBe(0);
    await core.place(limit(floor.ann, 'buy', 100, 1));
  });

  it('answers what is queued before it stops, and refuses what comes after', async () => {
    const answered = core.place(limit(floor.ann, 'buy', 100, 1));
    const stopping = core.stop();
    const late = core.place(limit(floor.ann, 'buy', 100, 1));
    await expect(late).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    const { order } = await answered;
    await stopping;
    expect(await statusOf(order.orderId)).toBe('open');
  });

  describe('by time alone', () => {
    it('expires orders', async () => {
      const expiresAtMs = Date.now() + 1_000;
      const { order } = await core.place(
        limit(floor.ann, 'buy', 100, 1, { timeInForce: 'GTD', expiresAtMs }),
      );
      expect(await statusOf(order.orderId)).toBe('open');
      await eventually(async () => (await statusOf(order.orderId)) === 'expired', 'the order expires');
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
      const [balance] = await core.query<{ held: string }>(
        `SELECT held FROM balances WHERE account_id = $1 AND asset = 'USD'`,
        [floor.ann],
      );
      expect(balance!.held).toBe('0');
    });

    it('opens and closes markets, also across a restart', async () => {
      const opensAtMs = Date.now() + 1_000;
      const closesAtMs = Date.now() + 4_000;
      await core.run(marketTerms({ marketId: 'SHORT', kind: 'event', opensAtMs, closesAtMs }));
      const order = limit(floor.ann, 'buy', 50, 1, { marketId: 'SHORT' });
      expect(await core.refusalOf(order)).toBe('market_not_open');
      const statusInTable = async () =>
        (await core.query<{ status: string }>(`SELECT status FROM markets WHERE market_id = 'SHORT'`))[0]!
          .status;
      await eventually(async () => (await statusInTable()) === 'open', 'the market opens');
      const { order: placed } = await core.place(order);
      await core.stop();
      core = await TestCore.start(database.url);
      await eventually(async () => (await statusInTable()) === 'closed', 'the market closes');
      expect(await statusOf(placed.orderId)).toBe('cancelled');
      expect(await core.verify()).toMatchObject({ ok: true });
    });
  });

  describe('with few accounts in memory', () => {
    beforeEach(async () => {
      await core.stop();
      core = await TestCore.start(database.url, { accountsInMemoryMax: 8 });
    });

    it('lets idle accounts go and brings them back as they were', async () => {
      const traders: number[] = [];
      for (let index = 0; index < 20; index++) traders.push(await openTrader(core, `t${index}`));
      for (let round = 0; round < 3; round++) {
        for (const [index, trader] of traders.entries()) {
          const other = traders[(index * 7 + 3) % traders.length]!;
          await core.place(limit(trader, 'buy', 1_000 + index, 2));
          if (other !== trader) await core.place(limit(other, 'sell', 1_000 + index, 2));
          await core.run({ type: 'cancel_all_orders', accountId: trader, marketId: null });
          await core.run({ type: 'cancel_all_orders', accountId: other, marketId: null });
        }
      }
      const inMemory = core.sequencer.freshTerm().accountsInMemory;
      expect(inMemory).toBeLessThan(12);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('settles a market for holders who are not in memory', async () => {
      const terms = { marketId: EVENT };
      await core.place(limit(floor.ann, 'buy', 60, 10, terms));
      await core.place(limit(floor.bob, 'sell', 60, 10, terms));
      for (let index = 0; index < 20; index++) await openTrader(core, `t${index}`);
      await core.run({ type: 'set_market_status', marketId: EVENT, status: 'closed', settlementValue: null });
      await core.run({ type: 'set_market_status', marketId: EVENT, status: 'settled', settlementValue: '1' });
      const paid = await core.query<{ credit_account_id: string; amount: string }>(
        `SELECT credit_account_id, amount FROM transfers WHERE reason = 'settlement'`,
      );
      expect(paid).toEqual([{ credit_account_id: `${floor.ann}`, amount: `${10n * 10n ** 18n}` }]);
      expect(
        await core.query(`SELECT 1 FROM positions WHERE market_id = $1 AND size_lots <> 0`, [EVENT]),
      ).toEqual([]);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('knows the KYC levels of accounts that are not in memory', async () => {
      const levelOf = async (accountId: number): Promise<number> => {
        const [row] = await core.query<{ kyc_level: number }>(
          'SELECT kyc_level FROM accounts WHERE account_id = $1',
          [accountId],
        );
        return row!.kyc_level;
      };
      await core.run({ type: 'set_kyc_level', accountId: floor.ann, level: 2 });
      for (let index = 0; index < 20; index++) await openTrader(core, `t${index}`);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
      await core.run({ type: 'set_kyc_level', accountId: floor.ann, level: 1 });
      expect(await levelOf(floor.ann)).toBe(1);
      expect(await levelOf(floor.bob)).toBe(0);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('keeps accounts frozen that are not in memory, and across a change of leaders', async () => {
      const order = limit(floor.ann, 'buy', 60, 10);
      await core.place(order);
      await core.run({ type: 'set_account_frozen', accountId: floor.ann, frozen: true });
      for (let index = 0; index < 20; index++) await openTrader(core, `t${index}`);
      expect(await core.refusalOf(order)).toBe('account_frozen');
      const { epoch } = core.sequencer.freshTerm();
      await core.cutWriter();
      expect(await core.refusalOf(order)).toBe('account_frozen');
      await eventually(() => (core.sequencer.currentTerm?.epoch ?? 0) > epoch, 'it leads again');
      expect(await core.refusalOf(order)).toBe('account_frozen');
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
      await core.run({ type: 'set_account_frozen', accountId: floor.ann, frozen: false });
      await core.place(order);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('pays out of holds of accounts that are not in memory', async () => {
      await core.run({
        type: 'place_hold',
        ownerKind: 'payout',
        ownerId: 'p1',
        accountId: floor.ann,
        asset: 'USD',
        amount: '10',
      });
      await core.run({
        type: 'place_hold',
        ownerKind: 'transfer',
        ownerId: 't1',
        accountId: floor.bob,
        asset: 'USD',
        amount: '10',
      });
      for (let index = 0; index < 20; index++) await openTrader(core, `t${index}`);
      await core.run({
        type: 'pay_from_hold',
        ownerKind: 'payout',
        ownerId: 'p1',
        credit: { rail: 'sepa' },
        amount: null,
        reason: 'payout',
      });
      await core.run({ type: 'release_hold', ownerKind: 'transfer', ownerId: 't1' });
      expect(await core.query('SELECT 1 FROM holds')).toEqual([]);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });
  });
});
