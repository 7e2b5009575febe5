import { EventSource } from 'eventsource';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { ClientAccount, isLive } from '../../support/clients/account-stream-client.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import {
  createMarket,
  expectBalancedBooks,
  limit,
  tradeAtRandom,
} from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

const EVENT_TYPES = ['account.snapshot', 'account.update'];

describe('account streams', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let token: string;
  const sockets: Socket[] = [];
  const streams: EventSource[] = [];

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [demo, maker, operator, token] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
      tokenFor(app.url, 'demo'),
    ]);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    for (const stream of streams.splice(0)) stream.close();
    await expectBalancedBooks(operator);
  });
  afterAll(() => app.close());

  function connect(auth: Json = { token }): Socket {
    const socket = io(`${app.url}/account`, { transports: ['websocket'], forceNew: true, auth });
    sockets.push(socket);
    return socket;
  }

  function follow(account: ClientAccount, path = '/accounts/me/stream'): EventSource {
    const stream = new EventSource(app.url + path, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${token}` } }),
    });
    for (const type of EVENT_TYPES) {
      stream.addEventListener(type, (message) => {
        const event = JSON.parse(message.data);
        expect(message.lastEventId).toBe(String(event.sequence));
        account.apply(event);
      });
    }
    streams.push(stream);
    return stream;
  }

  /** The account's state of this market, once it is current, equals the REST answer. */
  async function expectTruth(account: ClientAccount, market: string): Promise<void> {
    const orders = await demo.walk(`/orders?market_id=${market}`, 200);
    const fills = (await demo.walk(`/markets/${market}/fills`, 200)).toReversed();
    const { body } = await demo.get('/accounts/me/balances?limit=200');
    await eventually(() => expect([...account.balances.values()].toSorted(byAsset)).toEqual(body.data));
    const known = [...account.orders.values()].filter(({ market_id }) => market_id === market);
    expect(account.liveOrders.filter(({ market_id }) => market_id === market).toSorted(byId)).toEqual(
      orders.filter(({ status }) => isLive(status)).toSorted(byId),
    );
    const truth = new Map(orders.map((order) => [order.order_id, order]));
    for (const order of known) expect(order).toEqual(truth.get(order.order_id));
    const told = account.fills.filter(({ market_id }) => market_id === market);
    expect(told.length).toBeGreaterThan(20);
    expect(idsOf(told)).toEqual(idsOf(fills.slice(-told.length)));
  }

  it('tell by socket what a snapshot and updates come to: the truth', async () => {
    const market = await createMarket(operator, 'ACCOUNT-SOCKET');
    const account = new ClientAccount();
    const socket = connect();
    socket.onAny((_type, event) => account.apply(event));
    const answer = await socket.emitWithAck('subscribe', {});
    expect(answer).toEqual({
      data: { account_id: expect.stringMatching(/^acc_/), sequence: account.sequence },
    });
    expect(account.snapshots).toMatchObject([{ data: { reason: 'subscribed', is_last: true } }]);
    await tradeAtRandom([demo, maker], market, 300);
    await expectTruth(account, market);
    expect(account.snapshots).toHaveLength(1);
  });

  it('lose nothing across reconnects at random, under load, by sockets and by events', async () => {
    const market = await createMarket(operator, 'ACCOUNT-RECONNECTS');
    const bySocket = new ClientAccount();
    const byEvents = new ClientAccount();
    const loading = tradeAtRandom([demo, maker], market, 800);
    for (let round = 0; round < 8; round++) {
      const socket = connect();
      socket.onAny((_type, event) => bySocket.apply(event));
      const offset = bySocket.sequence;
      const { data } = await socket.emitWithAck('subscribe', offset === undefined ? {} : { offset });
      expect(data.sequence).toBeGreaterThanOrEqual(offset ?? 0);
      const stream = follow(
        byEvents,
        `/accounts/me/stream${byEvents.sequence === undefined ? '' : `?offset=${byEvents.sequence}`}`,
      );
      await eventually(() => expect(byEvents.sequence).toBeDefined());
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 90));
      if (round === 7) break;
      socket.disconnect();
      stream.close();
    }
    await loading;
    await expectTruth(bySocket, market);
    await expectTruth(byEvents, market);
    for (const account of [bySocket, byEvents]) expect(account.snapshots).toHaveLength(1);
  });

  it.each([
    ['an id that the account has had', 'account.update', (sequence: number) => String(sequence - 1)],
    ['no id of ours', 'account.snapshot', () => 'yesterday'],
    ['an id that is still to come', 'account.snapshot', (sequence: number) => String(sequence + 1_000)],
  ])('begin for who comes back with %s as browsers do', async (_what, type, idFrom) => {
    const market = await createMarket(operator, `ACCOUNT-IDS-${type.length}-${_what.length}`);
    const before = new ClientAccount();
    follow(before);
    await eventually(() => expect(before.sequence).toBeDefined());
    const { order_id: orderId } = await demo.place(limit(market, 'buy', '1', '1'));
    await eventually(() => expect(before.orders.has(orderId)).toBe(true));
    const aborter = new AbortController();
    const response = await fetch(`${app.url}/accounts/me/stream`, {
      signal: aborter.signal,
      headers: { authorization: `Bearer ${token}`, 'last-event-id': idFrom(before.sequence!) },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/data: .*\n\n/.test(text)) text += (await reader.read()).value;
    aborter.abort();
    expect(text).toContain(`id: ${before.sequence}\nevent: ${type}\n`);
    const event: Json = JSON.parse(/data: (.*)\n/.exec(text)![1]!);
    expect(event.data.orders.map(({ order_id }: Json) => order_id)).toContain(orderId);
    if (type === 'account.update') expect(event.data.previous_sequence).toBe(before.sequence! - 1);
  });

  it('end with the envelope once their credential is revoked', async () => {
    const own = await tokenFor(app.url, 'demo');
    const socket = connect({ token: own });
    const errors: Json[] = [];
    socket.on('error', (error) => errors.push(error));
    await socket.emitWithAck('subscribe', {});
    const ended = new Promise((resolve) => socket.on('disconnect', resolve));
    await fetch(`${app.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: own, client_id: 'demo', client_secret: 'demo-secret' }),
    });
    await ended;
    expect(errors).toMatchObject([{ error: { code: 'invalid_token' } }]);
  });
});

function idsOf(fills: readonly Json[]): string[] {
  return fills.map(({ fill_id }) => fill_id);
}

function byId(a: Json, b: Json): number {
  return a.order_id < b.order_id ? -1 : 1;
}

function byAsset(a: Json, b: Json): number {
  return a.asset < b.asset ? -1 : 1;
}
