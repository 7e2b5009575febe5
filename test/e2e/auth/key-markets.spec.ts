import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { fund, newSigner, SigningCaller } from '../../support/clients/request-signer.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const REFUSED = '403 market_not_allowed';
const OWN = 'OWN-MARKET';
const OTHER = 'OTHER-MARKET';

let app: TestApp;
let alice: UserCaller;
let bound: UserCaller;
let boundKey: string;
let socket: Socket;

async function keyFor(terms: Json): Promise<string> {
  const scopes = ['account:read', 'markets:trade'];
  const reply = await alice.post('/auth/api-keys', { name: 'Bot', scopes, ...terms });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.api_key;
}

function order(market: string): Json {
  return limit(market, 'buy', '100', '1');
}

function say(event: string, message: Json): Promise<Json> {
  return socket.timeout(5_000).emitWithAck(event, message);
}

async function openIds(): Promise<string[]> {
  const { body } = await alice.get('/orders?status=open&limit=200');
  return body.data.map(({ order_id }: Json) => order_id).sort();
}

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  alice = await logIn(app, 'alice');
  const operator = await callerFor(app.url, 'admin');
  await createMarket(operator, OWN);
  await createMarket(operator, OTHER);
  await fund(app, alice);
  const maker = await callerFor(app.url, 'maker');
  for (const market of [OWN, OTHER]) await maker.place(limit(market, 'sell', '110', '5'));
  boundKey = await keyFor({ markets: [OWN, 'NOT-YET'] });
  bound = new UserCaller(app.url).withApiKey(boundKey);
  socket = io(`${app.url}/account`, {
    auth: { api_key: boundKey },
    transports: ['websocket'],
    forceNew: true,
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
});
afterAll(async () => {
  socket?.disconnect();
  await app?.close();
});

