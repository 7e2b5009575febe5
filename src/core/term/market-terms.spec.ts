import { describe, expect, it } from 'vitest';
import { EVENT, type Floor, limit, queryOnce, SPOT, TestCore } from '../../../test/support/core.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { amountOf } from '../../domain/money/amount.js';
import type { ChangeMarket } from '../../domain/engine/commands.js';
import type { MarketDefinition } from '../../domain/engine/types.js';

const change = (terms: Partial<ChangeMarket>): ChangeMarket => ({
  type: 'change_market',
  marketId: SPOT,
  ...terms,
});

describe('the terms of a market', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );

  const restart = async (): Promise<void> => {
    await core.stop();
    core = await TestCore.start(database.url);
  };
  const definition = (marketId = SPOT): MarketDefinition =>
    core.sequencer.freshTerm().view.market(marketId)!.definition;
  const expectProven = async (): Promise<void> => {
    await core.query('SELECT 1');
    expect(await core.verify()).toMatchObject({ ok: true });
  };

  it('are others after a change, after a restart, and when the journal is replayed', async () => {
    const terms = {
      title: 'Bitcoin',
      description: 'For dollars',
      category: 'coins',
      minSize: '0.002',
      maxSize: '10',
      minNotional: '5',
      priceMin: '1',
      priceMax: '1000',
      makerFeeRate: '0.003',
      takerFeeRate: '0.004',
      closesAtMs: Date.UTC(2999, 0, 1),
    };
    const before = definition();
    await core.run(change(terms));
    const after = {
      ...before,
      title: 'Bitcoin',
      description: 'For dollars',
      category: 'coins',
      minSizeLots: 2,
      maxSizeLots: 10_000,
      minNotional: amountOf('5'),
      priceMinTicks: 100,
      priceMaxTicks: 100_000,
      makerFeeRate: amountOf('0.003'),
      takerFeeRate: amountOf('0.004'),
      originalMakerFeeRate: amountOf('0.001'),
      originalTakerFeeRate: amountOf('0.002'),
      closesAtMs: Date.UTC(2999, 0, 1),
      revision: 1,
    };
    expect(definition()).toEqual(after);
    await core.run(change({ closesAtMs: null, makerFeeRate: '0.001', takerFeeRate: '0.002' }));
    const hash = core.stateHash();
    await restart();
    expect(core.stateHash()).toBe(hash);
    expect(definition()).toEqual({
      ...after,
      makerFeeRate: amountOf('0.001'),
      takerFeeRate: amountOf('0.002'),
      closesAtMs: null,
      revision: 2,
    });
    await expectProven();
    await queryOnce(database.url, `UPDATE markets SET title = 'Forged' WHERE market_id = '${SPOT}'`);
    expect(await core.verify()).toMatchObject({ ok: false });
  });

  it('leave the fee rates of open orders as they were, also after a restart', async () => {
    const { order: old } = await core.place(limit(floor.ann, 'buy', 10_000, 1_000));
    const { order: stop } = await core.place(
      limit(floor.ann, 'buy', 10_000, 1_000, { orderType: 'stop_limit', stopPriceTicks: 20_000 }),
    );
    await core.run(change({ makerFeeRate: '0.5', takerFeeRate: '0.25' }));
    const { order: recent } = await core.place(limit(floor.ann, 'buy', 10_000, 1_000));
    await restart();
    const { fills } = await core.place(limit(floor.bob, 'sell', 10_000, 2_000));
    expect(fills).toMatchObject([
      { makerOrderId: old.orderId, makerFee: amountOf('0.1'), takerFee: amountOf('25') },
      { makerOrderId: recent.orderId, makerFee: amountOf('50'), takerFee: amountOf('25') },
    ]);
    await core.place(limit(floor.bob, 'sell', 20_000, 1));
    await core.place(limit(floor.cat, 'buy', 20_000, 1));
    const { fills: triggered } = await core.place(limit(floor.bob, 'sell', 10_000, 1_000));
    expect(triggered).toMatchObject([{ makerOrderId: stop.orderId, makerFee: amountOf('0.1') }]);
    await expectProven();
  });

  it('bound orders to come, and leave those that rest', async () => {
    await core.place(limit(floor.ann, 'buy', 10_000, 5_000));
    await core.run(change({ maxSize: '1', priceMin: '150' }));
    expect(await core.refusalOf(limit(floor.bob, 'buy', 20_000, 1_001))).toBe('size_out_of_range');
    expect(await core.refusalOf(limit(floor.bob, 'buy', 14_999, 1_000))).toBe('price_out_of_range');
    const { fills } = await core.place(limit(floor.bob, 'sell', 15_000, 1_000));
    expect(fills).toEqual([]);
    await core.run(change({ priceMin: '100' }));
    expect((await core.place(limit(floor.cat, 'sell', 10_000, 1_000))).fills).toHaveLength(1);
  });

  it.each<[string, Partial<ChangeMarket>, string]>([
    ['a market that is not', { marketId: 'NO-SUCH', title: 'x' }, 'market_not_found'],
    ['a bound between two ticks', { priceMax: '10.001' }, 'invalid_market'],
    ['bounds that contradict those that stay', { minSize: '100000000000000' }, 'invalid_market'],
    ['a price of one in an event market', { marketId: EVENT, priceMax: '1' }, 'invalid_market'],
    ['a fee of one', { takerFeeRate: '1' }, 'invalid_market'],
    ['an end that is past', { closesAtMs: 1_000 }, 'invalid_market'],
  ])('are refused for %s', async (_, terms, code) => {
    const before = core.stateHash();
    expect(await core.refusalOf(change(terms))).toBe(code);
    expect(core.stateHash()).toBe(before);
  });

  it('close the market at another time, and stay once it has settled', async () => {
    await core.run(change({ marketId: EVENT, closesAtMs: Date.now() + 60_000 }));
    await core.run(change({ marketId: EVENT, closesAtMs: Date.now() + 300 }));
    await expect
      .poll(() => core.sequencer.freshTerm().view.market(EVENT)!.status, { timeout: 10_000 })
      .toBe('closed');
    const later = change({ marketId: EVENT, closesAtMs: Date.UTC(2999, 0, 1) });
    expect(await core.refusalOf(later)).toBe('invalid_status_change');
    await core.run(change({ marketId: EVENT, title: 'It rained' }));
    await core.run({ type: 'set_market_status', marketId: EVENT, status: 'settled', settlementValue: '1' });
    expect(await core.refusalOf(change({ marketId: EVENT, title: 'x' }))).toBe('invalid_status_change');
    await expectProven();
  });
});
