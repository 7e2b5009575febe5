import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

describe('order batches', () => {
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
    market = await createMarket(operator, `BATCH-${++markets}`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  it('places each order on its own, in their order', async () => {
    await maker.place(limit(market, 'sell', '100', '1'));
    const { status, body, headers } = await demo.post('/orders/batch', {
      orders: [
        limit(market, 'buy', '100', '1'),
        limit(market, 'buy', '99.001', '1'),
        limit('NO-SUCH', 'buy', '100', '1'),
        limit(market, 'buy', '1000000', '1000'),
        { ...limit(market, 'buy', '99', '1'), price: 99 },
        limit(market, 'buy', '99', '1', { account_id: 'acc_00000000ZZZ' }),
        { market_id: market, side: 'buy', type: 'limit', size: '1' },
        limit(market, 'buy', '98', '2'),
      ],
    });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 201, order: { status: 'filled', fills: [{ price: '100' }] } },
      { status: 422, error: { code: 'invalid_tick', request_id: headers.get('x-request-id') } },
      { status: 404, error: { code: 'market_not_found' } },
      { status: 422, error: { code: 'insufficient_funds' } },
      { status: 400, error: { code: 'validation_failed', details: [{ field: 'price' }] } },
      { status: 404, error: { code: 'account_not_found' } },
      { status: 400, error: { code: 'validation_failed', details: [{ field: 'price' }] } },
      { status: 201, order: { status: 'open', price: '98', fills: [] } },
    ]);
  });

  it('trades among its own orders by their self-trade prevention', async () => {
    const { body } = await demo.post('/orders/batch', {
      orders: [
        limit(market, 'sell', '100', '1'),
        limit(market, 'buy', '100', '1', { self_trade_prevention: 'cancel_oldest' }),
      ],
    });
    expect(body.results).toMatchObject([
      { status: 201, order: { status: 'open' } },
      { status: 201, order: { status: 'open' } },
    ]);
    expect((await demo.get(`/orders/${body.results[0].order.order_id}`)).body.status).toBe('cancelled');
  });

  it('is one unit under its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': `batch-${market}` };
    const request = {
      orders: [
        limit(market, 'sell', '100', '1'),
        limit(market, 'sell', '100.001', '1'),
        limit(market, 'sell', '101', '1'),
      ],
    };
    const first = await demo.post('/orders/batch', request, key);
    expect(first.body.results.map((result: Json) => result.status)).toEqual([201, 422, 201]);
    await maker.place(limit(market, 'buy', '100', '1'));
    const repeat = await demo.post('/orders/batch', request, key);
    expect(repeat.status).toBe(200);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.results).toMatchObject([
      { status: 200, order: { order_id: first.body.results[0].order.order_id, status: 'filled' } },
      { status: 422, error: { code: 'invalid_tick' } },
      { status: 200, order: { order_id: first.body.results[2].order.order_id, status: 'open' } },
    ]);
    expect((await demo.get(`/orders?market_id=${market}`)).body.data).toHaveLength(2);
    const reused = await demo.post('/orders/batch', { orders: request.orders.slice(1) }, key);
    expect(reused).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } });
  });

  it('finds repeated client order ids, also within itself', async () => {
    const order = limit(market, 'buy', '100', '1', { client_order_id: `b-${market}` });
    const first = await demo.post('/orders/batch', { orders: [order, order, { ...order, size: '2' }] });
    const [{ order: placed }] = first.body.results;
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(first.body.results).toMatchObject([
      { status: 201, order: { client_order_id: `b-${market}` } },
      { status: 200, order: { order_id: placed.order_id } },
      { status: 409, error: { code: 'duplicate_client_order_id' } },
    ]);
    const again = await demo.post('/orders/batch', { orders: [order] });
    expect(again.body.results).toMatchObject([{ status: 200, order: { order_id: placed.order_id } }]);
  });

  it('takes a hundred orders, and none more', async () => {
    const orders = Array.from({ length: 100 }, (_, i) =>
      limit(market, 'buy', String(i + 1), '0.001', { client_order_id: `${'c'.repeat(50)}-${market}-${i}` }),
    );
    const { status, body } = await demo.post('/orders/batch', { orders });
    expect(status).toBe(200);
    expect(body.results.every((result: Json) => result.status === 201)).toBe(true);
    expect((await demo.get(`/markets/${market}/orderbook?depth=200`)).body.bids).toHaveLength(100);
    expect((await demo.post('/orders/batch', { orders: [...orders, orders[0]] })).status).toBe(400);
  });

  it.each<[string, unknown]>([
    ['no orders', { orders: [] }],
    ['no list', {}],
    ['an object for a list', { orders: { 0: {} } }],
    ['a text for a list', { orders: 'all' }],
    ['more than orders', { orders: [{}], atomic: true }],
  ])('refuses a batch of %s', async (_name, batch) => {
    expect(await demo.post('/orders/batch', batch)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'order'],
    ['a number', 7],
    ['a list', []],
    ['a list of orders', [limit('BTC-USD', 'buy', '1', '1')]],
    ['nothing', {}],
    ['an unknown field', { ...limit('BTC-USD', 'buy', '1', '1'), quantity: '1' }],
  ])('refuses %s for an order, alone', async (_name, order) => {
    const { status, body } = await demo.post('/orders/batch', {
      orders: [order, limit(market, 'buy', '1', '1')],
    });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 400, error: { code: 'validation_failed' } },
      { status: 201 },
    ]);
  });

  it('takes 256 KB and no more', async () => {
    const padded = (bytes: number): string => {
      const text = JSON.stringify({ orders: [limit(market, 'buy', '1', '1')] });
      return text + ' '.repeat(bytes - text.length);
    };
    expect((await demo.send('POST', '/orders/batch', padded(256 * 1024))).status).toBe(200);
    expect((await demo.send('POST', '/orders/batch', padded(256 * 1024 + 1))).status).toBe(413);
  });
});
