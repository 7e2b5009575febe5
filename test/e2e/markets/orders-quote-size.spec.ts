import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { amountOf } from '../../../src/domain/money/amount.js';

describe('market orders by an amount of the quote asset', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** A market for each test, so that books start empty. Takers pay a tenth of a percent. */
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
    market = await createMarket(operator, `SPEND-${++markets}`, {
      taker_fee_rate: '0.001',
      min_size: '0.01',
    });
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const by = (side: string, quoteSize: string, more: Json = {}): Json => ({
    market_id: market,
    side,
    type: 'market',
    quote_size: quoteSize,
    ...more,
  });
  const total = async (): Promise<bigint> => amountOf((await demo.balance('USD')).total);

  it('buys what the amount pays for, fee included, in whole lots', async () => {
    await maker.place(limit(market, 'sell', '100', '1'));
    await maker.place(limit(market, 'sell', '110', '5'));
    const before = await total();
    const order = await demo.place(by('buy', '200'));
    // 1 for 100.1, and of the rest 0.907 for 99.77 and a fee of 0.09977.
    expect(order).toMatchObject({
      status: 'filled',
      size: '1.907',
      filled_size: '1.907',
      remaining_size: '0',
      fees: '0.19977',
      fills: [
        { price: '100', size: '1' },
        { price: '110', size: '0.907' },
      ],
    });
    const spent = before - (await total());
    expect(spent).toBe(amountOf('199.96977'));
    expect(spent).toBeLessThanOrEqual(amountOf('200'));
    expect(amountOf('200') - spent).toBeLessThan(amountOf('0.111'));
  });

  it('sells as much as brings in the amount before the fee', async () => {
    await maker.place(limit(market, 'buy', '100', '1'));
    await maker.place(limit(market, 'buy', '90', '1'));
    const order = await demo.place(by('sell', '145'));
    expect(order).toMatchObject({ status: 'filled', size: '1.5', fees: '0.145' });
  });

  it('takes what the book has where that is less', async () => {
    await maker.place(limit(market, 'sell', '100', '0.5'));
    expect(await demo.place(by('buy', '1000'))).toMatchObject({ status: 'filled', size: '0.5' });
  });

  it('is previewed as it is carried out', async () => {
    await maker.place(limit(market, 'sell', '100', '1'));
    const preview = await demo.post('/orders/preview', by('buy', '50'));
    const order = await demo.place(by('buy', '50'));
    expect(preview).toMatchObject({
      status: 200,
      body: { status: 'filled', filled_size: order.size, fees: order.fees },
    });
  });

  it.each([
    ['an empty book', null, '100', 422, 'insufficient_liquidity'],
    ['an amount below the smallest size', '100', '0.99', 422, 'size_out_of_range'],
    ['nothing', '100', '0', 422, 'size_out_of_range'],
    ['a negative amount', '100', '-1', 400, 'validation_failed'],
    ['an exponent', '100', '1e3', 400, 'validation_failed'],
    ['too many decimals', '100', '0.0000000000000000001', 400, 'validation_failed'],
    ['a number', '100', 100, 400, 'validation_failed'],
  ])('refuses %s, and changes nothing', async (_what, price, quoteSize, status, code) => {
    if (price !== null) await maker.place(limit(market, 'sell', price, '10'));
    const before = await demo.balance('USD');
    const reply = await demo.post('/orders', by('buy', quoteSize as string));
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status, body: { error: { code } } });
    expect(await demo.balance('USD')).toEqual(before);
  });

  it('refuses a sale of more than the account has', async () => {
    await maker.place(limit(market, 'buy', '0.01', '100000'));
    const reply = await demo.post('/orders', by('sell', '1000'));
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'insufficient_funds' } } });
  });

  it.each([
    ['a size beside it', { size: '1' }],
    ['a limit order', { type: 'limit', price: '100' }],
    ['a stop', { type: 'stop', stop_price: '100' }],
    ['FOK', { time_in_force: 'FOK' }],
  ])('refuses %s', async (_what, more) => {
    const reply = await demo.post('/orders', by('buy', '100', more));
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
  });

  it('is answered once under its client_order_id, also after the market has changed', async () => {
    await maker.place(limit(market, 'sell', '100', '5'));
    const order = by('buy', '100', { client_order_id: `spend-${market}` });
    const first = await demo.post('/orders', order);
    expect(first.status).toBe(201);
    const changed = await operator.patch(`/admin/markets/${market}`, { max_size: '1000' });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const again = await demo.post('/orders', order);
    expect([again.status, again.body.order_id]).toEqual([200, first.body.order_id]);
    const other = await demo.post('/orders', { ...order, quote_size: '101' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'duplicate_client_order_id' } } });
  });

  it('never spends more than it may, however many come at once', async () => {
    for (let price = 100; price < 110; price++)
      await maker.place(limit(market, 'sell', String(price), '0.37'));
    const before = await total();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => demo.post('/orders', by('buy', '17.3'))),
    );
    for (const { status, body } of replies) expect([201, 422], JSON.stringify(body)).toContain(status);
    const placed = replies.filter(({ status }) => status === 201).length;
    expect(placed).toBeGreaterThan(10);
    expect(before - (await total())).toBeLessThanOrEqual(BigInt(placed) * amountOf('17.3'));
  });
});
