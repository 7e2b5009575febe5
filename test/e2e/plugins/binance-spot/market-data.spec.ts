import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { Caller, callerFor, type Json } from '../../../support/caller.js';
import { type CcxtClient, ccxtAt, officialAt } from '../../../support/clients/binance-clients.js';
import { createMarket, limit } from '../../../support/clients/markets-client.js';
import { eventually } from '../../../support/eventually.js';
import type { Spot } from '../../../tools/clients/index.js';
import { TRADE_IDS } from '../../../../src/modules/markets/names/ids.js';

const EMPTY_SYMBOL = 'ETHEUR';

describe('market data in the dialect of Binance Spot', () => {
  let app: TestApp;
  let anyone: Caller;
  let ccxt: CcxtClient;
  let official: Spot;
  /** Ours, oldest first. */
  let trades: Json[];

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [BinanceSpotPlugin],
      environment: { BINANCE_SPOT_WEIGHT_PER_MINUTE: '100000' },
    });
    anyone = new Caller(app.url);
    const [operator, maker, demo] = await Promise.all(
      ['admin', 'maker', 'demo'].map((name) => callerFor(app.url, name)),
    );
    await createMarket(operator!, 'ETH-EUR', { base_asset: 'ETH', quote_asset: 'EUR' });
    for (const [price, size] of [
      ['100.25', '1'],
      ['101.5', '0.5'],
      ['101.5', '0.25'],
      ['99.75', '0.002'],
    ] as const) {
      await maker!.place(limit('BTC-USD', 'sell', price, size));
    }
    // One order takes three others, two of them at the same price.
    await demo!.place(limit('BTC-USD', 'buy', '101.5', '1.7'));
    await demo!.place(limit('BTC-USD', 'sell', '99', '0.1'));
    await maker!.place(limit('BTC-USD', 'buy', '99', '0.3'));
    await maker!.place(limit('BTC-USD', 'sell', '105.1', '2'));
    trades = (await anyone.walk('/markets/BTC-USD/trades', 200)).reverse();
    ccxt = await ccxtAt(app.url);
    official = officialAt(app.url);
  });
  afterAll(async () => {
    await ccxt.close();
    await app.close();
  });

  const ask = async (path: string): Promise<{ status: number; body: Json; headers: Headers }> => {
    const response = await fetch(`${app.url}/binance/api/v3/${path}`);
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const numberOf = (tradeId: string): number => TRADE_IDS.parse(tradeId)!;

  it('tells that it is there, and the time', async () => {
    expect(await ask('ping')).toMatchObject({ status: 200, body: {} });
    const before = Date.now();
    expect(await ccxt.fetchTime()).toBeGreaterThanOrEqual(before);
    const { serverTime } = await (await official.restAPI.time()).data();
    expect(Number(serverTime)).toBeLessThanOrEqual(Date.now());
  });

  it('lists spot markets with their rules, and no event markets', async () => {
    const spot = (await anyone.walk('/markets', 200)).filter(({ kind }) => kind === 'spot');
    const markets = await ccxt.loadMarkets();
    expect(Object.keys(markets).sort()).toEqual(
      spot.map(({ base_asset, quote_asset }) => `${base_asset}/${quote_asset}`).sort(),
    );
    const ours = spot.find(({ market_id }) => market_id === 'BTC-USD')!;
    expect(markets['BTC/USD']).toMatchObject({
      id: 'BTCUSD',
      active: true,
      spot: true,
      precision: { price: Number(ours.tick_size), amount: Number(ours.lot_size) },
      limits: {
        amount: { min: Number(ours.min_size), max: Number(ours.max_size) },
        price: { min: Number(ours.price_min), max: Number(ours.price_max) },
        cost: { min: Number(ours.min_notional) },
      },
    });
    const info = await (await official.restAPI.exchangeInfo({ symbols: ['BTCUSD', EMPTY_SYMBOL] })).data();
    expect(info.symbols.map(({ symbol }: Json) => symbol)).toEqual(['BTCUSD', EMPTY_SYMBOL]);
  });

  it('tells the book of our own API', async () => {
    const { body: book } = await anyone.get('/markets/BTC-USD/orderbook');
    const levels = (side: Json[]): number[][] => side.map(([price, size]) => [Number(price), Number(size)]);
    expect(await ccxt.fetchOrderBook('BTC/USD')).toMatchObject({
      bids: levels(book.bids),
      asks: levels(book.asks),
      nonce: book.sequence,
    });
    const depth = await (await official.restAPI.depth({ symbol: 'BTCUSD', limit: 1 })).data();
    expect(depth).toEqual({
      lastUpdateId: book.sequence,
      bids: book.bids.slice(0, 1).map((level: Json[]) => level.slice(0, 2)),
      asks: book.asks.slice(0, 1).map((level: Json[]) => level.slice(0, 2)),
    });
    expect((await ask(`depth?symbol=${EMPTY_SYMBOL}`)).body).toMatchObject({ bids: [], asks: [] });
  });

  it('tells trades, the same ones from an id on, and those of one order at one price as one', async () => {
    const expected = trades.map((trade) => ({
      id: numberOf(trade.trade_id),
      price: trade.price,
      qty: trade.size,
      time: Date.parse(trade.executed_at),
      isBuyerMaker: trade.taker_side === 'sell',
    }));
    expect(expected).toHaveLength(5);
    expect((await ask('trades?symbol=BTCUSD')).body).toMatchObject(expected);
    expect((await ask('trades?symbol=BTCUSD&limit=2')).body).toMatchObject(expected.slice(-2));
    expect((await ask('trades?symbol=BTCUSD')).body[0]).toMatchObject({ quoteQty: '0.1995' });
    const older = await (
      await official.restAPI.historicalTrades({ symbol: 'BTCUSD', fromId: expected[1]!.id, limit: 2 })
    ).data();
    expect(older).toMatchObject(expected.slice(1, 3));

    const whole = (await ask('aggTrades?symbol=BTCUSD')).body as Json[];
    expect(whole).toHaveLength(4);
    const both = whole.find(({ f, l }) => f !== l)!;
    expect(both).toMatchObject({ p: '101.5', q: '0.698', f: expected[2]!.id, l: expected[3]!.id, m: false });
    for (const query of ['startTime=0', 'fromId=0', `startTime=0&endTime=${Date.now()}`]) {
      expect((await ask(`aggTrades?symbol=BTCUSD&${query}`)).body, query).toEqual(whole);
    }
    expect((await ask('aggTrades?symbol=BTCUSD&limit=2')).body).toEqual(whole.slice(-2));
    expect((await ask('aggTrades?symbol=BTCUSD&fromId=0&limit=2')).body).toEqual(whole.slice(0, 2));
    const seen = await ccxt.fetchTrades('BTC/USD', Date.parse(trades[0].executed_at));
    expect(seen.map(({ price, amount }) => [price, amount])).toEqual(
      whole.map(({ p, q }) => [Number(p), Number(q)]),
    );
  });

  it('tells klines, and their last price where nothing was traded', async () => {
    const candles = (await anyone.walk('/markets/BTC-USD/candles?interval=1m', 200)).reverse();
    const klines = await ccxt.fetchOHLCV('BTC/USD', '1m');
    const [first, last] = [Date.parse(candles[0]!.start), candles.at(-1)!];
    expect(klines[0]?.[0]).toBe(first);
    expect(klines.map(([time]) => time)).toEqual(klines.map((_, place) => first + place * 60_000));
    for (const { start, open, high, low, close, volume } of candles) {
      const kline = klines.find(([time]) => time === Date.parse(start));
      expect(kline).toEqual([Date.parse(start), ...[open, high, low, close, volume].map(Number)]);
    }
    expect(klines.at(-1)?.[4]).toBe(Number(last.close));
    const official1d = await (
      await official.restAPI.klines({ symbol: 'BTCUSD', interval: '1d' as never })
    ).data();
    expect(official1d).toHaveLength(1);
    expect((await ask(`uiKlines?symbol=${EMPTY_SYMBOL}&interval=1h`)).body).toEqual([]);
    expect((await ask(`klines?symbol=BTCUSD&interval=1m&startTime=${first}&limit=1`)).body).toHaveLength(1);
  });

  it('tells tickers', async () => {
    const { body: market } = await anyone.get('/markets/BTC-USD');
    expect(await ccxt.fetchTicker('BTC/USD')).toMatchObject({
      last: Number(market.ticker.last_price),
      bid: Number(market.ticker.best_bid),
      ask: Number(market.ticker.best_ask),
      high: Number(market.ticker.high_24h),
      low: Number(market.ticker.low_24h),
      baseVolume: Number(market.ticker.volume_24h),
      open: Number(trades[0].price),
    });
    expect(Object.keys(await ccxt.fetchTickers())).toContain('ETH/EUR');
    expect((await ccxt.fetchLastPrices(['BTC/USD']))['BTC/USD']).toMatchObject({
      price: Number(market.ticker.last_price),
    });
    expect((await ccxt.fetchBidsAsks(['BTC/USD']))['BTC/USD']).toMatchObject({
      bid: Number(market.ticker.best_bid),
      ask: Number(market.ticker.best_ask),
    });
    const day = await (await official.restAPI.ticker24hr({ symbol: 'BTCUSD' })).data();
    expect(day).toMatchObject({ symbol: 'BTCUSD', lastPrice: market.ticker.last_price });
    expect((await ask('ticker/24hr?symbol=BTCUSD&type=MINI')).body).not.toHaveProperty('priceChange');
    expect((await ask(`ticker/price?symbols=["${EMPTY_SYMBOL}"]`)).body).toEqual([
      { symbol: EMPTY_SYMBOL, price: '0' },
    ]);
  });

  it.each([
    ['depth', -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed."],
    ['depth?symbol=', -1105, "Parameter 'symbol' was empty."],
    ['depth?symbol=NOPE', -1121, 'Invalid symbol.'],
    ['depth?symbol=RAINLISBON', -1121, 'Invalid symbol.'],
    ['depth?symbol=BTC-USD', -1121, 'Invalid symbol.'],
    ['depth?symbol=btcusd', -1100, /^Illegal characters found in parameter 'symbol'/],
    ['depth?symbol=BTCUSD&limit=ten', -1100, /^Illegal characters found in parameter 'limit'/],
    ['depth?symbol=BTCUSD&limit=0', -1130, "Data sent for parameter 'limit' is not valid."],
    ['depth?symbol=BTCUSD&limit=9999999999999999999', -1108, "Parameter 'limit' overflowed."],
    ['depth?symbol=BTCUSD&symbol=BTCUSD', -1101, 'Duplicate values for a parameter detected.'],
    ['depth?symbol=BTCUSD&odd=1', -1104, /^Not all sent parameters were read; read '1'.*sent '2'/],
    ['depth?symbol[]=BTCUSD', -1104, /^Not all sent/],
    ['depth?symbol=%ff%fe', -1100, /^Illegal characters/],
    ['klines?symbol=BTCUSD&interval=7m', -1120, 'Invalid interval.'],
    ['klines?symbol=BTCUSD&interval=1m&startTime=2&endTime=1', -1128, /combination/i],
    ['klines?symbol=BTCUSD&interval=1m&startTime=9007199254740991', -1130, /startTime/],
    ['aggTrades?symbol=BTCUSD&fromId=1&startTime=1', -1128, /combination/i],
    ['ticker/price?symbol=BTCUSD&symbols=["BTCUSD"]', -1128, /combination/i],
    ['ticker/price?symbols=["BTCUSD","BTCUSD"]', -1151, /multiple times/],
    ['ticker/price?symbols={}', -1100, /^Illegal characters/],
    ['ticker/24hr?symbol=BTCUSD&type=HUGE', -1139, 'Invalid ticker type.'],
  ])('refuses %s', async (path, code, msg) => {
    const { status, body } = await ask(path);
    expect({ status, code: body.code as number }).toEqual({ status: 400, code });
    expect(body.msg).toMatch(msg);
  });

  it('answers overlong ids and odd times without failing', async () => {
    for (const path of [
      'historicalTrades?symbol=BTCUSD&fromId=9007199254740991',
      'aggTrades?symbol=BTCUSD&endTime=0',
      'klines?symbol=BTCUSD&interval=1d&startTime=253402300799000',
      'klines?symbol=BTCUSD&interval=1d&endTime=0',
    ]) {
      expect(await ask(path), path).toMatchObject({ status: 200, body: [] });
    }
  });
});

