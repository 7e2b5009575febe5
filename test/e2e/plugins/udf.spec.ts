import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import UdfPlugin from '../../../plugins/udf/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

const RESOLUTIONS = { '1': '1m', '5': '5m', '15': '15m', '60': '1h', '240': '4h', '1D': '1d' };
const UNKNOWN = { s: 'error', errmsg: 'unknown_symbol' };

describe('the Universal Data Feed', () => {
  let app: TestApp;
  let anyone: Caller;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  const market = 'FEED-QUARTER';
  const event = 'FEED-EVENT';
  const settled = 'SETTLED-EVENT';

  beforeAll(async () => {
    app = await startTestApp({ plugins: [UdfPlugin] });
    anyone = new Caller(app.url);
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    await createMarket(operator, market, { tick_size: '0.25', title: 'Quarters' });
    await createMarket(operator, event, {
      kind: 'event',
      base_asset: undefined,
      tick_size: '0.05',
      lot_size: '1',
      opens_at: new Date(Date.now() + 3_600_000).toISOString(),
      closes_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
    for (const [price, size] of [
      ['100.25', '1'],
      ['101.5', '0.5'],
      ['99.75', '0.002'],
    ] as const) {
      await maker.place(limit(market, 'sell', price, size));
      await demo.place(limit(market, 'buy', price, size));
    }
    await maker.place(limit(market, 'sell', '102', '1'));
    await demo.place(limit(market, 'buy', '99.5', '1'));
  });
  afterAll(() => app.close());

  const ask = async (route: string, query: Record<string, string> = {}): Promise<Json> => {
    const reply = await anyone.get(`/udf/${route}?${new URLSearchParams(query).toString()}`);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return reply.body;
  };
  const now = (): number => Math.floor(Date.now() / 1_000);
  const history = (query: Record<string, string>): Promise<Json> =>
    ask('history', { symbol: market, resolution: '1', from: '0', to: String(now() + 60), ...query });
  const candles = async (id: string, interval: string): Promise<Json[]> =>
    (await anyone.walk(`/markets/${id}/candles?interval=${interval}`, 200)).reverse();
  const barsOf = (found: readonly Json[]): Json => ({
    s: 'ok',
    t: found.map(({ start }) => Date.parse(start) / 1_000),
    o: found.map(({ open }) => Number(open)),
    h: found.map(({ high }) => Number(high)),
    l: found.map(({ low }) => Number(low)),
    c: found.map(({ close }) => Number(close)),
    v: found.map(({ volume }) => Number(volume)),
  });

  it('says what it can do', async () => {
    expect(await ask('config')).toEqual({
      supported_resolutions: Object.keys(RESOLUTIONS),
      supports_search: true,
      supports_group_request: false,
      supports_marks: true,
      supports_timescale_marks: true,
      supports_time: true,
      exchanges: [{ value: 'Tradepost', name: 'Tradepost', desc: 'Tradepost' }],
      symbols_types: [
        { name: 'All types', value: '' },
        { name: 'Spot', value: 'crypto' },
        { name: 'Events', value: 'futures' },
      ],
    });
  });

  it('tells the time as plain text', async () => {
    const before = now();
    const response = await fetch(`${app.url}/udf/time`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(/^\d+$/);
    expect(Number(text)).toBeGreaterThanOrEqual(before);
    expect(Number(text)).toBeLessThanOrEqual(now());
  });

  it('resolves symbols, with and without the exchange', async () => {
    const expected = {
      name: market,
      ticker: market,
      full_name: `Tradepost:${market}`,
      description: 'Quarters',
      type: 'crypto',
      exchange: 'Tradepost',
      listed_exchange: 'Tradepost',
      session: '24x7',
      timezone: 'Etc/UTC',
      format: 'price',
      minmov: 25,
      minmove2: 0,
      pricescale: 100,
      pointvalue: 1,
      has_intraday: true,
      has_daily: true,
      has_weekly_and_monthly: false,
      intraday_multipliers: ['1', '5', '15', '60', '240'],
      supported_resolutions: Object.keys(RESOLUTIONS),
      volume_precision: 3,
      data_status: 'streaming',
      currency_code: 'USD',
    };
    expect(await ask('symbols', { symbol: market })).toEqual(expected);
    expect(await ask('symbols', { symbol: `Tradepost:${market}`, currencyCode: 'EUR' })).toEqual(expected);
    expect(await ask('symbols', { symbol: event })).toMatchObject({
      type: 'futures',
      minmov: 5,
      pricescale: 100,
      volume_precision: 0,
    });
    expect(await ask('symbols', { symbol: 'NO-SUCH' })).toEqual(UNKNOWN);
    expect(await ask('symbols')).toEqual(UNKNOWN);
  });

  it('searches symbols', async () => {
    const found = async (query: Record<string, string>): Promise<string[]> =>
      (await ask('search', query)).map(({ symbol }: Json) => symbol);
    const all = (await anyone.walk('/markets', 200)).map(({ market_id: id }) => id);
    expect(await found({ query: '', type: '', exchange: '', limit: '200' })).toEqual(all);
    expect(await found({ query: '', limit: '1' })).toEqual(all.slice(0, 1));
    expect(await found({ query: 'quarters', type: 'crypto', exchange: 'Tradepost' })).toEqual([market]);
    expect(await found({ query: 'tradepost:feed-', type: 'futures' })).toEqual([event]);
    expect(await found({ query: '', exchange: 'NYSE' })).toEqual([]);
    expect(await found({ query: '', type: 'stock' })).toEqual([]);
    expect(await ask('search', { query: 'quarters', limit: '30' })).toEqual([
      {
        symbol: market,
        full_name: `Tradepost:${market}`,
        description: 'Quarters',
        exchange: 'Tradepost',
        ticker: market,
        type: 'crypto',
      },
    ]);
  });

  describe('history', () => {
    it.each(Object.entries(RESOLUTIONS))(
      'has the bars of %s as our candles of %s',
      async (name, interval) => {
        const expected = await candles(market, interval);
        expect(expected.length).toBeGreaterThan(0);
        expect(await history({ resolution: name })).toEqual(barsOf(expected));
      },
    );

    it('takes the day by its older name, and the symbol with the exchange', async () => {
      const expected = barsOf(await candles(market, '1d'));
      expect(await history({ resolution: 'D', symbol: `Tradepost:${market}` })).toEqual(expected);
    });

    it('bounds a period: with its first second, without its last', async () => {
      const [first] = (await history({})).t;
      expect((await history({ from: String(first) })).t[0]).toBe(first);
      expect(await history({ from: String(first - 60), to: String(first) })).toEqual({ s: 'no_data' });
      expect((await history({ from: '-1000000000', to: String(first + 1) })).t).toEqual([first]);
    });

    it('tells the last bar before a period without one', async () => {
      const { t } = await history({});
      const later = { from: String(now() + 600), to: String(now() + 1_200) };
      expect(await history(later)).toEqual({ s: 'no_data', nextTime: t.at(-1) });
      expect(await history({ symbol: event })).toEqual({ s: 'no_data' });
    });

    it('counts back from the end, whatever the start', async () => {
      const all = await history({ symbol: market });
      const last = all.t.at(-1);
      const counted = await history({ from: String(now() + 30), countback: '1' });
      expect(counted).toEqual(barsOf((await candles(market, '1m')).slice(-1)));
      expect(counted.t).toEqual([last]);
      expect(await history({ countback: '99999999' })).toEqual(all);
      expect(await history({ countback: '5', to: '1000' })).toEqual({ s: 'no_data' });
      expect(
        await ask('history', { symbol: market, resolution: '1', to: '253402300799', countback: '1' }),
      ).toEqual(counted);
    });

    it.each([
      [{ symbol: 'NO-SUCH' }, 'unknown_symbol'],
      [{ symbol: '' }, 'unknown_symbol'],
      [{ symbol: 'btc-usd' }, 'unknown_symbol'],
      [{ resolution: '3' }, 'unsupported_resolution'],
      [{ resolution: '' }, 'unsupported_resolution'],
      [{ from: '2', to: '1' }, 'from must not be after to'],
      [{ from: 'yesterday' }, 'from must be a time in seconds'],
      [{ from: '1e3' }, 'from must be a time in seconds'],
      [{ to: '99999999999999999999' }, 'to must be a time in seconds'],
      [{ to: '' }, 'to must be a time in seconds'],
      [{ to: 'NaN' }, 'to must be a time in seconds'],
      [{ countback: '0' }, 'countback must be a whole number from 1'],
      [{ countback: '-5' }, 'countback must be a whole number from 1'],
      [{ countback: '2.5' }, 'countback must be a whole number from 1'],
    ])('answers %j with %s', async (query, errmsg) => {
      expect(await history(query as Record<string, string>)).toEqual({ s: 'error', errmsg });
    });
  });

  describe('quotes', () => {
    it('has the figures of the ticker and of today', async () => {
      const { body: ours } = await anyone.get(`/markets/${market}`);
      const [today] = (await candles(market, '1d')).slice(-1);
      const { s, d } = await ask('quotes', { symbols: `${market},Tradepost:${event},NO-SUCH` });
      expect(s).toBe('ok');
      expect(d).toEqual([
        {
          s: 'ok',
          n: market,
          v: {
            short_name: market,
            exchange: 'Tradepost',
            description: 'Quarters',
            lp: Number(ours.ticker.last_price),
            bid: Number(ours.ticker.best_bid),
            ask: Number(ours.ticker.best_ask),
            ch: -0.5,
            chp: -0.4987,
            open_price: Number(today.open),
            high_price: Number(today.high),
            low_price: Number(today.low),
            volume: Number(today.volume),
          },
        },
        { s: 'ok', n: `Tradepost:${event}`, v: expect.objectContaining({ short_name: event, volume: 0 }) },
        { s: 'error', n: 'NO-SUCH', v: {} },
      ]);
      expect(d[0].v).toMatchObject({ lp: 99.75, bid: 99.5, ask: 102, high_price: 101.5, volume: 1.502 });
    });

    it('has a bounded number of symbols', async () => {
      const many = (count: number): Promise<Json> =>
        ask('quotes', { symbols: Array<string>(count).fill(market).join(',') });
      expect((await many(50)).d).toHaveLength(50);
      expect(await many(51)).toEqual({ s: 'error', errmsg: 'symbols may name 50 symbols' });
      expect(await ask('quotes', { symbols: ',,' })).toEqual({
        s: 'error',
        errmsg: 'symbols must name a symbol',
      });
    });
  });

  it('marks when a market was settled, and knows that it has expired', async () => {
    await createMarket(operator, settled, { kind: 'event', base_asset: undefined, lot_size: '1' });
    for (const change of [{ status: 'closed' }, { status: 'settled', settlement_value: '0.7' }]) {
      expect(await operator.patch(`/admin/markets/${settled}`, change)).toMatchObject({ status: 200 });
    }
    const { body: ours } = await anyone.get(`/markets/${settled}`);
    const time = Math.floor(Date.parse(ours.settled_at) / 1_000);
    const query = { symbol: settled, from: String(time), to: String(time) };
    const tooltip = ['Settled at 0.7 USD'];
    expect(await ask('timescale_marks', query)).toEqual([
      { id: `${settled}:settled`, time, color: 'blue', label: 'S', tooltip },
    ]);
    expect(await ask('marks', query)).toMatchObject({ time: [time], text: tooltip });
    expect(await ask('symbols', { symbol: settled })).toMatchObject({ expired: true, expiration_date: time });
  });

  it('marks when a market opens and closes', async () => {
    const { body: ours } = await anyone.get(`/markets/${event}`);
    const [opens, closes] = [ours.opens_at, ours.closes_at].map((at) => Math.floor(Date.parse(at) / 1_000));
    const query = { symbol: event, resolution: '60', from: String(now()), to: String(closes) };
    expect(await ask('marks', query)).toEqual({
      id: [`${event}:opens`, `${event}:closes`],
      time: [opens, closes],
      color: ['green', 'red'],
      text: ['Opens', 'Closes'],
      label: ['O', 'C'],
      labelFontColor: ['white', 'white'],
      minSize: [14, 14],
    });
    expect(await ask('timescale_marks', { ...query, to: String(closes! - 1) })).toEqual([
      { id: `${event}:opens`, time: opens, color: 'green', label: 'O', tooltip: ['Opens'] },
    ]);
    expect(await ask('timescale_marks', { ...query, symbol: market })).toEqual([]);
    expect(await ask('marks', { ...query, symbol: 'NO-SUCH' })).toEqual(UNKNOWN);
    expect(await ask('marks', { ...query, from: '9', to: '8' })).toMatchObject({ s: 'error' });
  });

  const HOSTILE = [
    '',
    '\0',
    '%',
    '../..',
    '-1',
    '1e309',
    '9'.repeat(15),
    '9'.repeat(400),
    'x'.repeat(5_000),
    '🂡',
  ];
  const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
    symbols: ['symbol'],
    search: ['query', 'type', 'exchange', 'limit'],
    history: ['symbol', 'from', 'to', 'resolution', 'countback'],
    marks: ['symbol', 'from', 'to', 'resolution'],
    timescale_marks: ['symbol', 'from', 'to', 'resolution'],
    quotes: ['symbols'],
  };
  it.each(Object.entries(PARAMETERS))('answers hostile requests of %s', async (route, names) => {
    const usual = {
      symbol: market,
      from: '0',
      to: '9999999999',
      resolution: '60',
      symbols: market,
      query: '',
    };
    const isAnswer = ({ status }: Reply): boolean => status === 200 || status === 400;
    for (const name of names) {
      const query = new URLSearchParams(Object.entries(usual).filter(([other]) => names.includes(other)));
      for (const value of HOSTILE) {
        query.set(name, value);
        const reply = await anyone.get(`/udf/${route}?${query.toString()}`);
        expect(reply, `${name}=${value}`).toSatisfy(isAnswer);
      }
      query.append(name, 'again');
      for (const shape of [query.toString(), `${name}[]=1`, `${name}[a]=1`, 'unknown=1']) {
        const { status, body } = await anyone.get(`/udf/${route}?${shape}`);
        expect(status, shape).toBe(400);
        expect(body.error.code).toBe('validation_failed');
      }
    }
  });

  it('is in the document of the service', async () => {
    const { body } = await anyone.get('/openapi.json');
    expect(
      Object.keys(body.paths)
        .filter((path) => path.startsWith('/udf/'))
        .sort(),
    ).toEqual(
      ['config', 'history', 'marks', 'quotes', 'search', 'symbols', 'time', 'timescale_marks'].map(
        (route) => `/udf/${route}`,
      ),
    );
  });
});
