import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { MarketData, type MarketChange } from '../../../../src/index.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { Caller, callerFor, type Json } from '../../../support/caller.js';
import { type CcxtClient, ccxtAt } from '../../../support/clients/binance-clients.js';
import { limit, tradeAtRandom } from '../../../support/clients/markets-client.js';
import { StreamClient } from '../../../support/clients/stream-client.js';
import { eventually } from '../../../support/eventually.js';

/** A book that is kept by the procedure that the dialect documents. */
class LocalBook {
  private readonly sides = { b: new Map<string, string>(), a: new Map<string, string>() };
  private updateId: number;
  private applied = 0;

  constructor(
    snapshot: Json,
    private readonly events: readonly Json[],
  ) {
    this.updateId = snapshot.lastUpdateId;
    this.set('b', snapshot.bids);
    this.set('a', snapshot.asks);
  }

  /** Applies what has come since; fails where something was missed. */
  catchUp(): number {
    for (; this.applied < this.events.length; this.applied++) {
      const event = this.events[this.applied];
      if (event.u <= this.updateId) continue;
      expect(event.U, `after ${this.updateId}`).toBeLessThanOrEqual(this.updateId + 1);
      this.set('b', event.b);
      this.set('a', event.a);
      this.updateId = event.u;
    }
    return this.updateId;
  }

  levels(side: 'b' | 'a'): [string, string][] {
    const sign = side === 'b' ? -1 : 1;
    return [...this.sides[side]].sort(([one], [other]) => sign * (Number(one) - Number(other)));
  }

  private set(side: 'b' | 'a', levels: [string, string][]): void {
    for (const [price, size] of levels) {
      if (size === '0') this.sides[side].delete(price);
      else this.sides[side].set(price, size);
    }
  }
}

const numbered = ({ bids, asks }: Json): { bids: number[][]; asks: number[][] } => {
  const side = (levels: Json[]): number[][] => levels.map(([price, size]) => [Number(price), Number(size)]);
  return { bids: side(bids), asks: side(asks) };
};

function bookText({ bids, asks }: { bids: readonly number[][]; asks: readonly number[][] }): string {
  const side = (levels: readonly number[][]): string => levels.map((level) => level.join(' x ')).join(', ');
  return `${side(bids)} | ${side(asks)}`;
}

/** Our own book of a market, as it was at each sequence from the beginning on. */
class OwnBooks {
  private readonly texts = new Map<number, string>();
  private readonly waiting: MarketChange[] = [];
  private sides: { bids: Map<number, number>; asks: Map<number, number> } | undefined;
  private sequence = 0;
  stop: () => void = () => undefined;

  static async of(data: MarketData, marketId: string): Promise<OwnBooks> {
    const books = new OwnBooks();
    books.stop = data.follow(marketId, {
      onChange: (change) => books.take(change),
      onGap: () => expect.unreachable('nothing is missed in one process'),
    });
    const first = await data.orderbook(marketId, 1_000);
    const { bids, asks } = numbered(first);
    books.sequence = first.sequence;
    books.sides = {
      bids: new Map(bids as [number, number][]),
      asks: new Map(asks as [number, number][]),
    };
    for (const change of books.waiting.splice(0)) books.take(change);
    return books;
  }

  at(sequence: number): string | undefined {
    return this.texts.get(sequence);
  }

  private take(change: MarketChange): void {
    const { sides } = this;
    if (sides === undefined) {
      this.waiting.push(change);
      return;
    }
    if (change.sequence <= this.sequence) return;
    expect(change.previous_sequence).toBe(this.sequence);
    this.sequence = change.sequence;
    for (const side of ['bids', 'asks'] as const) {
      for (const [price, size] of change[side]) {
        if (Number(size) === 0) sides[side].delete(Number(price));
        else sides[side].set(Number(price), Number(size));
      }
    }
    this.texts.set(
      this.sequence,
      bookText({
        bids: [...sides.bids].sort(([one], [other]) => other - one),
        asks: [...sides.asks].sort(([one], [other]) => one - other),
      }),
    );
  }
}

