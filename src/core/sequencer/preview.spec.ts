import { describe, expect, it } from 'vitest';
import { EVENT, type Floor, limit, type TestCore } from '../../../test/support/core.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import type { AcceptQuote, AmendOrder, CancelOrder } from '../../domain/engine/commands.js';
import type { PreviewableCommand, SettleMarket } from '../../domain/engine/preview.js';

const ONE = 10n ** 18n;

describe('a preview', () => {
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ core, floor } = fresh),
    () => core.stop(),
    { accountsInMemoryMax: 1 },
  );

  /** Asks, and makes sure that nothing has come of it, in memory or in the tables. */
  const ask = async <C extends PreviewableCommand>(command: C) => {
    const state = async () => [
      core.stateHash(),
      core.sequencer.freshTerm().sequence,
      core.sequencer.freshTerm().view.book(EVENT, 10),
      await core.query('SELECT count(*) FROM journal'),
    ];
    const before = await state();
    const told = await core.sequencer.preview(command);
    expect(await state()).toEqual(before);
    return told;
  };
  const contracts = { marketId: EVENT };
  const amend = (orderId: number, terms: Partial<AmendOrder>): AmendOrder => ({
    type: 'amend_order',
    accountId: floor.ann,
    orderId,
    priceTicks: null,
    sizeLots: null,
    ...terms,
  });
  const acceptance = (): AcceptQuote => ({
    type: 'accept_quote',
    accountId: floor.ann,
    quoteId: 'qte_1',
    marketId: EVENT,
    side: 'buy',
    sizeLots: 10,
    notionalBound: '4',
    expiresAtMs: Date.UTC(2999, 0, 1),
    feeRates: null,
  });
  const settle = (settlementValue: string): SettleMarket => ({
    type: 'set_market_status',
    marketId: EVENT,
    status: 'settled',
    settlementValue,
  });

  it('of an order tells how it would be placed', async () => {
    await core.place(limit(floor.bob, 'sell', 40, 10, contracts));
    expect(await ask(limit(floor.ann, 'buy', 45, 15, contracts))).toEqual({
      status: 'partially_filled',
      statusReason: null,
      fills: [{ priceTicks: 40, sizeLots: 10, fee: ONE / 125n }],
      filledLots: 10,
      filledNotional: 4n * ONE,
      fees: ONE / 125n,
      remainingLots: 5,
      hold: { asset: 'USD', amount: (9n * ONE) / 4n + (45n * ONE) / 10_000n },
      queueAheadLots: 0,
      netting: null,
    });
  });

  it('of an amendment tells where the order would stand and what it would trade', async () => {
    await core.place(limit(floor.bob, 'buy', 30, 7, contracts));
    const { order } = await core.place(limit(floor.ann, 'buy', 30, 10, contracts));
    await core.place(limit(floor.cat, 'buy', 30, 5, contracts));
    await core.place(limit(floor.cat, 'sell', 50, 4, contracts));
    const smaller = await ask(amend(order.orderId, { sizeLots: 3 }));
    expect(smaller).toMatchObject({ status: 'open', remainingLots: 3, queueAheadLots: 7, fills: [] });
    const larger = await ask(amend(order.orderId, { sizeLots: 12 }));
    expect(larger).toMatchObject({ status: 'open', remainingLots: 12, queueAheadLots: 12, fills: [] });
    const crossing = await ask(amend(order.orderId, { priceTicks: 50 }));
    expect(crossing).toMatchObject({
      status: 'partially_filled',
      fills: [{ priceTicks: 50, sizeLots: 4 }],
      filledLots: 4,
      remainingLots: 6,
      queueAheadLots: 0,
    });
    expect(await ask(amend(order.orderId, { sizeLots: 0 }))).toMatchObject({
      status: 'cancelled',
      statusReason: 'amended_to_filled',
      hold: { asset: 'USD', amount: 0n },
    });
    expect(await ask(amend(order.orderId, { priceTicks: 100 }))).toMatchObject({
      code: 'price_out_of_range',
    });
  });

  it('of a cancellation tells what it would release', async () => {
    const { order } = await core.place(limit(floor.ann, 'buy', 50, 10, contracts));
    const command: CancelOrder = { type: 'cancel_order', accountId: floor.ann, orderId: order.orderId };
    expect(await ask(command)).toEqual({
      remainingLots: 10,
      released: { asset: 'USD', amount: 5n * ONE + ONE / 100n },
    });
    expect(await ask({ ...command, accountId: floor.bob })).toMatchObject({ code: 'order_not_open' });
  });

  it('of an acceptance tells what it would fill, until the quote is accepted', async () => {
    await core.place(limit(floor.bob, 'sell', 39, 20, contracts));
    const told = await ask(acceptance());
    expect(told).toMatchObject({
      status: 'filled',
      fills: [{ priceTicks: 39, sizeLots: 10 }],
      filledNotional: (39n * ONE) / 10n,
      hold: { amount: 0n },
      queueAheadLots: null,
    });
    const stale = { ...acceptance(), notionalBound: '3.8' };
    expect(await ask(stale)).toMatchObject({ code: 'quote_stale' });
    await core.place(acceptance());
    expect(await ask(acceptance())).toMatchObject({ code: 'quote_already_accepted' });
  });

  it('of a settlement tells what it would pay, to holders out of memory, too', async () => {
    await core.place(limit(floor.bob, 'sell', 40, 10, contracts));
    await core.place(limit(floor.ann, 'buy', 40, 6, contracts));
    await core.place(limit(floor.cat, 'buy', 40, 4, contracts));
    expect(await ask(settle('1'))).toMatchObject({ code: 'invalid_status_change' });
    await core.run({ ...settle('1'), status: 'closed', settlementValue: null });
    expect(await ask(settle('0.25'))).toEqual({
      asset: 'USD',
      settlementValue: ONE / 4n,
      lots: 10,
      toLongs: (10n * ONE) / 4n,
      toShorts: (30n * ONE) / 4n,
    });
    expect(await ask(settle('2'))).toMatchObject({ code: 'invalid_amount' });
  });

  it('is one of the state after all that was sent before it', async () => {
    const sent = core.place(limit(floor.bob, 'sell', 40, 10, contracts));
    const told = await core.sequencer.preview(limit(floor.ann, 'buy', 40, 10, contracts));
    expect(told).toMatchObject({ status: 'filled' });
    await sent;
  });
});
