import { clientCredentials, type Credentials, type OrderUpdate, TradepostClient } from '@tradepost/client';
import { Server, type Socket } from 'socket.io';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { type Caller, callerFor, type Json } from '../support/caller.js';
import { isLive } from '../support/clients/account-stream-client.js';
import { createMarket, tradeAtRandom } from '../support/clients/markets-client.js';
import { eventually } from '../support/eventually.js';
import { FakeService, json } from '../support/fake-service.js';

const REVOCATIONS = 5;

describe('the stream of one’s own orders, at the service', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterAll(() => app.close());

  async function revoke(token: string): Promise<void> {
    const form = { token, client_id: 'demo', client_secret: 'demo-secret' };
    const response = await fetch(`${app.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(response.status).toBe(200);
  }

  it('tells every change and every fill once, while its tokens end one after the other', async () => {
    const market = await createMarket(operator, 'CLIENT-ORDERS');
    const own = clientCredentials({ clientId: 'demo', clientSecret: 'demo-secret' });
    const tokens: string[] = [];
    const credentials: Credentials = {
      isRenewable: true,
      async issue(requestToken) {
        const secret = await own.issue(requestToken);
        if (secret.scheme === 'bearer') tokens.push(secret.value);
        return secret;
      },
    };
    const client = new TradepostClient({ url: app.url, credentials });
    const resting = { market_id: market, side: 'buy', type: 'limit', price: '1', size: '1' } as const;
    await client.post('/orders', { body: resting });
    const aborter = new AbortController();
    const updates: OrderUpdate[] = [];
    const following = (async () => {
      for await (const update of client.orders({ signal: aborter.signal, bufferedMax: 20 })) {
        if (update.order.market_id === market) updates.push(update);
      }
    })();
    // Fills from before the first snapshot are not told.
    await eventually(() => expect(updates).toHaveLength(1));

    for (let revocations = 1; revocations <= REVOCATIONS; revocations++) {
      await Promise.all([tradeAtRandom([demo, maker], market, 100), revoke(tokens.at(-1)!)]);
      await eventually(() => expect(tokens.length).toBeGreaterThan(revocations));
    }
    const orders = await demo.walk(`/orders?market_id=${market}`, 200);
    const fills = (await demo.walk('/accounts/me/fills', 200)).filter(
      (fill: Json) => fill.market_id === market,
    );
    const latest = (): Map<string, Json> => new Map(updates.map(({ order }) => [order.order_id, order]));
    await eventually(() => {
      const known = latest();
      const live = (all: Json[]): string[] =>
        all.filter(({ status }) => isLive(status)).map(({ order_id }) => order_id);
      expect(live([...known.values()]).toSorted()).toEqual(live(orders).toSorted());
      expect(updates.flatMap((update) => update.fills)).toHaveLength(fills.length);
    });
    expect(new Set(updates.flatMap((update) => update.fills.map(({ fill_id }) => fill_id)))).toEqual(
      new Set(fills.map(({ fill_id }) => fill_id)),
    );
    const sequences = updates.map(({ sequence }) => sequence ?? 0);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    aborter.abort();
    await expect(following).rejects.toThrow(/abort/i);
  });

  it('continues behind the last update', async () => {
    const market = await createMarket(operator, 'CLIENT-CONTINUED');
    const credentials = clientCredentials({ clientId: 'demo', clientSecret: 'demo-secret' });
    const client = new TradepostClient({ url: app.url, credentials });
    const order = { market_id: market, side: 'buy', type: 'limit', price: '100', size: '1' } as const;
    const { order_id } = await client.post('/orders', { body: order });
    let after: number | undefined;
    for await (const update of client.orders()) {
      after = update.sequence;
      if (after !== undefined) break;
    }
    await client.delete('/orders/{order_id}', { params: { path: { order_id } } });
    for await (const update of client.orders({ after: after! })) {
      expect(update).toMatchObject({ order: { order_id, status: 'cancelled' }, fills: [] });
      break;
    }
  });
});

describe('the stream of one’s own orders, at a bad service', () => {
  let service: FakeService;
  let sockets: Server;
  afterEach(async () => {
    await sockets.close();
    if (service.server.listening) await service.stop();
  });

  /** Every token lives for a second. */
  async function start(serve: (socket: Socket, index: number) => void): Promise<TradepostClient> {
    let tokens = 0;
    service = await FakeService.start((response, { path }) => {
      if (path === '/auth/token') json(response, 200, { access_token: `token-${++tokens}`, expires_in: 1 });
      else json(response, 200, { order_id: path.split('/').at(-1), status: 'filled' });
    });
    sockets = new Server(service.server, { transports: ['websocket'] });
    let connections = 0;
    sockets.of('/account').on('connection', (socket) => serve(socket, connections++));
    const credentials = clientCredentials({ clientId: 'a', clientSecret: 'b' });
    return new TradepostClient({ url: service.url, credentials });
  }

  const ordersOf = (...ids: string[]): object[] => ids.map((order_id) => ({ order_id, status: 'open' }));
  function snapshot(sequence: number, ...ids: string[]): object {
    return { type: 'account.snapshot', sequence, data: { is_last: true, orders: ordersOf(...ids) } };
  }
  function update(sequence: number, ...ids: string[]): object {
    const data = { previous_sequence: sequence - 1, orders: ordersOf(...ids), fills: [] };
    return { type: 'account.update', sequence, data };
  }

  it('renews its token in time and stays connected', async () => {
    const renewed: unknown[] = [];
    let connections = 0;
    const client = await start((socket) => {
      connections++;
      socket.on('subscribe', (_body: unknown, answer: (data: object) => void) => {
        socket.emit('account.snapshot', snapshot(1, 'ord_1'));
        answer({ data: {} });
      });
      socket.on('auth.renew', ({ token }: { token: string }, answer: (data: object) => void) => {
        renewed.push(token);
        answer({ data: null });
        if (renewed.length === 3) socket.emit('account.update', update(2, 'ord_2'));
      });
    });
    for await (const { order } of client.orders()) if (order.order_id === 'ord_2') break;
    expect(renewed).toEqual(['token-2', 'token-3', 'token-4']);
    expect(connections).toBe(1);
  });

  it('fills gaps, repeats nothing, asks again for what had no room, and tells of orders that a snapshot lacks', async () => {
    const offsets: unknown[] = [];
    const client = await start((socket, index) => {
      socket.on('subscribe', ({ offset }: { offset?: number }, answer: (data: object) => void) => {
        offsets.push(offset);
        if (index === 0) socket.emit('account.snapshot', snapshot(1, 'ord_1', 'ord_2'));
        if (index === 0) socket.emit('account.update', update(3, 'ord_3'));
        if (index === 1 && offset === 1) {
          for (const sequence of [2, 2, 3, 4, 5]) socket.emit('account.update', update(sequence, 'ord_2'));
        } else if (index === 1) {
          socket.emit('account.snapshot', snapshot(9, 'ord_2'));
        }
        answer({ data: { sequence: index === 0 ? 3 : 9 } });
      });
      socket.on('auth.renew', (_body: unknown, answer: (data: object) => void) => answer({ data: null }));
    });
    const told: unknown[] = [];
    for await (const { order, sequence } of client.orders({ bufferedMax: 2 })) {
      told.push([order.order_id, order.status, sequence]);
      if (sequence === 9) break;
    }
    expect(told).toEqual([
      ['ord_1', 'open', undefined],
      ['ord_2', 'open', 1],
      ['ord_2', 'open', 2],
      ['ord_2', 'open', 3],
      ['ord_1', 'filled', 3],
      ['ord_2', 'open', 9],
    ]);
    expect(offsets).toEqual([undefined, 1, 3]);
  });
});
