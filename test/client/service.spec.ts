import { clientCredentials, type OrderBook, type RoomEvent, TradepostClient } from '@tradepost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { type Caller, callerFor } from '../support/caller.js';
import { ClientAccount, isLive } from '../support/clients/account-stream-client.js';
import { createMarket, tradeAtRandom } from '../support/clients/markets-client.js';
import { eventually } from '../support/eventually.js';

describe('the client, at the service', () => {
  let app: TestApp;
  let client: TradepostClient;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    client = clientOf('demo');
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterAll(() => app.close());

  function clientOf(clientId: string): TradepostClient {
    return new TradepostClient({
      url: app.url,
      credentials: clientCredentials({ clientId, clientSecret: `${clientId}-secret` }),
    });
  }

  it('keeps a book at the very levels that REST answers, under load', async () => {
    const market = await createMarket(operator, 'CLIENT-BOOK');
    await tradeAtRandom([demo, maker], market, 60);
    const aborter = new AbortController();
    const seen: { book?: OrderBook } = {};
    const following = (async () => {
      for await (const book of client.book(market, { depth: 100, signal: aborter.signal })) seen.book = book;
    })();
    await tradeAtRandom([demo, maker], market, 400);
    const truth = await client.get('/markets/{market_id}/orderbook', {
      params: { path: { market_id: market }, query: { depth: 100 } },
    });
    await eventually(() => expect(seen.book?.sequence).toBe(truth.sequence));
    expect(seen.book).toMatchObject({ marketId: market, bids: truth.bids, asks: truth.asks, resyncs: 0 });
    aborter.abort();
    await expect(following).rejects.toThrow(/abort/i);
  });

  it('follows the trades and the ticker of a market, and says whether they come', async () => {
    const market = await createMarket(operator, 'CLIENT-TRADES');
    await tradeAtRandom([demo, maker], market, 60);
    const aborter = new AbortController();
    const { signal } = aborter;
    const connections: boolean[] = [];
    const onConnection = (isLive: boolean): unknown => connections.push(isLive);
    const trades = new Map<string, string>();
    const last: { price?: string | null } = {};
    const following = Promise.allSettled([
      (async () => {
        for await (const event of client.trades(market, { signal, onConnection })) {
          if (event.isSnapshot) trades.clear();
          for (const { trade_id: id, price } of event.trades) trades.set(id, price);
        }
      })(),
      (async () => {
        for await (const { ticker } of client.tickers([market, 'BTC-USD'], { signal })) {
          if (ticker.last_price !== null) last.price = ticker.last_price;
        }
      })(),
    ]);
    await eventually(() => expect(connections).toEqual([true]));
    await tradeAtRandom([demo, maker], market, 200);
    const { data: truth } = await client.get('/markets/{market_id}/trades', {
      params: { path: { market_id: market }, query: { limit: 20 } },
    });
    await eventually(() => {
      for (const { trade_id: id, price } of truth) expect(trades.get(id)).toBe(price);
    });
    await eventually(() => expect(last.price).toBe(truth[0]!.price));
    aborter.abort();
    expect((await following).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('follows an account across its own comings and goings', async () => {
    const market = await createMarket(operator, 'CLIENT-ACCOUNT');
    const account = new ClientAccount();
    const loading = tradeAtRandom([demo, maker], market, 400);
    const follow = async (signal: AbortSignal): Promise<void> => {
      for await (const event of client.account({ after: account.sequence, signal })) account.apply(event);
    };
    for (let round = 0; round < 6; round++) {
      await expect(follow(AbortSignal.timeout(100 + ((round * 37) % 90)))).rejects.toThrow(/timeout/i);
    }
    await loading;
    const live: string[] = [];
    for await (const order of client.list('/orders', { params: { query: { market_id: market } } })) {
      if (isLive(order.status)) live.push(order.order_id);
    }
    const aborter = new AbortController();
    const following = follow(aborter.signal);
    const told = (): string[] =>
      account.liveOrders.filter(({ market_id }) => market_id === market).map(({ order_id }) => order_id);
    await eventually(() => expect(told().toSorted()).toEqual(live.toSorted()));
    expect(account.snapshots).toHaveLength(1);
    aborter.abort();
    await expect(following).rejects.toThrow(/abort/i);
  });

  it('tells a room’s events once and in order, from a buffer too small for them', async () => {
    const { room_id } = await client.post('/chat/rooms', { body: { name: 'Buffered', type: 'public' } });
    const send = (text: string) =>
      client.post('/chat/rooms/{room_id}/messages', { params: { path: { room_id } }, body: { text } });
    const events: RoomEvent[] = [];
    const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    let sending: Promise<void> | undefined;
    for await (const event of client.room(room_id, { after: 0, bufferedMax: 3 })) {
      events.push(event);
      sending ??= (async () => {
        for (const text of texts) await send(text);
      })();
      if (events.length === 10) await sending;
      if (event.type === 'message.new' && 'text' in event.data && event.data.text === texts.at(-1)) break;
    }
    const stored = events.filter(({ sequence }) => sequence !== undefined);
    expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, i) => i + 1));
    expect(stored.flatMap(({ data }) => ('text' in data ? [data.text] : []))).toEqual(texts);
  });

  it('tells a room who is writing, and no longer', async () => {
    const { room_id } = await client.post('/chat/rooms', { body: { name: 'Typing', type: 'public' } });
    const told: unknown[] = [];
    let isLive = false;
    const room = client.room(room_id, { onConnection: (live) => (isLive = live) });
    const following = (async () => {
      for await (const { type, data } of room) {
        if (!type.startsWith('typing.')) continue;
        told.push([type, data]);
        if (type === 'typing.stop') break;
      }
    })();
    await eventually(() => isLive, 'the room is followed');
    room.setTyping(true);
    await eventually(() => told.length === 1, 'the room knows');
    room.setTyping(false);
    await following;
    const [, data] = told[0] as [string, { member: string }];
    expect(told).toEqual([
      ['typing.start', data],
      ['typing.stop', data],
    ]);
    expect(data.member).toMatch(/^(client:)?\w+$/);
  });

  it('opens an event stream by a ticket', async () => {
    const response = await fetch(await client.streamUrl('/accounts/me/stream'));
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    await response.body?.cancel();
  });
});
