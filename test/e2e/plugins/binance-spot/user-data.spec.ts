import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { callerFor, type Caller, type Json } from '../../../support/caller.js';
import { answered, fund, newUser } from '../../../support/clients/accounts-client.js';
import { type CcxtClient, type ClientKey, ccxtAt } from '../../../support/clients/binance-clients.js';
import { limit } from '../../../support/clients/markets-client.js';
import { StreamClient } from '../../../support/clients/stream-client.js';
import type { UserCaller } from '../../../support/clients/users-client.js';
import { eventually } from '../../../support/eventually.js';

describe('user data in the dialect of Binance Spot', () => {
  let app: TestApp;
  let maker: Caller;
  let trader: UserCaller;
  let key: ClientKey & { readonly id: string };
  let ccxt: CcxtClient;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [BinanceSpotPlugin] });
    maker = await callerFor(app.url, 'maker');
    trader = await newUser(app, 'trader');
    await fund(app, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
    const scopes = ['markets:trade', 'account:read'];
    const made = await answered(
      trader.post('/auth/api-keys', { name: 'bot', scopes, signing: 'hmac-sha256' }),
      201,
    );
    key = { apiKey: made.api_key, secret: made.secret, id: made.api_key_id };
    ccxt = await ccxtAt(app.url, key);
  });
  afterAll(async () => {
    await ccxt.close();
    await app.close();
  });

  const open = (): Promise<StreamClient> =>
    StreamClient.open(`${app.url.replace(/^http/, 'ws')}/binance/ws-api/v3`);
  const signed = (secret: string, more: Json = {}): Json => {
    const params = { apiKey: key.apiKey, timestamp: Date.now(), ...more };
    const names = Object.keys(params).sort();
    const text = names.map((name) => `${name}=${params[name as keyof typeof params]}`).join('&');
    return { ...params, signature: createHmac('sha256', secret).update(text).digest('hex') };
  };
  const method = 'userDataStream.subscribe.signature';

  it('reports orders, fills and balances as they are', async () => {
    const client = await open();
    expect(await client.request({ id: 'one', method, params: signed(key.secret) })).toEqual({
      id: 'one',
      status: 200,
      result: { subscriptionId: 0 },
    });
    await maker.place(limit('BTC-USD', 'sell', '60000', '0.1'));
    await maker.place(limit('BTC-USD', 'sell', '60001', '0.1'));
    const order = await trader.place(limit('BTC-USD', 'buy', '60001', '0.3'));
    await trader.delete(`/orders/${order.order_id}`);
    const isLast = ({ event }: Json): boolean => event?.x === 'CANCELED';
    await client.first(isLast);
    const reports = client.received.filter(({ event }) => event?.e === 'executionReport');
    expect(reports.map(({ event: { x, X, l, z, L, Z } }: Json) => [x, X, l, z, L, Z])).toEqual([
      ['NEW', 'NEW', '0', '0', '0', '0'],
      ['TRADE', 'PARTIALLY_FILLED', '0.1', '0.1', '60000', '6000'],
      ['TRADE', 'PARTIALLY_FILLED', '0.1', '0.2', '60001', '12000.1'],
      ['CANCELED', 'CANCELED', '0', '0.2', '0', '12000.1'],
    ]);
    await eventually(async () => {
      const { body } = await trader.get('/accounts/me/balances');
      const last = client.received.findLast(({ event }) => event?.e === 'outboundAccountPosition');
      const usd = body.data.find(({ asset }: Json) => asset === 'USD');
      expect(last.event.B).toContainEqual({ a: 'USD', f: usd.available, l: usd.held });
    });
    client.close();
  });

  it('feeds watchOrders and watchBalance of ccxt pro', async () => {
    await ccxt.loadMarkets();
    const orders = ccxt.watchOrders('BTC/USD');
    const balance = ccxt.watchBalance();
    await eventually(() => expect(Object.keys(ccxt.clients).join()).toContain('ws-api'));
    let placed: Json;
    await eventually(async () => {
      placed = await ccxt.createOrder('BTC/USD', 'limit', 'buy', 0.1, 50_000);
      const seen = await Promise.race([orders, new Promise((resolve) => setTimeout(resolve, 100, null))]);
      expect(seen).not.toBeNull();
    });
    expect((await orders)[0]).toMatchObject({
      symbol: 'BTC/USD',
      status: 'open',
      price: 50_000,
      amount: 0.1,
    });
    expect((await balance).USD.used).toBeGreaterThan(0);
    await ccxt.cancelOrder(placed.id, 'BTC/USD');
  });

  it('tells nothing to those who have not signed, or whose key has ended', async () => {
    const client = await open();
    for (const [params, code] of [
      [{}, -1102],
      [signed('another secret'), -1022],
      [signed(key.secret, { timestamp: 1 }), -1021],
      [{ ...signed(key.secret), recvWindow: 10_000 }, -1022],
      [{ odd: {} }, -1130],
    ] as const) {
      const id = `n${-code}${client.received.length}`;
      expect((await client.request({ id, method, params })).error.code).toBe(code);
    }
    client.send('[');
    expect((await client.first(({ error }) => error?.code === -1135)).status).toBe(400);
    expect((await client.request({ id: 1, method: 'order.place', params: {} })).error.code).toBe(-1020);
    expect((await client.request({ id: 2, method, params: signed(key.secret) })).status).toBe(200);
    expect((await trader.delete(`/auth/api-keys/${key.id}`)).status).toBeLessThan(300);
    await eventually(() => expect(client.closeCode).toBe(1008));
  });
});
