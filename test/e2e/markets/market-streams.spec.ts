import { EventSource } from 'eventsource';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { ClientBook } from '../../support/clients/market-stream-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit, marketOrder, tradeAtRandom } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('market streams', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  const sockets: Socket[] = [];
  const streams: EventSource[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    for (const stream of streams.splice(0)) stream.close();
  });
  afterAll(() => app.close());

  function connect(options: Json = {}): Socket {
    const socket = io(`${app.url}/markets`, { transports: ['websocket'], forceNew: true, ...options });
    sockets.push(socket);
    return socket;
  }

  function follow(
    path: string,
    types: readonly string[],
    onEvent: (event: Json, id: string) => void,
  ): EventSource {
    const stream = new EventSource(app.url + path);
    for (const type of types) {
      stream.addEventListener(type, (message) => onEvent(JSON.parse(message.data), message.lastEventId));
    }
    streams.push(stream);
    return stream;
  }

  it('keep a client of sockets at the very book that REST answers, under load', async () => {
    const market = await createMarket(operator, 'SOCKET-BOOK');
    await tradeAtRandom([demo, maker], market, 60);
    const book = new ClientBook(1_000);
    const socket = connect();
    socket.on('l2.snapshot', (event) => book.apply(event)).on('l2.update', (event) => book.apply(event));
    const loading = tradeAtRandom([demo, maker], market, 600);
    const message = { market_id: market, channels: ['l2'], depth: 1_000 };
    expect(await socket.emitWithAck('subscribe', message)).toEqual({
      data: { market_id: market, channels: ['l2'] },
    });
    await loading;
    const { body } = await demo.get(`/markets/${market}/orderbook?depth=1000`);
    await eventually(() => expect(book.sequence).toBe(body.sequence));
    expect(book.best('bids', 1_000)).toEqual(body.bids);
    expect(book.best('asks', 1_000)).toEqual(body.asks);
    expect(book.snapshots).toBe(1);
    expect(book.updates).toBeGreaterThan(10);
  });

  it('keep a client of server-sent events there too, across its reconnects', async () => {
    const market = await createMarket(operator, 'SSE-BOOK');
    const book = new ClientBook(1_000);
    const ids: number[] = [];
    const types = ['l2.snapshot', 'l2.update'];
    const onEvent = (event: Json, id: string): void => {
      expect(Number(id)).toBe(event.sequence);
      ids.push(event.sequence);
      book.apply(event);
    };
    for (let round = 0; round < 3; round++) {
      const stream = follow(`/markets/${market}/stream?channels=l2&depth=1000`, types, onEvent);
      await eventually(() => expect(book.snapshots).toBe(round + 1));
      await tradeAtRandom([demo, maker], market, 100);
      stream.close();
      await tradeAtRandom([demo, maker], market, 40);
    }
    follow(`/markets/${market}/stream?channels=l2&depth=1000`, types, onEvent);
    const { body } = await demo.get(`/markets/${market}/orderbook?depth=1000`);
    await eventually(() => expect(book.sequence).toBe(body.sequence));
    expect(book.best('bids', 1_000)).toEqual(body.bids);
    expect(book.best('asks', 1_000)).toEqual(body.asks);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('keep clients of every depth at exactly the best levels, under load', async () => {
    const market = await createMarket(operator, 'DEPTHS');
    await tradeAtRandom([demo, maker], market, 100);
    const books = new Map<number, ClientBook[]>();
    for (const depth of [1, 3, 7, 50, 1_000]) {
      const [bySocket, byEvents] = [new ClientBook(depth), new ClientBook(depth)];
      books.set(depth, [bySocket, byEvents]);
      const socket = connect();
      socket.on('l2.snapshot', (event) => bySocket.apply(event));
      socket.on('l2.update', (event) => bySocket.apply(event));
      await socket.emitWithAck('subscribe', { market_id: market, channels: ['l2'], depth });
      const path = `/markets/${market}/stream?channels=l2&depth=${depth}`;
      follow(path, ['l2.snapshot', 'l2.update'], (event) => byEvents.apply(event));
    }
    await tradeAtRandom([demo, maker], market, 400);
    for (const [depth, clients] of books) {
      const { body } = await demo.get(`/markets/${market}/orderbook?depth=${depth}`);
      for (const book of clients) {
        await eventually(() => expect(book.sequence).toBe(body.sequence));
        expect(book.best('bids', 2_000)).toEqual(body.bids);
        expect(book.best('asks', 2_000)).toEqual(body.asks);
        expect(book.snapshots).toBe(1);
      }
    }
  });

  it('cannot be made to send a whole book, nor to encode it for each who asks', async () => {
    const market = await createMarket(operator, 'DEEP-BOOK');
    for (let from = 1; from <= 1_100; from += 100) {
      const orders = Array.from({ length: 100 }, (_, i) => limit(market, 'buy', `${from + i}`, '0.001'));
      expect((await maker.post('/orders/batch', { orders })).status).toBe(200);
    }
    const socket = connect();
    const snapshots: Json[] = [];
    socket.on('l2.snapshot', (event) => snapshots.push(event));
    const message = { market_id: market, channels: ['l2'] };
    await socket.emitWithAck('subscribe', message);
    expect(snapshots[0].data.bids).toHaveLength(50);
    expect(snapshots[0].data.bids[0][0]).toBe('1100');
    // Another depth starts with a new snapshot; none, or the same again, continues.
    await socket.emitWithAck('subscribe', { ...message, depth: 1_000 });
    expect(snapshots[1].data.bids).toHaveLength(1_000);
    await socket.emitWithAck('subscribe', { ...message, depth: 1_000 });
    await socket.emitWithAck('subscribe', message);
    expect(snapshots).toHaveLength(2);
    // While one subscriber stays, those that come and go get the same events.
    const comer = connect();
    comer.on('l2.snapshot', (event) => snapshots.push(event));
    for (let round = 0; round < 10; round++) {
      await comer.emitWithAck('subscribe', { ...message, depth: 1_000 });
      await comer.emitWithAck('unsubscribe', message);
    }
    follow(`/markets/${market}/stream?channels=l2&depth=1000`, ['l2.snapshot'], (event) =>
      snapshots.push(event),
    );
    await eventually(() => expect(snapshots).toHaveLength(13));
    expect(new Set(snapshots.slice(1).map((event) => JSON.stringify(event))).size).toBe(1);
  });

  it('tell every trade once and in order, after the latest ones', async () => {
    const market = await createMarket(operator, 'TAPE');
    await tradeAtRandom([demo, maker], market, 100);
    const bySocket: Json[] = [];
    const byEvents: Json[] = [];
    const socket = connect();
    const collect = (into: Json[]) => (event: Json) => {
      into.push(...(event.type === 'trades.snapshot' ? event.data.trades.toReversed() : event.data.trades));
    };
    socket.on('trades.snapshot', collect(bySocket)).on('trades.new', collect(bySocket));
    const loading = tradeAtRandom([demo, maker], market, 400);
    await socket.emitWithAck('subscribe', { market_id: market, channels: ['trades'] });
    follow(`/markets/${market}/stream?channels=trades`, ['trades.snapshot', 'trades.new'], collect(byEvents));
    await loading;
    const all = (await demo.walk(`/markets/${market}/trades`, 200)).toReversed();
    for (const seen of [bySocket, byEvents]) {
      await eventually(() => expect(seen.at(-1)).toEqual(all.at(-1)));
      expect(seen).toEqual(all.slice(-seen.length));
      expect(seen.length).toBeGreaterThan(20);
    }
  });

  it('tell the ticker as it is, leaving out what lies between', async () => {
    const market = await createMarket(operator, 'TICKER');
    const tickers: Json[] = [];
    const socket = connect();
    socket.on('ticker', (event) => tickers.push(event));
    await socket.emitWithAck('subscribe', { market_id: market, channels: ['ticker'] });
    expect(tickers[0].data).toMatchObject({ best_bid: null, last_price: null, volume_24h: '0' });
    await maker.place(limit(market, 'sell', '100', '2'));
    await demo.place(marketOrder(market, 'buy', '0.5'));
    await eventually(() =>
      expect(tickers.at(-1).data).toMatchObject({ best_ask: '100', last_price: '100', volume_24h: '0.5' }),
    );
    const { body } = await demo.get(`/markets/${market}`);
    expect(tickers.at(-1).data).toEqual(body.ticker);
  });

  it('end with an unsubscription, and begin anew with another subscription', async () => {
    const market = await createMarket(operator, 'ON-AND-OFF');
    const events: Json[] = [];
    const socket = connect();
    socket.onAny((_type, event) => events.push(event));
    const message = { market_id: market, channels: ['l2', 'trades'] };
    await socket.emitWithAck('subscribe', message);
    await socket.emitWithAck('subscribe', message);
    expect(events.map(({ type }) => type)).toEqual(['l2.snapshot', 'trades.snapshot']);
    expect(await socket.emitWithAck('unsubscribe', { market_id: market, channels: ['l2'] })).toEqual({
      data: { market_id: market, channels: ['trades'] },
    });
    await socket.emitWithAck('unsubscribe', { market_id: market, channels: ['trades'] });
    await demo.place(limit(market, 'buy', '1', '1'));
    await socket.emitWithAck('subscribe', { market_id: market, channels: ['l2'] });
    expect(events).toHaveLength(3);
    expect(events[2]).toMatchObject({ type: 'l2.snapshot', data: { bids: [['1', '1', 1]] } });
  });

  it.each<[string, Json, string]>([
    ['no such market', { market_id: 'NO-SUCH', channels: ['l2'] }, 'market_not_found'],
    ['no such channel', { market_id: 'BTC-USD', channels: ['l3'] }, 'validation_failed'],
    ['no channel', { market_id: 'BTC-USD', channels: [] }, 'validation_failed'],
    ['one channel twice', { market_id: 'BTC-USD', channels: ['l2', 'l2'] }, 'validation_failed'],
    ['channels that are text', { market_id: 'BTC-USD', channels: 'l2' }, 'validation_failed'],
    ['an unknown field', { market_id: 'BTC-USD', channels: ['l2'], deep: 5 }, 'validation_failed'],
    ['a depth of nothing', { market_id: 'BTC-USD', channels: ['l2'], depth: 0 }, 'validation_failed'],
    ['a whole book', { market_id: 'BTC-USD', channels: ['l2'], depth: 1_001 }, 'validation_failed'],
    ['a depth that is text', { market_id: 'BTC-USD', channels: ['l2'], depth: '5' }, 'validation_failed'],
    ['nothing', undefined, 'validation_failed'],
    ['a text', 'BTC-USD', 'malformed_request'],
    ['a list', ['BTC-USD'], 'malformed_request'],
    ['a NUL', { market_id: 'BTC\0USD', channels: ['l2'] }, 'malformed_request'],
    ['bytes', { market_id: Buffer.from('BTC-USD'), channels: ['l2'] }, 'malformed_request'],
    ['a depth of 40', { market_id: nested(40), channels: ['l2'] }, 'malformed_request'],
    [
      'a member named prototype',
      { market_id: 'BTC-USD', channels: ['l2'], prototype: {} },
      'malformed_request',
    ],
    [
      'a prototype',
      JSON.parse('{"__proto__": {"market_id": "BTC-USD"}, "channels": ["l2"]}'),
      'malformed_request',
    ],
  ])('refuse %s in the envelope', async (_name, message, code) => {
    const socket = connect();
    const errors: Json[] = [];
    socket.on('error', (error) => errors.push(error));
    const answer = await socket.emitWithAck('subscribe', message);
    expect(answer).toMatchObject({
      error: { code, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    // Without an acknowledgement callback, the answer is an event.
    socket.emit('subscribe', message);
    await eventually(() => expect(errors).toMatchObject([{ error: { code } }]));
    expect(socket.connected).toBe(true);
  });

  it('answer a thousand messages a second with limits, and go on', async () => {
    const socket = connect();
    const message = { market_id: 'BTC-USD', channels: ['ticker'] };
    // On a slow machine one burst may span several windows of the budget.
    await eventually(async () => {
      const answers: Json[] = await Promise.all(
        Array.from({ length: 1_000 }, () => socket.emitWithAck('unsubscribe', message)),
      );
      expect(answers.map(({ error }) => error?.code)).toContain('rate_limited');
    });
    await eventually(async () => {
      expect(await socket.emitWithAck('unsubscribe', message)).toHaveProperty('data');
    });
  });

  it('close on frames beyond 64 KB, and serve others on', async () => {
    const [attacker, neighbour] = [connect(), connect()];
    await neighbour.emitWithAck('subscribe', { market_id: 'BTC-USD', channels: ['l2'] });
    const closed = new Promise<string>((resolve) => attacker.on('disconnect', resolve));
    attacker.emit('subscribe', { market_id: 'x'.repeat(70_000), channels: ['l2'] });
    expect(await closed).toBe('transport close');
    expect(neighbour.connected).toBe(true);
  });

  it.each([
    ['/markets/NO-SUCH/stream', 404, 'market_not_found'],
    ['/markets/BTC-USD/stream?channels=l3', 400, 'validation_failed'],
    ['/markets/BTC-USD/stream?channels=', 400, 'validation_failed'],
    ['/markets/BTC-USD/stream?channels=l2,l2', 400, 'validation_failed'],
    ['/markets/BTC-USD/stream?depth=0', 400, 'validation_failed'],
    ['/markets/BTC-USD/stream?depth=1001', 400, 'validation_failed'],
  ])('refuse %s before the first event', async (path, status, code) => {
    expect(await demo.get(path)).toMatchObject({ status, body: { error: { code } } });
  });

  it('are sent as proxies and browsers need them', async () => {
    const aborter = new AbortController();
    const response = await fetch(`${app.url}/markets/BTC-USD/stream?channels=l2`, { signal: aborter.signal });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data:')) text += (await reader.read()).value;
    expect(text).toMatch(/^retry: 2000\n\nid: \d+\nevent: l2.snapshot\ndata: \{/);
    aborter.abort();
  });

  it('let pages of other origins in only where they are allowed', async () => {
    const from = (origin: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect({ extraHeaders: { origin }, reconnection: false });
        socket.on('connect', () => resolve(true)).on('connect_error', () => resolve(false));
      });
    expect(await from('https://evil.example')).toBe(false);
    expect(await from('null')).toBe(false);
    expect(await from(app.url)).toBe(true);
  });
});

describe('market streams of a service that stops', () => {
  it('end at once', async () => {
    const app = await startTestApp();
    const socket = io(`${app.url}/markets`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    });
    await socket.emitWithAck('subscribe', { market_id: 'BTC-USD', channels: ['l2'] });
    const response = await fetch(`${app.url}/markets/BTC-USD/stream`);
    const ended = response.text();
    const disconnected = new Promise((resolve) => socket.on('disconnect', resolve));
    await Promise.all([app.close(), disconnected, ended]);
  });
});

/** Waits until the expectation holds, for at most ten seconds. */
function nested(depth: number): Json {
  return depth === 0 ? 1 : { inner: nested(depth - 1) };
}
