import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

describe('replacing an order', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** A market for each test, so that books start empty. */
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
    market = await createMarket(operator, `REPLACE-${++markets}`);
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const terms = (side: string, price: string, size: string, more: Json = {}): Json => {
    const { market_id: _, ...order } = limit(market, side as 'buy', price, size);
    return { ...order, ...more };
  };
  const bid = (price: string, size = '1', more: Json = {}): Json => terms('buy', price, size, more);
  const pathOf = ({ order_id }: Json): string => `/orders/${order_id}/replace`;
  const stateOf = async ({ order_id }: Json): Promise<Json> => (await demo.get(`/orders/${order_id}`)).body;

  it('cancels and places in one command', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '2'));
    const before = await demo.balance('USD');
    const reply = await demo.post(pathOf(first), bid('90', '1', { client_order_id: `next-${market}` }));
    expect(reply).toMatchObject({
      status: 201,
      body: {
        replaced: { order_id: first.order_id, status: 'cancelled', status_reason: 'replaced' },
        order: {
          status: 'open',
          price: '90',
          size: '1',
          market_id: market,
          client_order_id: `next-${market}`,
        },
      },
    });
    const { replaced, order } = reply.body;
    expect(order.order_id).not.toBe(first.order_id);
    expect(order.sequence).toBe(replaced.sequence);
    expect(await stateOf(order)).toEqual(order);
    expect(await stateOf(first)).toEqual(replaced);
    const after = await demo.balance('USD');
    expect(Number(before.held) - Number(after.held)).toBe(110);
    const { body: book } = await demo.get(`/markets/${market}/orderbook`);
    expect([book.bids, book.asks]).toEqual([[['90', '1', 1]], []]);
  });

  it.each([
    ['a bid', bid('101', '3')],
    ['an offer that would meet the first order', terms('sell', '100', '1')],
    ['too much', bid('100', '100000000')],
  ])('is previewed as it is then carried out: %s', async (_what, body) => {
    await maker.place(limit(market, 'sell', '101', '1'));
    await maker.place(limit(market, 'buy', '99', '5'));
    const first = await demo.place(limit(market, 'buy', '100', '2'));
    const before = await demo.balance('USD');
    const told = await demo.post(`${pathOf(first)}/preview`, body);
    expect(told).toMatchObject({
      status: 200,
      body: { replaced: { remaining_size: '2', released: { asset: 'USD', amount: '200' } } },
    });
    expect(await stateOf(first)).toEqual(first);
    expect(await demo.balance('USD')).toEqual(before);
    const { order } = (await demo.post(pathOf(first), body)).body;
    const { status, status_reason, filled_size, remaining_size, average_fill_price, fees } = order;
    expect(told.body.order).toMatchObject({
      status,
      status_reason,
      filled_size,
      remaining_size,
      average_fill_price,
      fees,
    });
  });

  it('is refused in a preview as it would be', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const preview = (body: Json): Promise<Json> => demo.post(`${pathOf(first)}/preview`, body);
    expect(await preview(bid('100.001'))).toMatchObject({ body: { error: { code: 'invalid_tick' } } });
    expect(await preview(bid('1e3'))).toMatchObject({ body: { error: { code: 'validation_failed' } } });
    await demo.delete(`/orders/${first.order_id}`);
    expect(await preview(bid('90'))).toMatchObject({ body: { error: { code: 'order_not_open' } } });
  });

  it('uses the money that the first order held', async () => {
    const all = Number((await demo.balance('USD')).available);
    const size = String(Math.floor(all / 100) - 1);
    const first = await demo.place(limit(market, 'buy', '100', size));
    const { status, body } = await demo.post(pathOf(first), bid('99', size));
    expect([status, body.order.status]).toEqual([201, 'open']);
    await demo.delete(`/orders/${body.order.order_id}`);
  });

  it('may take the other side, and never meets the order that goes', async () => {
    await maker.place(limit(market, 'buy', '99', '1'));
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const { body } = await demo.post(pathOf(first), terms('sell', '99', '1'));
    expect(body.order).toMatchObject({ status: 'filled', fills: [{ price: '99', liquidity: 'taker' }] });
  });

  it('keeps what the first order has filled', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '3'));
    await maker.place(limit(market, 'sell', '100', '1'));
    const { body } = await demo.post(pathOf(first), bid('101', '2'));
    expect(body.replaced).toMatchObject({ filled_size: '1', status: 'cancelled', fills: [{ size: '1' }] });
    expect(body.order).toMatchObject({ filled_size: '0', status: 'open' });
  });

  it('counts in total_size what the first order has filled by then, told or not', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '3'));
    const total = terms('buy', '101', '3', { size: undefined, total_size: '3' });
    const [, { body }] = await Promise.all([
      maker.place(limit(market, 'sell', '100', '1')),
      demo.post(pathOf(first), total),
    ]);
    const filled = Number(body.replaced.filled_size);
    expect(Number(body.order.size)).toBe(3 - filled);
    expect(filled + Number((await stateOf(body.order)).filled_size)).toBe(1);
    await maker.place(limit(market, 'sell', '101', '5'));
    const { body: fills } = await demo.get(`/markets/${market}/fills`);
    expect(fills.data.reduce((sum: number, { size }: Json) => sum + Number(size), 0)).toBe(3);
  });

  it('refuses a total_size that has been filled, or beside a size', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '3'));
    await maker.place(limit(market, 'sell', '100', '2'));
    const replaced = (size: string | undefined, total: string): ReturnType<Caller['post']> =>
      demo.post(pathOf(first), terms('buy', '101', '1', { size, total_size: total }));
    for (const total of ['1', '2', '0']) {
      const reply = await replaced(undefined, total);
      expect(reply).toMatchObject({ status: 422, body: { error: { code: 'size_below_filled' } } });
    }
    const beside = await replaced('1', '3');
    expect(beside).toMatchObject({ status: 400, body: { error: { details: [{ field: 'total_size' }] } } });
    for (const total of ['0.0000000001', '999999999999', '1e3', '-1', ['3']] as string[]) {
      const { status } = await replaced(undefined, total);
      expect([400, 422], total).toContain(status);
    }
    expect(await stateOf(first)).toMatchObject({ status: 'partially_filled', filled_size: '2' });
    const { body } = await replaced(undefined, '3');
    expect(body.order).toMatchObject({ size: '1', status: 'open' });
  });

  it.each([
    ['a price between two ticks', { price: '100.001' }, 422, 'invalid_tick'],
    ['a price that is none', { price: '1e3' }, 400, 'validation_failed'],
    ['no size', { size: '0' }, 422, 'size_out_of_range'],
    ['a size beyond the bounds', { size: '999999999999' }, 422, 'size_out_of_range'],
    ['a stop price of a limit order', { stop_price: '1' }, 400, 'validation_failed'],
    [
      'a time that has passed',
      { time_in_force: 'GTD', expires_at: '2001-01-01T00:00:00Z' },
      422,
      'already_expired',
    ],
    ['another market', { market_id: 'BTC-USD' }, 400, 'validation_failed'],
    ['another account', { account_id: 'me' }, 400, 'validation_failed'],
    ['another order', { replaced_order_id: 1 }, 400, 'validation_failed'],
  ])('with %s leaves the first order alone', async (_what, wrong, status, code) => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const reply = await demo.post(pathOf(first), bid('90', '1', wrong));
    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(await stateOf(first)).toEqual(first);
  });

  it.each([
    ['lacks money', { price: '100', size: '100000000' }, 'insufficient_funds'],
    ['would trade at once though it may not', { price: '105', post_only: true }, 'post_only_would_cross'],
  ])('leaves both ended where the new order %s', async (_what, wrong, reason) => {
    await maker.place(limit(market, 'sell', '105', '1'));
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const held = Number((await demo.balance('USD')).held);
    const reply = await demo.post(pathOf(first), bid('90', '1', wrong));
    expect(reply).toMatchObject({
      status: 201,
      body: {
        replaced: { status: 'cancelled', status_reason: 'replaced' },
        order: { status: 'rejected', status_reason: reason, filled_size: '0', fills: [] },
      },
    });
    expect(await stateOf(reply.body.order)).toEqual(reply.body.order);
    expect(held - Number((await demo.balance('USD')).held)).toBe(100);
  });

  it('never places another order where the first one has ended', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    await maker.place(limit(market, 'sell', '100', '1'));
    const reply = await demo.post(pathOf(first), bid('90'));
    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'order_not_open' } } });
    const { body } = await demo.get(`/orders?market_id=${market}`);
    expect(body.data).toHaveLength(1);
  });

  it('lets one of many replacements through', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => demo.post(pathOf(first), bid(String(80 + index)))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    const { body: book } = await demo.get(`/markets/${market}/orderbook`);
    expect(book.bids).toHaveLength(1);
  });

  it.each([
    ['Idempotency-Key', (name: string) => [{}, { 'Idempotency-Key': name }] as const],
    ['client_order_id', (name: string) => [{ client_order_id: name }, {}] as const],
  ])('is carried out once under a %s', async (_what, keyed) => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    const [fields, headers] = keyed(`once-${market}`);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => demo.post(pathOf(first), bid('90', '1', fields), headers)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body.order.order_id)).size).toBe(1);
    for (const { body } of replies) expect(body.replaced.order_id).toBe(first.order_id);
    const other = await demo.place(limit(market, 'buy', '100', '1'));
    const reused = await demo.post(pathOf(other), bid('91', '1', fields), headers);
    expect(reused.status, JSON.stringify(reused.body)).toBeGreaterThanOrEqual(409);
    expect((await stateOf(other)).status).toBe('open');
  });

  it('is for those who trade on the account, and reaches no order of others', async () => {
    const foreign = await maker.place(limit(market, 'buy', '100', '1'));
    expect(await demo.post(pathOf(foreign), bid('90'))).toMatchObject({
      status: 404,
      body: { error: { code: 'order_not_found' } },
    });
    expect((await demo.post('/orders/ord_00000000000/replace', bid('90'))).status).toBe(404);
    expect((await maker.get(`/orders/${foreign.order_id}`)).body.status).toBe('open');
  });

  it('waits for nobody where the market is halted: nothing happens', async () => {
    const first = await demo.place(limit(market, 'buy', '100', '1'));
    await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
    const reply = await demo.post(pathOf(first), bid('90'));
    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'market_not_open' } } });
    expect((await stateOf(first)).status).toBe('open');
  });
});
