import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createEvent } from '../../support/clients/exchange-client.js';
import {
  deposit,
  inDays,
  newTrader,
  setLimit,
  type Trader,
  usd,
} from '../../support/clients/limits-client.js';
import { expectBalancedBooks, limit, marketOrder } from '../../support/clients/markets-client.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';
import { queryOnce } from '../../support/core.js';

const EXCLUDED = '403 self_excluded';

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
  market = await createEvent(operator, `EXCLUDE-${number}`);
  trader = await newTrader(app, operator, `leaver-${number}`);
});

afterEach(() => expectBalancedBooks(operator));
afterAll(() => app?.close());

const exclude = (until = inDays(30)): Promise<Json> => trader.caller.post('/user/exclusion', { until });
const openOrders = async (): Promise<Json[]> => (await trader.caller.get('/orders?status=open')).body.data;

describe('an exclusion', () => {
  it('cancels open orders and says until when it lasts', async () => {
    const { caller } = trader;
    expect((await caller.get('/user/exclusion')).body).toEqual({ since: null, until: null });
    await caller.place(limit(market, 'buy', '0.40', '10'));
    await caller.place(limit('BTC-USD', 'buy', '1.00', '1'));
    const until = inDays(30);
    const { status, body } = await exclude(until);
    expect([status, body.until]).toEqual([200, until]);
    expect((await caller.get('/user/exclusion')).body).toEqual(body);
    expect(await openOrders()).toEqual([]);
    expect((await caller.balance('USD')).held).toBe('0');
  });

  it('refuses every way in, and none out', async () => {
    const { caller, username, accountId } = trader;
    await maker.place(limit(market, 'sell', '0.50', '100'));
    await maker.place(limit(market, 'buy', '0.40', '100'));
    await caller.place(marketOrder(market, 'buy', '10'));
    const quote = await caller.post('/quotes', { market_id: market, side: 'buy', size: '5' });
    const { body: made } = await operator.post('/admin/accounts', { name: 'Second', owner: username });
    await deposit(operator, made.account_id, '100');
    const key = await caller.post('/auth/api-keys', { name: 'Bot', scopes: ['markets:trade'] });
    const bot = caller.withApiKey(key.body.api_key);
    const order = limit(market, 'buy', '0.50', '1');
    expect((await exclude()).status).toBe(200);

    const { quote_id } = quote.body;
    for (const [path, body] of [
      ['/orders', order],
      ['/orders', marketOrder(market, 'buy', '1')],
      ['/orders', limit('BTC-USD', 'buy', '1.00', '1')],
      ['/orders', { ...order, account_id: made.account_id }],
      ['/orders/preview', order],
      ['/quotes', { market_id: market, side: 'buy', size: '5' }],
      ['/matched-bets', { quote_id }],
      ['/matched-bets/preview', { quote_id }],
      ['/demo/deposits', {}],
    ] as const) {
      const reply = await caller.post(path, body);
      if (path !== '/demo/deposits' || reply.status !== 409) expect(refusalOf(reply), path).toBe(EXCLUDED);
    }
    expect(refusalOf(await bot.post('/orders', order))).toBe(EXCLUDED);
    const batch = await bot.post('/orders/batch', { orders: [order, order] });
    expect(batch.body.results.map(({ error }: Json) => error.code)).toEqual([
      'self_excluded',
      'self_excluded',
    ]);
    const { body: token } = await caller.tryLogIn(username, `${username}-password`);
    const socket = io(`${app.url}/account`, { transports: ['websocket'], forceNew: true, auth: { token } });
    try {
      const answer: Json = await socket.timeout(10_000).emitWithAck('orders.place', order);
      expect(answer.error.code).toBe('self_excluded');
    } finally {
      socket.disconnect();
    }
    expect(refusalOf(await operator.post(`/admin/accounts/${accountId}/deposits`, usd('1')))).toBe(EXCLUDED);

    await caller.place(limit(market, 'sell', '0.45', '4'));
    await caller.place(marketOrder(market, 'sell', '6', { reduce_only: true }));
    expect((await caller.delete('/orders?all=true')).status).toBe(200);
    const out = await caller.post('/accounts/me/transfers', {
      asset: 'USD',
      amount: '5',
      destination: { type: 'account', account_id: made.account_id },
    });
    expect(out.status, JSON.stringify(out.body)).toBe(201);
  });

  it('counts for accounts that are opened while it lasts, and for keys that see no other', async () => {
    const { caller } = trader;
    expect((await exclude()).status).toBe(200);
    const { body: opened } = await caller.post('/accounts', { name: 'Escape' });
    const destination = { type: 'account', account_id: opened.account_id };
    expect(
      (await caller.post('/accounts/me/transfers', { asset: 'USD', amount: '50', destination })).status,
    ).toBe(201);
    const terms = { name: 'Bot', scopes: ['markets:trade'], account_id: opened.account_id };
    const key = await caller.post('/auth/api-keys', terms);
    expect(key.status, JSON.stringify(key.body)).toBe(201);
    const bot = caller.withApiKey(key.body.api_key);
    expect(refusalOf(await bot.post('/orders', limit(market, 'buy', '0.50', '1')))).toBe(EXCLUDED);
    const more = { asset: 'USD', amount: '1', reference: 'more' };
    const deposited = await operator.post(`/admin/accounts/${opened.account_id}/deposits`, more);
    expect(refusalOf(deposited)).toBe(EXCLUDED);
  });

  it('counts for users whom its user made, and makes', async () => {
    const order = limit(market, 'buy', '0.40', '1');
    const before = await newTrader(app, operator, `before-${made}`, '10', trader.caller);
    await before.caller.place(order);
    const until = inDays(30);
    expect((await exclude(until)).status).toBe(200);
    expect((await before.caller.get('/orders?status=open')).body.data).toEqual([]);
    expect((await before.caller.get('/user/exclusion')).body.until).toBe(until);
    expect(refusalOf(await before.caller.post('/orders', order))).toBe(EXCLUDED);
    const username = `after-${made}`;
    const password = `${username}-password`;
    expect((await before.caller.post('/user', { username, password })).status).toBe(200);
    const after = await logIn(app, username);
    const [{ account_id }] = (await after.get('/accounts')).body.data;
    const moved = { asset: 'USD', amount: '50', destination: { type: 'account', account_id } };
    expect((await trader.caller.post('/accounts/me/transfers', moved)).status).toBe(201);
    expect(refusalOf(await after.post('/orders', order))).toBe(EXCLUDED);
    const deposited = await operator.post(`/admin/accounts/${account_id}/deposits`, usd('1'));
    expect(refusalOf(deposited)).toBe(EXCLUDED);
    // Nobody whom an operator made.
    await (await newTrader(app, operator, `other-${made}`)).caller.place(order);
  });

  it('counts for who made its user', async () => {
    const child = await newTrader(app, operator, `child-${made}`, '10', trader.caller);
    expect((await child.caller.post('/user/exclusion', { until: inDays(30) })).status).toBe(200);
    const order = limit(market, 'buy', '0.40', '1');
    expect(refusalOf(await trader.caller.post('/orders', order))).toBe(EXCLUDED);
  });

  it('is extended by its user, and shortened by nobody', async () => {
    const { caller, username } = trader;
    const until = inDays(30);
    await exclude(until);
    expect(refusalOf(await exclude(inDays(29)))).toBe('409 conflict');
    expect((await exclude(until)).status).toBe(200);
    const longer = inDays(60);
    expect((await exclude(longer)).body.until).toBe(longer);
    for (const one of [caller, operator]) {
      expect((await one.delete('/user/exclusion')).status).toBeGreaterThanOrEqual(404);
      expect((await one.delete(`/admin/users/${username}/exclusion`)).status).toBe(404);
    }
    expect(refusalOf(await operator.post('/user/exclusion', { until }))).toBe('403 forbidden');
    const key = await caller.post('/auth/api-keys', { name: 'Bot', scopes: ['markets:trade'] });
    const bot = caller.withApiKey(key.body.api_key);
    expect(refusalOf(await bot.post('/user/exclusion', { until: inDays(2) }))).toBe('403 forbidden');
    expect((await caller.get('/user/exclusion')).body.until).toBe(longer);
  });

  it('lasts from one day to ten years', async () => {
    for (const until of [inDays(-1), inDays(0.9), inDays(3_700), '2027-13-01T00:00:00.000Z', 'soon', 5]) {
      const reply = await trader.caller.post('/user/exclusion', { until });
      expect(refusalOf(reply), String(until)).toBe('400 validation_failed');
    }
    expect((await exclude(inDays(1))).status).toBe(200);
  });

  it('ends by itself', async () => {
    await exclude();
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE self_exclusions SET until = now() - interval '1 second'`,
    );
    await trader.caller.place(limit(market, 'buy', '0.40', '1'));
    expect((await trader.caller.get('/user/exclusion')).body.until).toBeNull();
    const until = inDays(2);
    expect((await exclude(until)).body.until).toBe(until);
  });

  it('wins against orders on their way, and outlives a limit', async () => {
    const { caller } = trader;
    await setLimit(caller, '1000');
    let isSet = false;
    const orders = Array.from({ length: 20 }, async () => {
      const { status } = await caller.post('/orders', limit(market, 'buy', '0.10', '1'));
      if (isSet) expect(status).not.toBe(201);
    });
    await exclude();
    isSet = true;
    await Promise.all(orders);
    expect(await openOrders()).toEqual([]);
  });

  it('is carried out though the process died that began it', async () => {
    const { caller, username } = trader;
    await caller.place(limit(market, 'buy', '0.40', '10'));
    await queryOnce(
      app.config.databaseUrl!,
      `INSERT INTO self_exclusions (person, until)
       SELECT 'user:' || user_id, now() + interval '2 days' FROM users WHERE username = '${username}'`,
    );
    await eventually(async () => expect(await openOrders()).toEqual([]));
    expect(refusalOf(await caller.post('/orders', limit(market, 'buy', '0.40', '1')))).toBe(EXCLUDED);
  });
});
