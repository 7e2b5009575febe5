import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

describe('POST /orders/cancel', () => {
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
    market = await createMarket(operator, `CANCEL-${++markets}`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const rest = (price: string, more: object = {}): Promise<Json> =>
    demo.place(limit(market, 'buy', price, '1', more));

  it('cancels orders by either id and releases their money', async () => {
    const before = await demo.balance('USD');
    const first = await rest('100');
    const second = await rest('101', { client_order_id: `mine-${market}` });
    const third = await rest('102');
    const { status, body } = await demo.post('/orders/cancel', {
      order_ids: [third.order_id, first.order_id],
      client_order_ids: [`mine-${market}`],
    });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { order_id: third.order_id, client_order_id: null, status: 200, order: { status: 'cancelled' } },
      { order_id: first.order_id, status: 200, order: { status: 'cancelled', fills: [] } },
      { order_id: second.order_id, client_order_id: `mine-${market}`, status: 200 },
    ]);
    expect(await demo.balance('USD')).toEqual(before);
  });

  it('leaves the others alone where one is not open, and says why', async () => {
    const open = await rest('100');
    const ended = await rest('101');
    await demo.delete(`/orders/${ended.order_id}`);
    const foreign = await maker.place(limit(market, 'sell', '200', '1'));
    const { body, headers } = await demo.post('/orders/cancel', {
      order_ids: [ended.order_id, foreign.order_id, 'ord_0000000ZZZZ', 'x', '', open.order_id, open.order_id],
      client_order_ids: ['never-used', "'; DROP TABLE orders; --"],
    });
    expect(body.results).toMatchObject([
      { order_id: ended.order_id, status: 409, error: { code: 'order_not_open' } },
      { order_id: foreign.order_id, status: 404, error: { code: 'order_not_found' } },
      { status: 404, error: { code: 'order_not_found', request_id: headers.get('x-request-id') } },
      { order_id: 'x', status: 404 },
      { order_id: '', status: 404 },
      { order_id: open.order_id, status: 200, order: { status: 'cancelled' } },
      { order_id: open.order_id, status: 409, error: { code: 'order_not_open' } },
      { order_id: null, client_order_id: 'never-used', status: 404, error: { code: 'order_not_found' } },
      { order_id: null, client_order_id: "'; DROP TABLE orders; --", status: 404 },
    ]);
    expect((await maker.get(`/orders/${foreign.order_id}`)).body.status).toBe('open');
  });

  it('is one unit under its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': `cancel-${market}` };
    const { order_id: id } = await rest('100');
    const late = { order_ids: [id], client_order_ids: [`late-${market}`] };
    const first = await demo.post('/orders/cancel', late, key);
    expect(first.body.results.map((result: Json) => result.status)).toEqual([200, 404]);
    const repeat = await demo.post('/orders/cancel', late, key);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.results).toMatchObject([{ order_id: id, status: 200 }, { status: 404 }]);

    const later = await rest('101', { client_order_id: `late-${market}` });
    const reused = await demo.post('/orders/cancel', late, key);
    expect(reused).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } });
    expect((await demo.get(`/orders/${later.order_id}`)).body.status).toBe('open');
  });

  it('takes 100 orders, and each costs a point', async () => {
    const { body } = await demo.post('/orders/batch', {
      orders: Array.from({ length: 60 }, (_, i) =>
        limit(market, 'buy', '10', '1', { client_order_id: `many-${market}-${i}` }),
      ),
    });
    const ids = body.results.map(({ order }: Json) => order.order_id);
    const unknown = Array.from({ length: 40 }, (_, i) => `none-${i}`);
    const answer = await demo.post('/orders/cancel', { order_ids: ids, client_order_ids: unknown });
    const statuses = answer.body.results.map((result: Json) => result.status);
    expect(statuses).toEqual([...Array<number>(60).fill(200), ...Array<number>(40).fill(404)]);
    expect((await demo.get(`/orders?market_id=${market}&status=open`)).body.data).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['empty lists', { order_ids: [], client_order_ids: [] }],
    ['nulls', { order_ids: null, client_order_ids: null }],
    ['more than a hundred', { order_ids: Array(60).fill('a'), client_order_ids: Array(41).fill('b') }],
    ['a thousand', { order_ids: Array(1_000).fill('a') }],
    ['a text', { order_ids: 'ord_00000000001' }],
    ['numbers', { order_ids: [1, 2] }],
    ['objects', { client_order_ids: [{}] }],
    ['long ids', { order_ids: ['a'.repeat(65)] }],
    ['other fields', { order_ids: ['a'], all: true }],
    ['a list', [{ order_ids: ['a'] }]],
  ])('refuses %s', async (_, body) => {
    const answer = await demo.post('/orders/cancel', body);
    expect(answer.status).toBe(400);
    expect(['validation_failed', 'malformed_request']).toContain(answer.body.error.code);
  });

  it('keeps to accounts of the caller, with the scope to trade', async () => {
    const order = await maker.place(limit(market, 'sell', '200', '1'));
    const foreign = { account_id: order.account_id, order_ids: [order.order_id] };
    expect((await demo.post('/orders/cancel', foreign)).body.error.code).toBe('account_not_found');
    expect((await maker.post('/orders/cancel', foreign)).body.results).toMatchObject([{ status: 200 }]);
    const stranger = await fetch(`${app.url}/orders/cancel`, { method: 'POST' });
    expect(stranger.status).toBe(401);
  });
});