describe('a key that is bound to markets', () => {
  it('places, previews and amends there, and nowhere else', async () => {
    const own = await bound.place(order(OWN));
    const other = await alice.place(order(OTHER));
    expect(refusalOf(await bound.post('/orders', order(OTHER)))).toBe(REFUSED);
    expect((await bound.post('/orders/preview', order(OWN))).status).toBe(200);
    expect(refusalOf(await bound.post('/orders/preview', order(OTHER)))).toBe(REFUSED);
    expect((await bound.patch(`/orders/${own.order_id}`, { price: '101' })).status).toBe(200);
    expect(refusalOf(await bound.patch(`/orders/${other.order_id}`, { price: '101' }))).toBe(REFUSED);
    const preview = (id: string, what: string, body: Json): ReturnType<UserCaller['post']> =>
      bound.post(`/orders/${id}/${what}/preview`, body);
    expect((await preview(own.order_id, 'amend', { price: '102' })).status).toBe(200);
    expect(refusalOf(await preview(other.order_id, 'amend', { price: '102' }))).toBe(REFUSED);
    expect((await preview(own.order_id, 'cancel', {})).status).toBe(200);
    expect(refusalOf(await preview(other.order_id, 'cancel', {}))).toBe(REFUSED);
    // A market that does not exist says so first, as to everybody.
    expect(refusalOf(await bound.post('/orders', order('NOT-YET')))).toBe('404 market_not_found');
  });

  it('reads all that its scopes let it read', async () => {
    const other = await alice.place(order(OTHER));
    expect((await bound.get(`/orders/${other.order_id}`)).status).toBe(200);
    expect((await bound.get(`/orders?market_id=${OTHER}`)).body.data.length).toBeGreaterThan(0);
    expect((await bound.get('/accounts/me/balances')).status).toBe(200);
  });

  it('has only the items of other markets refused in a batch', async () => {
    const { body } = await bound.post('/orders/batch', { orders: [order(OTHER), order(OWN), order(OTHER)] });
    expect(body.results.map(({ status }: Json) => status)).toEqual([403, 201, 403]);
    expect(body.results[0].error.code).toBe('market_not_allowed');
  });

  it('cancels there alone: one, some, or all', async () => {
    const other = await alice.place({ ...order(OTHER), client_order_id: 'other-1' });
    const own = await bound.place(order(OWN));
    expect(refusalOf(await bound.delete(`/orders/${other.order_id}`))).toBe(REFUSED);
    expect((await bound.delete(`/orders/${own.order_id}`)).status).toBe(200);
    expect(refusalOf(await bound.delete('/orders/ord_0000000009Z'))).toBe('404 order_not_found');

    const next = await bound.place(order(OWN));
    const { body } = await bound.post('/orders/cancel', {
      order_ids: [other.order_id, next.order_id, 'ord_0000000009Z'],
      client_order_ids: ['other-1'],
    });
    expect(body.results.map(({ status }: Json) => status)).toEqual([403, 200, 404, 403]);
    expect((await bound.post('/orders/cancel', { order_ids: [other.order_id] })).body.results[0].status).toBe(
      403,
    );

    expect(refusalOf(await bound.delete(`/orders?market_id=${OTHER}`))).toBe(REFUSED);
    const kept = (await openIds()).length;
    const last = [await bound.place(order(OWN)), await bound.place(order(OWN))];
    const cancelled = await bound.delete('/orders?all=true');
    const ids = last.map(({ order_id }) => order_id);
    expect(cancelled.body.cancelled.slice(-2)).toEqual(ids);
    const left = await openIds();
    expect(left).toContain(other.order_id);
    expect(left.length).toBeLessThanOrEqual(kept);
    expect((await alice.get(`/orders?status=open&market_id=${OWN}`)).body.data).toEqual([]);
  });

  it('sets no switch, which would cancel on all markets', async () => {
    expect(refusalOf(await bound.post('/orders/cancel-after', { timeout_ms: 60_000 }))).toBe(REFUSED);
    expect(refusalOf(await bound.post('/orders/cancel-after', { timeout_ms: 0 }))).toBe(REFUSED);
    expect((await bound.get('/orders/cancel-after')).status).toBe(200);
  });

  it('is quoted there alone, and accepts no quote of elsewhere', async () => {
    const quote = (market: string): Json => ({ market_id: market, side: 'buy', size: '1' });
    expect(refusalOf(await bound.post('/quotes', quote(OTHER)))).toBe(REFUSED);
    const own = await bound.post('/quotes', quote(OWN));
    expect(own.status, JSON.stringify(own.body)).toBe(201);
    const foreign = await alice.post('/quotes', quote(OTHER));
    expect(foreign.status, JSON.stringify(foreign.body)).toBe(201);
    const accept = { quote_id: foreign.body.quote_id };
    expect(refusalOf(await bound.post('/matched-bets', accept))).toBe(REFUSED);
    expect(refusalOf(await bound.post('/matched-bets/preview', accept))).toBe(REFUSED);
    expect((await bound.post('/matched-bets', { quote_id: own.body.quote_id })).status).toBe(201);
  });

  it('is held to them by the socket too', async () => {
    const other = await alice.place(order(OTHER));
    const { data: own } = await say('orders.place', order(OWN));
    expect(own.status).toBe('open');
    const refusals: [string, Json][] = [
      ['orders.place', order(OTHER)],
      ['orders.amend', { order_id: other.order_id, price: '101' }],
      ['orders.cancel', { order_id: other.order_id }],
      ['orders.cancel_all', { market_id: OTHER }],
      ['orders.cancel_after', { timeout_ms: 60_000 }],
      ['orders.cancel_on_disconnect', { enabled: true }],
    ];
    for (const [event, message] of refusals) {
      expect(`${event} ${(await say(event, message)).error?.code}`).toBe(`${event} market_not_allowed`);
    }
    const { data: batch } = await say('orders.batch', { orders: [order(OTHER), order(OWN)] });
    expect(batch.results.map(({ status }: Json) => status)).toEqual([403, 201]);
    const { data: all } = await say('orders.cancel_all', { all: true });
    expect(all.cancelled).toHaveLength(2);
    expect(await openIds()).toContain(other.order_id);
  });

  it('may be one that signs', async () => {
    const desk = new SigningCaller(app.url, await newSigner(alice, { markets: [OWN] }));
    expect((await desk.post('/orders', order(OWN))).status).toBe(201);
    expect(refusalOf(await desk.post('/orders', order(OTHER)))).toBe(REFUSED);
  });

  it.each([
    [[]],
    [['btc-usd']],
    [['A', 'A']],
    ['BTC-USD'],
    [[1]],
    [Array.from({ length: 51 }, (_, at) => `M${at}`)],
  ])('needs ids of markets: %j', async (markets) => {
    const reply = await alice.post('/auth/api-keys', { name: 'Bot', markets });
    expect(refusalOf(reply)).toBe('400 validation_failed');
    expect(reply.body.error.details[0].field).toMatch(/^markets/);
  });
});