describe('streams in the dialect of Binance Spot', () => {
  let app: TestApp;
  let sockets: string;
  let anyone: Caller;
  let maker: Caller;
  let demo: Caller;
  let ccxt: CcxtClient;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [BinanceSpotPlugin],
      environment: { BINANCE_SPOT_WEIGHT_PER_MINUTE: '1000000' },
    });
    sockets = `${app.url.replace(/^http/, 'ws')}/binance`;
    anyone = new Caller(app.url);
    const traders = await Promise.all(['maker', 'demo'].map((name) => callerFor(app.url, name)));
    [maker, demo] = traders as [Caller, Caller];
    ccxt = await ccxtAt(app.url);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await ccxt.close();
    await app.close();
  });

  const open = async (path: string, headers?: Record<string, string>): Promise<StreamClient> => {
    const client = await StreamClient.open(`${sockets}/${path}`, headers);
    clients.push(client);
    return client;
  };
  const trade = async (price: string, size: string): Promise<void> => {
    await maker.place(limit('BTC-USD', 'sell', price, size));
    await demo.place(limit('BTC-USD', 'buy', price, size));
  };

  /** In a book without orders of both, who never trade with themselves. */
  const tradeEther = async (): Promise<void> => {
    await maker.place(limit('ETH-USD', 'sell', '3000', '0.01'));
    await demo.place(limit('ETH-USD', 'buy', '3000', '0.01'));
  };

  it('keeps a book without gaps under load, which ends like our own', async () => {
    const streams = await Promise.all([open('ws/btcusd@depth@100ms'), open('ws/btcusd@depth')]);
    const trading = tradeAtRandom([maker, demo], 'BTC-USD', 1_500);
    for (const stream of streams) await stream.first(({ e }) => e === 'depthUpdate');
    const snapshot = await (await fetch(`${app.url}/binance/api/v3/depth?symbol=BTCUSD&limit=1000`)).json();
    const books = streams.map(({ received }) => new LocalBook(snapshot, received));
    let isOver = false;
    void trading.finally(() => (isOver = true));
    let compared = 0;
    do {
      const { body } = await anyone.get('/markets/BTC-USD/orderbook?depth=1000');
      for (const book of books) {
        // A book is told some time later: it must have been like this when it was at this sequence.
        await eventually(() => expect(book.catchUp()).toBeGreaterThanOrEqual(body.sequence));
        compared++;
      }
    } while (!isOver);
    await trading;
    expect(compared).toBeGreaterThan(2);
    const { body: last } = await anyone.get('/markets/BTC-USD/orderbook?depth=1000');
    for (const book of books) {
      await eventually(() => expect(book.catchUp()).toBe(last.sequence));
      for (const [side, ours] of [
        ['b', last.bids],
        ['a', last.asks],
      ] as const) {
        expect(book.levels(side)).toEqual(ours.map(([price, size]: Json[]) => [price, size]));
      }
    }
    // No update is told twice or left out.
    for (const { received } of streams) {
      for (let i = 1; i < received.length; i++) expect(received[i].U).toBe(received[i - 1].u + 1);
    }
  });

  it('tells trades, best prices, partial books, tickers and klines as our own API has them', async () => {
    const client = await open('ws');
    const names = ['trade', 'aggTrade', 'bookTicker', 'depth5@100ms', 'ticker', 'miniTicker', 'kline_1m'];
    expect(
      await client.request({ method: 'SUBSCRIBE', params: names.map((name) => `btcusd@${name}`), id: 1 }),
    ).toEqual({ result: null, id: 1 });
    await trade('101', '0.5');
    const { body: trades } = await anyone.get('/markets/BTC-USD/trades?limit=1');
    const [last] = trades.data;
    for (const e of ['trade', 'aggTrade']) {
      const event = await client.first((message) => message.e === e && message.p === last.price);
      expect(event).toMatchObject({
        s: 'BTCUSD',
        T: Date.parse(last.executed_at),
        m: last.taker_side === 'sell',
      });
    }
    await eventually(async () => {
      const { body: book } = await anyone.get('/markets/BTC-USD/orderbook?depth=5');
      const best = client.received.findLast(({ u, e }) => u !== undefined && e === undefined);
      const [b, a] = [book.bids[0] ?? ['0', '0'], book.asks[0] ?? ['0', '0']];
      expect(best).toMatchObject({ b: b[0], B: b[1], a: a[0], A: a[1] });
      const partial = client.received.findLast(({ lastUpdateId }) => lastUpdateId !== undefined);
      expect(partial).toEqual({
        lastUpdateId: book.sequence,
        bids: book.bids.map(([price, size]: Json[]) => [price, size]),
        asks: book.asks.map(([price, size]: Json[]) => [price, size]),
      });
    });
    const { body: market } = await anyone.get('/markets/BTC-USD');
    await eventually(() => {
      for (const e of ['24hrTicker', '24hrMiniTicker']) {
        const ticker = client.received.findLast((message) => message.e === e);
        expect(ticker).toMatchObject({ c: market.ticker.last_price, v: market.ticker.volume_24h });
      }
    });
    expect(await client.first(({ e, k }) => e === 'kline' && k.c === last.price)).toMatchObject({
      k: { i: '1m', x: false },
    });
  });

  it('wraps the events of combined streams, lists subscriptions and ends them', async () => {
    const client = await open('stream?streams=ethusd@trade/btcusd@trade');
    expect(await client.request({ method: 'LIST_SUBSCRIPTIONS', id: 'a1' })).toEqual({
      result: ['ethusd@trade', 'btcusd@trade'],
      id: 'a1',
    });
    await tradeEther();
    expect(await client.first(({ stream }) => stream === 'ethusd@trade')).toMatchObject({
      data: { e: 'trade', s: 'ETHUSD' },
    });
    await client.request({ method: 'UNSUBSCRIBE', params: ['ethusd@trade'], id: 2 });
    await client.request({ method: 'SUBSCRIBE', params: ['ethusd@aggTrade'], id: 3 });
    await tradeEther();
    await client.first(({ data }) => data?.e === 'aggTrade');
    const after = client.received.findIndex(({ id }) => id === 2);
    expect(client.received.slice(after).some(({ data }) => data?.e === 'trade')).toBe(false);
  });

  it('has the books, trades, candles and tickers of ccxt pro', async () => {
    await ccxt.loadMarkets();
    const first = Promise.all([
      ccxt.watchTrades('ETH/USD'),
      ccxt.watchOHLCV('ETH/USD', '1m'),
      ccxt.watchTicker('ETH/USD'),
    ]);
    await ccxt.watchOrderBook('ETH/USD');
    let isOver = false;
    void first.finally(() => (isOver = true));
    // Each stream tells what happens once it is open, so something must happen until all are.
    await eventually(async () => {
      await tradeEther();
      return isOver;
    }, 'a stream has told nothing');
    const [trades, candles, ticker] = await first;
    expect(trades[0]).toMatchObject({ symbol: 'ETH/USD', price: 3_000, amount: 0.01 });
    expect(candles[0]?.[4]).toBe(3_000);
    expect(ticker.last).toBe(3_000);
    await maker.place(limit('ETH-USD', 'sell', '3010', '0.5'));
    await demo.place(limit('ETH-USD', 'buy', '2990', '0.25'));
    await eventually(async () => {
      const { body } = await anyone.get('/markets/ETH-USD/orderbook');
      const book = ccxt.orderbooks['ETH/USD']!;
      expect(book.nonce).toBe(body.sequence);
      for (const side of ['bids', 'asks'] as const) {
        expect(book[side].map((level: Json[]) => [...level])).toEqual(
          body[side].map(([price, size]: Json[]) => [Number(price), Number(size)]),
        );
      }
    });
  });

  it('gives ccxt at every update the book that our own was at that sequence', async () => {
    const own = await OwnBooks.of(app.app.nest.get(MarketData, { strict: false }), 'BTC-USD');
    /** What ccxt has made of each update, by the numbers of that. */
    const kept: { first: number; last: number; book: string }[] = [];
    const client = await ccxtAt(app.url);
    const handle = client.handleOrderBookMessage.bind(client);
    client.handleOrderBookMessage = (...event) => {
      const book = handle(...event) as { bids: number[][]; asks: number[][] };
      const message = event[1] as { U: number; u: number };
      kept.push({ first: message.U, last: message.u, book: bookText(book) });
      return book;
    };
    const trading = tradeAtRandom([maker, demo], 'BTC-USD', 600);
    await client.watchOrderBook('BTC/USD');
    await trading;
    const { body: last } = await anyone.get('/markets/BTC-USD/orderbook?depth=1000');
    await eventually(() => expect(kept.at(-1)?.last).toBe(last.sequence));
    await client.close();
    own.stop();
    expect(own.at(last.sequence)).toBe(bookText(numbered(last)));
    expect(kept.length).toBeGreaterThan(5);
    for (const [i, { first, last: sequence, book }] of kept.entries()) {
      if (i > 0) expect(first).toBe(kept[i - 1]!.last + 1);
      expect(book, `at ${sequence}`).toBe(own.at(sequence));
    }
  });

  it.each([
    ['{', 3],
    ['[]', 2],
    ['{"id":1}', 2],
    ['{"method":"SUBSCRIBE","params":["btcusd@trade"]}', 2],
    ['{"method":"DANCE","id":1}', 2],
    ['{"method":"SUBSCRIBE","params":"btcusd@trade","id":1}', 2],
    ['{"method":"SUBSCRIBE","params":[1],"id":1}', 2],
    ['{"method":"SUBSCRIBE","params":["nope@trade"],"id":1}', 2],
    ['{"method":"SUBSCRIBE","params":["btcusd@trade","btcusd@depth7"],"id":1}', 2],
    ['{"method":"SET_PROPERTY","params":["combined","yes"],"id":1}', 1],
    ['{"method":"GET_PROPERTY","params":["odd"],"id":1}', 0],
  ])('refuses %s', async (text, code) => {
    const client = await open('ws');
    client.send(text);
    expect((await client.first(({ error }) => error !== undefined)).error.code).toBe(code);
    expect(await client.request({ method: 'LIST_SUBSCRIPTIONS', id: 9 })).toEqual({ result: [], id: 9 });
  });

  it('ends clients that send too much, too often, or binary messages', async () => {
    const flood = await open('ws');
    for (let id = 0; id < 6; id++) flood.send({ method: 'LIST_SUBSCRIPTIONS', id });
    await eventually(() => expect(flood.closeCode).toBe(1008));
    const large = await open('ws');
    large.send('x'.repeat(65_537));
    await eventually(() => expect(large.closeCode).toBe(1009));
    const nowhere = await open('ws/nope@trade');
    await eventually(() => expect(nowhere.closeCode).toBe(1008));
  });

  it('is closed to pages of other origins, and open to socket.io beside it', async () => {
    await expect(open('ws', { origin: 'https://evil.example' })).rejects.toThrow('403');
    await open('ws', { origin: app.url });
    expect((await fetch(`${app.url}/socket.io/?EIO=4&transport=polling`)).status).toBe(200);
  });
});