describe('the weight of requests', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [BinanceSpotPlugin],
      environment: { BINANCE_SPOT_WEIGHT_PER_MINUTE: '60' },
    });
  });
  afterAll(() => app.close());

  it('is told, and refused beyond the limit until the next minute', async () => {
    const depth = (): Promise<Response> => fetch(`${app.url}/binance/api/v3/depth?symbol=BTCUSD&limit=1000`);
    // A minute may end between the first two.
    const replies = [await depth(), await depth(), await depth()];
    expect(replies[0]!.headers.get('x-mbx-used-weight-1m')).toBe('50');
    const refused = replies.find(({ status }) => status === 429)!;
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({
      code: -1003,
      msg: expect.stringMatching(/limit is 60 request weight per 1 MINUTE/) as string,
    });
  });

  it('bans who goes on after many refusals, and says until when', async () => {
    const statuses = new Set<number>();
    const ask = async (): Promise<Response> => {
      const reply = await fetch(`${app.url}/binance/api/v3/depth?symbol=BTCUSD&limit=1000`);
      statuses.add(reply.status);
      return reply;
    };
    const banned = await eventually(async () => {
      const replies = await Promise.all(Array.from({ length: 50 }, ask));
      const found = replies.find(({ status }) => status === 418);
      if (found === undefined) throw new Error(`only ${[...statuses].join()}`);
      return found;
    });
    expect(Number(banned.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(Number(banned.headers.get('retry-after'))).toBeLessThanOrEqual(120);
    const { code, msg } = (await banned.json()) as Json;
    expect([code, msg]).toEqual([-1003, expect.stringMatching(/IP banned until \d{13}/)]);
    const ping = await fetch(`${app.url}/binance/api/v3/ping`);
    expect(ping.status).toBe(418);
    expect((await fetch(`${app.url}/markets`)).status).toBe(200);
    expect([...statuses].filter((status) => ![200, 429, 418].includes(status))).toEqual([]);
  });
});
