import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('order entry over the socket', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let token: string;
  let market: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator, token] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
      tokenFor(app.url, 'demo'),
    ]);
    market = await createMarket(operator, 'SOCKET-ORDERS');
  });
  beforeEach(async () => {
    await demo.delete('/orders?all=true');
    await maker.delete('/orders?all=true');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    await expectBalancedBooks(operator);
  });
  afterAll(() => app.close());

  function connect(auth: Json = { token }): Socket {
    const socket = io(`${app.url}/account`, { transports: ['websocket'], forceNew: true, auth });
    sockets.push(socket);
    return socket;
  }

  async function placed(socket: Socket, order: Json): Promise<Json> {
    const { data, error } = await socket.emitWithAck('orders.place', order);
    expect(error).toBeUndefined();
    return data;
  }

  const liveOrders = async (): Promise<Json[]> =>
    (await demo.get('/orders?status=open,partially_filled&limit=200')).body.data;

  it('acknowledges with what the routes answer', async () => {
    const socket = connect();
    await maker.place(limit(market, 'sell', '100', '1'));
    const taken = await placed(socket, limit(market, 'buy', '100', '0.4'));
    expect(taken).toMatchObject({
      status: 'filled',
      fills: [{ price: '100', size: '0.4', liquidity: 'taker' }],
    });
    expect(taken).toEqual((await demo.get(`/orders/${taken.order_id}`)).body);

    const resting = await placed(socket, limit(market, 'buy', '90', '2'));
    const amended = await socket.emitWithAck('orders.amend', { order_id: resting.order_id, size: '1' });
    expect(amended.data).toMatchObject({ order_id: resting.order_id, size: '1', status: 'open' });
    const cancelled = await socket.emitWithAck('orders.cancel', { order_id: resting.order_id });
    expect(cancelled.data).toEqual((await demo.get(`/orders/${resting.order_id}`)).body);
    expect(cancelled.data.status).toBe('cancelled');

    const { data } = await socket.emitWithAck('orders.batch', {
      orders: [
        limit(market, 'buy', '80', '1'),
        limit(market, 'buy', '81', '0'),
        limit(market, 'buy', '82', '1'),
      ],
    });
    expect(data.results).toMatchObject([
      { status: 201, order: { price: '80' } },
      { status: 422, error: { code: 'size_out_of_range' } },
      { status: 201, order: { price: '82' } },
    ]);
    expect(await socket.emitWithAck('orders.cancel_all', { market_id: market })).toEqual({
      data: { cancelled: [data.results[0].order.order_id, data.results[2].order.order_id] },
    });
    expect(await liveOrders()).toEqual([]);
  });

  it('finds a repeat by its client_order_id, here and over HTTP', async () => {
    const socket = connect();
    const order = limit(market, 'buy', '50', '1', { client_order_id: 'socket-1' });
    const first = await placed(socket, order);
    expect(await placed(socket, order)).toEqual(first);
    expect(await demo.post('/orders', order)).toMatchObject({
      status: 200,
      body: { order_id: first.order_id },
    });
    expect(await socket.emitWithAck('orders.place', { ...order, price: '51' })).toMatchObject({
      error: { code: 'duplicate_client_order_id' },
    });
  });

  it('keeps its answers apart, whatever is on its way at once', async () => {
    const socket = connect();
    const updates: Json[] = [];
    socket.on('account.update', (event) => updates.push(event));
    await socket.emitWithAck('subscribe', {});
    const orders = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        placed(
          socket,
          limit(market, 'buy', String(10 + (i % 70)), '0.001', { client_order_id: `many-${i}` }),
        ),
      ),
    );
    orders.forEach((order, i) => expect(order.client_order_id).toBe(`many-${i}`));
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(500);
    await eventually(() => {
      const told = updates.flatMap(({ data }) => data.orders);
      expect(new Set(told.map(({ order_id }: Json) => order_id)).size).toBe(500);
    });
    updates.reduce((before: Json, event) => {
      expect(event.data.previous_sequence).toBe(before.sequence);
      return event;
    });
  });

  it.each<[string, string, Json, string]>([
    ['nothing', 'orders.place', undefined, 'validation_failed'],
    ['a list', 'orders.place', [1], 'malformed_request'],
    [
      'an unknown field',
      'orders.place',
      { ...limit('BTC-USD', 'buy', '1', '1'), leverage: 5 },
      'validation_failed',
    ],
    ['a number as price', 'orders.place', limit('BTC-USD', 'buy', 1 as never, '1'), 'validation_failed'],
    [
      'a market order with a price',
      'orders.place',
      { ...limit('BTC-USD', 'buy', '1', '1'), type: 'market' },
      'validation_failed',
    ],
    ['no such market', 'orders.place', limit('NO-SUCH', 'buy', '1', '1'), 'market_not_found'],
    [
      'a foreign account',
      'orders.place',
      limit('BTC-USD', 'buy', '1', '1', { account_id: 'acc_0000000000N' }),
      'account_not_found',
    ],
    [
      'more money than there is',
      'orders.place',
      limit('BTC-USD', 'buy', '60000', '10000'),
      'insufficient_funds',
    ],
    ['an empty batch', 'orders.batch', { orders: [] }, 'validation_failed'],
    ['101 orders', 'orders.batch', { orders: Array.from({ length: 101 }, () => 1) }, 'validation_failed'],
    ['an id that is none', 'orders.cancel', { order_id: 'x' }, 'order_not_found'],
    ['an id that is a number', 'orders.cancel', { order_id: 7 }, 'validation_failed'],
    ['an amendment of nothing', 'orders.amend', { order_id: 'ord_0000000001D' }, 'validation_failed'],
    ['all and one market', 'orders.cancel_all', { all: true, market_id: 'BTC-USD' }, 'validation_failed'],
    ['a negative time', 'orders.cancel_after', { timeout_ms: -1 }, 'validation_failed'],
    ['half a millisecond', 'orders.cancel_after', { timeout_ms: 0.5 }, 'validation_failed'],
    ['more than a day', 'orders.cancel_after', { timeout_ms: 86_400_001 }, 'validation_failed'],
    [
      'a switch for another',
      'orders.cancel_after',
      { timeout_ms: 1, account_id: 'acc_0000000000N' },
      'account_not_found',
    ],
    ['a switch that is a text', 'orders.cancel_on_disconnect', { enabled: 'yes' }, 'validation_failed'],
    ['another’s account', 'subscribe', { account_id: 'acc_0000000000N' }, 'account_not_found'],
    ['an offset below zero', 'subscribe', { offset: -1 }, 'validation_failed'],
  ])('refuses %s in the envelope', async (_name, type, message, code) => {
    const socket = connect();
    expect(await socket.emitWithAck(type, message)).toMatchObject({
      error: { code, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(socket.connected).toBe(true);
  });

  it('asks for a credential, and for each message for its scope', async () => {
    const refused = (auth: Json): Promise<Json> =>
      new Promise((resolve, reject) => {
        const socket = connect(auth);
        socket
          .on('connect', () => reject(new Error('let in')))
          .on('connect_error', (error) => resolve(error));
      });
    expect(await refused({})).toMatchObject({ data: { error: { code: 'authentication_required' } } });
    expect(await refused({ token: 'nonsense' })).toMatchObject({
      data: { error: { code: 'invalid_token' } },
    });
    expect(await refused({ token: await tokenFor(app.url, 'demo', 'markets:trade') })).toMatchObject({
      data: { error: { code: 'insufficient_scope' } },
    });
    const reader = connect({ token: await tokenFor(app.url, 'demo', 'account:read') });
    expect(await reader.emitWithAck('subscribe', {})).toHaveProperty('data.sequence');
    for (const [type, message] of [
      ['orders.place', limit(market, 'buy', '1', '1')],
      ['orders.cancel_all', { all: true }],
      ['orders.cancel_after', { timeout_ms: 1 }],
      ['orders.cancel_on_disconnect', { enabled: true }],
    ] as const) {
      expect(await reader.emitWithAck(type, message)).toMatchObject({
        error: { code: 'insufficient_scope' },
      });
    }
  });

  it('never shows or touches what belongs to another', async () => {
    const theirs = await maker.place(limit(market, 'sell', '500', '1'));
    const socket = connect();
    const events: Json[] = [];
    socket.onAny((_type, event) => events.push(event));
    await socket.emitWithAck('subscribe', {});
    for (const type of ['orders.cancel', 'orders.amend']) {
      expect(await socket.emitWithAck(type, { order_id: theirs.order_id, size: '0.5' })).toMatchObject(
        type === 'orders.amend'
          ? { error: { code: 'order_not_found' } }
          : { error: { code: 'validation_failed' } },
      );
    }
    expect(await socket.emitWithAck('orders.cancel', { order_id: theirs.order_id })).toMatchObject({
      error: { code: 'order_not_found' },
    });
    await maker.place(limit(market, 'sell', '501', '1'));
    await placed(socket, limit(market, 'buy', '1', '1'));
    await eventually(() => expect(events.length).toBeGreaterThan(1));
    expect(JSON.stringify(events)).not.toContain(theirs.account_id);
  });

  it('takes from the budget that HTTP has for orders, and goes on', async () => {
    const socket = connect();
    const burst = (): Promise<Json[]> =>
      Promise.all(Array.from({ length: 3_000 }, () => socket.emitWithAck('orders.cancel', {})));
    // On a slow machine one burst may span two windows of the budget.
    await eventually(async () =>
      expect((await burst()).map(({ error }) => error.code)).toContain('rate_limited'),
    );
    await eventually(async () => {
      expect(await socket.emitWithAck('orders.cancel', { order_id: 'x' })).toMatchObject({
        error: { code: 'order_not_found' },
      });
    });
  });

  describe('switches', () => {
    const rest = (socket: Socket, price = '40'): Promise<Json> =>
      placed(socket, limit(market, 'buy', price, '1'));
    const untilCancelled = (): Promise<void> =>
      eventually(async () => expect(await liveOrders()).toEqual([]));

    it('cancel all orders once the connection is lost, where that is asked for', async () => {
      const [armed, other] = [connect(), connect()];
      await rest(other);
      expect(await armed.emitWithAck('orders.cancel_on_disconnect', { enabled: true })).toMatchObject({
        data: { account_id: expect.stringMatching(/^acc_/), enabled: true },
      });
      other.disconnect();
      await rest(armed, '41');
      expect(await liveOrders()).toHaveLength(2);
      armed.disconnect();
      await untilCancelled();
    });

    it('leave orders alone once they are off', async () => {
      const socket = connect();
      await socket.emitWithAck('orders.cancel_on_disconnect', { enabled: true });
      await socket.emitWithAck('orders.cancel_on_disconnect', { enabled: false });
      await socket.emitWithAck('orders.cancel_after', { timeout_ms: 200 });
      expect(await socket.emitWithAck('orders.cancel_after', { timeout_ms: 0 })).toMatchObject({
        data: { triggers_at: null },
      });
      await rest(socket);
      socket.disconnect();
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(await liveOrders()).toHaveLength(1);
    });

    it('cancel all orders unless the timer is set again, and are off then', async () => {
      const socket = connect();
      await rest(socket);
      const armed = await demo.post('/orders/cancel-after', { timeout_ms: 60_000 });
      expect(armed).toMatchObject({ status: 200, body: { triggers_at: expect.stringMatching(/Z$/) } });
      expect((await demo.get('/orders/cancel-after')).body).toEqual(armed.body);
      const again = await socket.emitWithAck('orders.cancel_after', { timeout_ms: 300 });
      expect(Date.parse(again.data.triggers_at)).toBeLessThan(Date.parse(armed.body.triggers_at));
      await untilCancelled();
      await eventually(async () =>
        expect((await demo.get('/orders/cancel-after')).body.triggers_at).toBeNull(),
      );
      await rest(socket);
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(await liveOrders()).toHaveLength(1);
    });
  });
});
