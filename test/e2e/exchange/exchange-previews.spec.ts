import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createEvent, stateOf } from '../../support/clients/exchange-client.js';
import { type Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

describe('a preview', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let market: string;
  let markets = 0;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  beforeEach(async () => {
    market = await createEvent(operator, `VIEW-${++markets}`, {
      maker_fee_rate: '0.01',
      taker_fee_rate: '0.02',
    });
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  /** Requests a preview; the state must not change. */
  const previewOf = async (path: string, body?: Json): Promise<Reply> => {
    const before = await stateOf(operator);
    const reply = body === undefined ? await demo.send('POST', path) : await demo.post(path, body);
    expect(await stateOf(operator)).toEqual(before);
    return reply;
  };
  const amended = (order: Json, body: Json): Promise<Reply> =>
    previewOf(`/orders/${order.order_id}/amend/preview`, body);
  const cancelled = (order: Json): Promise<Reply> => previewOf(`/orders/${order.order_id}/cancel/preview`);
  const heldUsd = async (): Promise<number> => Number((await demo.balance('USD')).held);

  describe('of an amendment', () => {
    it.each<[string, Json]>([
      ['a smaller size', { size: '5' }],
      ['a larger size', { size: '30' }],
      ['a worse price', { price: '0.30' }],
      ['a price that trades with some', { price: '0.50' }],
      ['a price that trades with all', { price: '0.55', size: '14' }],
      ['the size that is filled', { size: '4' }],
    ])('to %s tells what then happens', async (_what, amendment) => {
      await maker.place(limit(market, 'sell', '0.50', '6'));
      await maker.place(limit(market, 'sell', '0.55', '20'));
      await maker.place(limit(market, 'buy', '0.30', '7'));
      const order = await demo.place(limit(market, 'buy', '0.40', '20'));
      await maker.place(limit(market, 'sell', '0.40', '4'));
      const heldBefore = await heldUsd();
      const orderHold = 16 * 0.4 + 16 * 0.4 * 0.02;

      const preview = await amended(order, amendment);
      expect(preview.status).toBe(200);
      const { body: done } = await demo.patch(`/orders/${order.order_id}`, amendment);
      const { status, status_reason, filled_size, remaining_size, average_fill_price, fees } = done;
      expect(preview.body).toMatchObject({
        status,
        status_reason,
        filled_size,
        remaining_size,
        average_fill_price,
        fees,
      });
      const [, ...newFills] = done.fills;
      expect(preview.body.fills).toEqual(
        newFills.map(({ price, size, fee }: Json) => ({ price, size, fee })),
      );
      const otherHolds = heldBefore - orderHold;
      expect((await heldUsd()) - otherHolds).toBeCloseTo(Number(preview.body.hold.amount), 6);
    });

    it('tells what stands before it in the queue', async () => {
      await maker.place(limit(market, 'buy', '0.30', '7'));
      const order = await demo.place(limit(market, 'buy', '0.40', '20'));
      expect((await amended(order, { price: '0.30' })).body.queue_ahead_size).toBe('7');
      expect((await amended(order, { size: '10' })).body.queue_ahead_size).toBe('0');
    });

    it.each<[string, Json, number, string]>([
      ['nothing', {}, 400, 'validation_failed'],
      ['what it does not know', { side: 'sell' }, 400, 'validation_failed'],
      ['half a cent', { price: '0.405' }, 422, 'invalid_tick'],
      ['half a contract', { size: '10.5' }, 422, 'invalid_lot'],
      ['less than is filled', { size: '3' }, 422, 'size_below_filled'],
      ['a price that cannot be', { price: '1' }, 422, 'price_out_of_range'],
      ['more than there is money for', { size: '99999999999' }, 422, 'insufficient_funds'],
    ])('to %s is refused as the amendment is', async (_what, amendment, status, code) => {
      const order = await demo.place(limit(market, 'buy', '0.40', '20'));
      await maker.place(limit(market, 'sell', '0.40', '4'));
      const refused = { status, body: { error: { code } } };
      expect(await amended(order, amendment)).toMatchObject(refused);
      expect(await demo.patch(`/orders/${order.order_id}`, amendment)).toMatchObject(refused);
    });
  });

  describe('of a cancellation', () => {
    it('tells what it gives back', async () => {
      const order = await demo.place(limit(market, 'buy', '0.40', '20'));
      await maker.place(limit(market, 'sell', '0.40', '4'));
      const before = await heldUsd();
      const preview = await cancelled(order);
      // 16 contracts at 40 cents, and the fee at the higher rate.
      expect(preview).toMatchObject({
        status: 200,
        body: { remaining_size: '16', released: { asset: 'USD', amount: '6.528' } },
      });
      await demo.delete(`/orders/${order.order_id}`);
      expect(before - (await heldUsd())).toBeCloseTo(6.528, 6);
    });

    it('counts the cover that passes on to later orders', async () => {
      await maker.place(limit(market, 'sell', '0.20', '10'));
      await demo.place(limit(market, 'buy', '0.20', '10'));
      // The position covers the first; the second holds what opening a short could cost.
      const first = await demo.place(limit(market, 'sell', '0.60', '10'));
      await demo.place(limit(market, 'sell', '0.70', '10'));
      const before = await heldUsd();
      const { body } = await cancelled(first);
      await demo.delete(`/orders/${first.order_id}`);
      expect(before - (await heldUsd())).toBeCloseTo(Number(body.released.amount), 6);
      expect(Number(body.released.amount)).toBeGreaterThan(3);
    });

    it('is refused where the order has ended', async () => {
      const order = await demo.place(limit(market, 'buy', '0.40', '20'));
      await demo.delete(`/orders/${order.order_id}`);
      const refused = { status: 409, body: { error: { code: 'order_not_open' } } };
      expect(await cancelled(order)).toMatchObject(refused);
      expect(await amended(order, { size: '1' })).toMatchObject(refused);
      expect(await demo.delete(`/orders/${order.order_id}`)).toMatchObject(refused);
    });
  });

  it('in a halted market is refused where the real thing is', async () => {
    const order = await demo.place(limit(market, 'buy', '0.40', '20'));
    await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
    expect(await amended(order, { size: '1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'market_not_open' } },
    });
    expect(await cancelled(order)).toMatchObject({ status: 200, body: { remaining_size: '20' } });
  });

  it('of another’s order is as of none', async () => {
    const order = await maker.place(limit(market, 'buy', '0.40', '20'));
    for (const reply of [await amended(order, { size: '1' }), await cancelled(order)]) {
      expect(reply).toMatchObject({ status: 404, body: { error: { code: 'order_not_found' } } });
    }
  });
});
