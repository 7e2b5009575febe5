import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createEvent } from '../../support/clients/exchange-client.js';
import { inDays, limitsOf, newTrader, setLimit, type Trader } from '../../support/clients/limits-client.js';
import { expectBalancedBooks, limit, marketOrder } from '../../support/clients/markets-client.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';

let app: TestApp;
let operator: Caller;
let maker: Caller;
let market: string;
let trader: Trader;
let made = 0;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  [operator, maker] = await Promise.all([callerFor(app.url, 'admin'), callerFor(app.url, 'maker')]);
});

beforeEach(async () => {
  const number = ++made;
  market = await createEvent(operator, `STAKE-${number}`);
  trader = await newTrader(app, operator, `staker-${number}`);
});

afterEach(() => expectBalancedBooks(operator));
afterAll(() => app?.close());

const used = async (): Promise<[string, string]> => {
  const [first] = await limitsOf(trader.caller);
  return [first.used, first.remaining];
};
const BEYOND = '422 self_limit_exceeded';

describe('a stake limit', () => {
  it('lets through what it leaves and says what it refuses', async () => {
    const { caller } = trader;
    expect(await setLimit(caller, '10')).toMatchObject({
      kind: 'stake',
      asset: 'USD',
      amount: '10',
      period: 'day',
      used: '0',
      remaining: '10',
      pending_amount: null,
      effective_at: null,
    });
    await caller.place(limit(market, 'buy', '0.40', '20'));
    await caller.place(limit(market, 'sell', '0.90', '10'));
    expect(await used()).toEqual(['9', '1']);
    const refused = await caller.post('/orders', limit(market, 'buy', '0.40', '3'));
    expect(refusalOf(refused)).toBe(BEYOND);
    expect(refused.body.error.message).toContain(
      'The stake limit of 10 USD a day has 9 used and leaves 1 until ',
    );
    await caller.place(limit(market, 'buy', '0.50', '2'));
    expect(await used()).toEqual(['10', '0']);
  });

  it('accepts exactly what fits of fifty orders at once', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => caller.post('/orders', limit(market, 'buy', '0.50', '2'))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(replies.filter(({ status }) => status !== 201).map(refusalOf))).toEqual(new Set([BEYOND]));
    expect(await used()).toEqual(['10', '0']);
  });

  it('gives back what is cancelled, and not what is filled', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const { order_id } = await caller.place(limit(market, 'buy', '0.50', '20'));
    await maker.place(limit(market, 'sell', '0.50', '6'));
    expect(await used()).toEqual(['10', '0']);
    expect((await caller.delete(`/orders/${order_id}`)).status).toBe(200);
    expect(await used()).toEqual(['3', '7']);
    await caller.place(limit(market, 'sell', '0.10', '6', { time_in_force: 'IOC', reduce_only: true }));
    expect(await used()).toEqual(['3', '7']);
  });

  it('counts a taker at what it pays', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    await maker.place(limit(market, 'sell', '0.20', '100'));
    expect(refusalOf(await caller.post('/orders', marketOrder(market, 'buy', '51')))).toBe(BEYOND);
    await caller.place(marketOrder(market, 'buy', '30'));
    expect(await used()).toEqual(['6', '4']);
    await caller.place(limit(market, 'buy', '0.80', '20', { time_in_force: 'IOC' }));
    expect(await used()).toEqual(['10', '0']);
  });

  it('never stands in the way of closing', async () => {
    const { caller } = trader;
    await maker.place(limit(market, 'sell', '0.50', '20'));
    await maker.place(limit(market, 'buy', '0.40', '20'));
    await caller.place(marketOrder(market, 'buy', '20'));
    await setLimit(caller, '0');
    expect(await used()).toEqual(['10', '0']);
    await caller.place(limit(market, 'sell', '0.45', '10'));
    await caller.place(marketOrder(market, 'sell', '10', { reduce_only: true }));
    // Beyond what is held it would open a position on the other side.
    expect(refusalOf(await caller.post('/orders', limit(market, 'sell', '0.45', '1')))).toBe(BEYOND);
    expect(refusalOf(await caller.post('/orders', marketOrder(market, 'sell', '1')))).toBe(BEYOND);
  });

  it('counts what all accounts of the owner do, on whichever it was set', async () => {
    const { caller, accountId } = trader;
    const { body: desk } = await caller.post('/accounts', { name: 'Desk' });
    const destination = { type: 'account', account_id: desk.account_id };
    const moved = await caller.post('/accounts/me/transfers', { asset: 'USD', amount: '50', destination });
    expect(moved.status, JSON.stringify(moved.body)).toBe(201);
    const at = (account_id: string, size: string): Promise<Json> =>
      caller.post('/orders', { ...limit(market, 'buy', '0.50', size), account_id });
    await setLimit(caller, '10');
    const { body: late } = await caller.post('/accounts', { name: 'Late' });
    await caller.post('/accounts/me/transfers', {
      asset: 'USD',
      amount: '50',
      destination: { type: 'account', account_id: late.account_id },
    });
    expect((await at(desk.account_id, '10')).status).toBe(201);
    expect(refusalOf(await at(late.account_id, '11'))).toBe(BEYOND);
    expect(refusalOf(await at(accountId, '11'))).toBe(BEYOND);
    expect((await at(accountId, '2')).status).toBe(201);
    expect((await caller.get(`/accounts/${late.account_id}/limits`)).body.limits).toMatchObject([
      { account_id: accountId, used: '6', remaining: '4' },
    ]);
    // But not to a key that sees the other account alone.
    const terms = { name: 'Desk', scopes: ['account:read'], account_id: desk.account_id };
    const key = caller.withApiKey((await caller.post('/auth/api-keys', terms)).body.api_key);
    expect((await key.get(`/accounts/${desk.account_id}/limits`)).body.limits).toEqual([]);
    // At the same moment, too.
    const ids = [accountId, desk.account_id, late.account_id];
    const replies = await Promise.all(Array.from({ length: 24 }, (_, i) => at(ids[i % 3], '1')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(8);

    const other = await createEvent(operator, `${market}-2`);
    const onDesk = { kind: 'stake', asset: 'USD', amount: '5', period: 'month' };
    expect((await caller.post(`/accounts/${desk.account_id}/limits`, onDesk)).status).toBe(200);
    expect(refusalOf(await caller.post('/orders', limit(other, 'buy', '0.50', '1')))).toBe(BEYOND);
  });

  it('decides over a batch on several accounts of one owner as over one', async () => {
    const { caller, accountId } = trader;
    await setLimit(caller, '1');
    const { body: desk } = await caller.post('/accounts', { name: 'Desk' });
    const destination = { type: 'account', account_id: desk.account_id };
    await caller.post('/accounts/me/transfers', { asset: 'USD', amount: '50', destination });
    const order = limit(market, 'buy', '0.50', '2');
    const orders = [accountId, desk.account_id].map((account_id) => ({ ...order, account_id }));
    const { body } = await caller.post('/orders/batch', { orders });
    expect(body.results.map(({ error }: Json) => error?.code)).toEqual([undefined, 'self_limits_changed']);
  });

  it('leaves spot markets and other assets alone', async () => {
    await setLimit(trader.caller, '0');
    await trader.caller.place(limit('BTC-USD', 'buy', '1.00', '1'));
  });

  it('counts a repeat once', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const order = limit(market, 'buy', '0.50', '20', { client_order_id: 'once' });
    const replies = await Promise.all(Array.from({ length: 8 }, () => caller.post('/orders', order)));
    expect(new Set(replies.map(({ body }) => body.order_id)).size).toBe(1);
    expect(await used()).toEqual(['10', '0']);
    expect((await caller.post('/orders', order)).status).toBe(200);
    const refused = limit(market, 'buy', '0.50', '2');
    expect(refusalOf(await caller.post('/orders', refused, { 'idempotency-key': 'later' }))).toBe(BEYOND);
    expect((await caller.delete('/orders?all=true')).status).toBe(200);
    expect((await caller.post('/orders', refused, { 'idempotency-key': 'later' })).status).toBe(201);
    expect((await caller.post('/orders', refused, { 'idempotency-key': 'later' })).status).toBe(200);
    expect(await used()).toEqual(['1', '9']);
  });

  it('decides each order of a batch alone', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const orders = ['12', '6', '4', '2'].map((size) => limit(market, 'buy', '0.50', size));
    const { body } = await caller.post('/orders/batch', { orders });
    expect(body.results.map(({ status }: Json) => status)).toEqual([201, 201, 422, 201]);
    expect(await used()).toEqual(['10', '0']);
  });

  it('holds at sockets, for clients and keys', async () => {
    const { caller, username } = trader;
    await setLimit(caller, '1');
    const key = await caller.post('/auth/api-keys', { name: 'Bot', scopes: ['markets:trade'] });
    const order = limit(market, 'buy', '0.50', '3');
    expect(refusalOf(await caller.withApiKey(key.body.api_key).post('/orders', order))).toBe(BEYOND);
    const { body: token } = await caller.tryLogIn(username, `${username}-password`);
    const socket = io(`${app.url}/account`, { transports: ['websocket'], forceNew: true, auth: { token } });
    try {
      const answer: Json = await socket.timeout(10_000).emitWithAck('orders.place', order);
      expect(answer.error.code).toBe('self_limit_exceeded');
    } finally {
      socket.disconnect();
    }
  });

  it('is previewed without being used', async () => {
    const { caller } = trader;
    await setLimit(caller, '1');
    expect(refusalOf(await caller.post('/orders/preview', limit(market, 'buy', '0.50', '3')))).toBe(BEYOND);
    expect((await caller.post('/orders/preview', limit(market, 'buy', '0.50', '2'))).status).toBe(200);
    expect(await used()).toEqual(['0', '1']);
  });

  it('counts what an amendment adds', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const { order_id } = await caller.place(limit(market, 'buy', '0.50', '10'));
    expect(refusalOf(await caller.patch(`/orders/${order_id}`, { size: '21' }))).toBe(BEYOND);
    expect((await caller.patch(`/orders/${order_id}`, { size: '18' })).status).toBe(200);
    expect(await used()).toEqual(['9', '1']);
    expect((await caller.patch(`/orders/${order_id}`, { size: '4' })).status).toBe(200);
    expect(await used()).toEqual(['2', '8']);
  });

  it('counts a replacement against what the first order gives back', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const first = await caller.place(limit(market, 'buy', '0.50', '16'));
    const { market_id: _, ...terms } = limit(market, 'buy', '0.50', '20');
    const { body: full } = await caller.post(`/orders/${first.order_id}/replace`, terms);
    expect(full.order).toMatchObject({ status: 'open', size: '20' });
    expect(await used()).toEqual(['10', '0']);
    const { body: beyond } = await caller.post(`/orders/${full.order.order_id}/replace`, {
      ...terms,
      size: '21',
    });
    expect(beyond).toMatchObject({
      replaced: { status: 'cancelled' },
      order: { status: 'rejected', status_reason: 'self_limit_exceeded' },
    });
    expect(await used()).toEqual(['0', '10']);
  });

  it('holds for quotes and the bets that they become', async () => {
    const { caller } = trader;
    await maker.place(limit(market, 'sell', '0.50', '100'));
    await setLimit(caller, '10');
    const asked = await caller.post('/quotes', { market_id: market, side: 'buy', size: '20' });
    expect(asked.status, JSON.stringify(asked.body)).toBe(201);
    const refused = await caller.post('/quotes', { market_id: market, side: 'buy', size: '21' });
    expect(refusalOf(refused)).toBe(BEYOND);
    await setLimit(caller, '9');
    const { quote_id } = asked.body;
    expect(refusalOf(await caller.post('/matched-bets/preview', { quote_id }))).toBe(BEYOND);
    expect(refusalOf(await caller.post('/matched-bets', { quote_id }))).toBe(BEYOND);
    expect(await used()).toEqual(['0', '9']);
  });

  it('counts a stop without a limit at the value of its contracts', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const stop = { market_id: market, side: 'buy', type: 'stop', stop_price: '0.60' };
    expect(refusalOf(await caller.post('/orders', { ...stop, size: '11' }))).toBe(BEYOND);
    const { order_id } = await caller.place({ ...stop, size: '10' });
    expect(await used()).toEqual(['10', '0']);
    await maker.place(limit(market, 'sell', '0.60', '50'));
    const second = await callerFor(app.url, 'demo');
    await second.place(marketOrder(market, 'buy', '1'));
    expect((await caller.get(`/orders/${order_id}`)).body).toMatchObject({ status: 'filled' });
    expect(await used()).toEqual(['6', '4']);
  });

  it('is exact with odd decimals and huge amounts', async () => {
    const { caller } = trader;
    await setLimit(caller, '999999999999999999.99', { period: 'month' });
    await setLimit(caller, '0.99');
    expect(refusalOf(await caller.post('/orders', limit(market, 'buy', '0.11', '10')))).toBe(BEYOND);
    await caller.place(limit(market, 'buy', '0.11', '9'));
    const limits = await limitsOf(caller);
    expect(limits.map(({ remaining }) => remaining)).toEqual(['999999999999999999', '0']);
    for (const [amount, code] of [
      ['0.001', '422 amount_too_precise'],
      ['-1', '400 validation_failed'],
      ['1e3', '400 validation_failed'],
      ['1000000000000000000', '400 validation_failed'],
    ] as const) {
      const body = { kind: 'stake', asset: 'USD', amount, period: 'week' };
      expect(refusalOf(await caller.post('/accounts/me/limits', body))).toBe(code);
    }
  });

  it('is in force with its answer, against orders on their way', async () => {
    const { caller } = trader;
    const order = limit(market, 'buy', '0.50', '2');
    await setLimit(caller, '1000');
    const answeredAfter: Promise<void>[] = [];
    let isSet = false;
    for (let i = 0; i < 20; i++) {
      answeredAfter.push(
        caller.post('/orders', order).then(({ status }) => {
          if (isSet) expect(status).toBe(422);
        }),
      );
    }
    await setLimit(caller, '0');
    isSet = true;
    await Promise.all(answeredAfter);
    expect(refusalOf(await caller.post('/orders', order))).toBe(BEYOND);
  });
});

describe('accounts of others', () => {
  it('answer like missing ones', async () => {
    const stranger = await logIn(app, 'bob');
    const body = { kind: 'stake', asset: 'USD', amount: '1', period: 'day' };
    const { limit_id } = await setLimit(trader.caller, '5');
    const path = `/accounts/${trader.accountId}/limits`;
    expect(refusalOf(await stranger.get(path))).toBe('404 account_not_found');
    expect(refusalOf(await stranger.post(path, body))).toBe('404 account_not_found');
    expect(refusalOf(await stranger.delete(`${path}/${limit_id}`))).toBe('404 account_not_found');
    expect(refusalOf(await stranger.delete(`/accounts/me/limits/${limit_id}`))).toBe('404 not_found');
    expect(refusalOf(await stranger.delete('/accounts/me/limits/lim_1'))).toBe('404 not_found');
    expect(refusalOf(await operator.post(path, body))).toBe('403 forbidden');
    expect(refusalOf(await trader.caller.get(`/admin${path}`))).toBe('403 insufficient_scope');
    expect((await operator.get(`/admin${path}`)).body.limits).toMatchObject([{ limit_id, amount: '5' }]);
  });

  it('cannot be limited by what acts for a user', async () => {
    const key = await trader.caller.post('/auth/api-keys', { name: 'Bot', scopes: ['markets:trade'] });
    const bot = trader.caller.withApiKey(key.body.api_key);
    const body = { kind: 'stake', asset: 'USD', amount: '1', period: 'day' };
    expect(refusalOf(await bot.post('/accounts/me/limits', body))).toBe('403 forbidden');
    expect(refusalOf(await bot.post('/user/exclusion', { until: inDays(2) }))).toBe('403 forbidden');
  });
});
