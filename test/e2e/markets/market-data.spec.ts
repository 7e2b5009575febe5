import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MarketData } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

describe('MarketData', () => {
  let app: TestApp;
  let data: MarketData;
  const market = 'READ-BY-PLUGINS';

  beforeAll(async () => {
    app = await startTestApp();
    data = app.app.nest.get(MarketData);
    const [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    await createMarket(operator, market);
    for (const price of ['100', '101']) {
      await maker.place(limit(market, 'sell', price, '1'));
      await demo.place(limit(market, 'buy', price, '1'));
    }
    await maker.place(limit(market, 'sell', '103', '1'));
    await maker.place(limit(market, 'sell', '102', '1'));
  });
  afterAll(() => app.close());

  const answerOf = async (path: string): Promise<Json> => (await new Caller(app.url).get(path)).body;

  it('answers what the routes answer', async () => {
    const path = `/markets/${market}`;
    expect(await data.markets()).toEqual(await answerOf('/markets'));
    expect(await data.markets({ kind: 'event', limit: 1, q: undefined })).toEqual(
      await answerOf('/markets?kind=event&limit=1'),
    );
    expect(await data.market(market)).toEqual(await answerOf(path));
    expect(await data.orderbook(market)).toEqual(await answerOf(`${path}/orderbook`));
    expect(await data.orderbook(market, 1)).toEqual(await answerOf(`${path}/orderbook?depth=1`));
    expect(await data.trades(market)).toEqual(await answerOf(`${path}/trades`));
    expect(await data.candles(market)).toEqual(await answerOf(`${path}/candles`));
    const day = { interval: '1d', from: '2026-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' } as const;
    expect(await data.candles(market, day)).toEqual(
      await answerOf(`${path}/candles?${new URLSearchParams(day).toString()}`),
    );
  });

  it('reads page by page', async () => {
    const all = (await data.trades(market)).data;
    const first = await data.trades(market, { limit: 1 });
    const second = await data.trades(market, { limit: 1, cursor: first.next_cursor! });
    expect([...first.data, ...second.data]).toEqual(all);
    expect(second.next_cursor).toBeNull();
  });

  it('rejects with the errors of the routes', async () => {
    const unknown = { code: 'market_not_found', status: 404 };
    await expect(data.market('NO-SUCH')).rejects.toMatchObject(unknown);
    await expect(data.orderbook('NO-SUCH')).rejects.toMatchObject(unknown);
    await expect(data.trades('NO-SUCH')).rejects.toMatchObject(unknown);
    await expect(data.candles('NO-SUCH')).rejects.toMatchObject(unknown);
    const invalid = { code: 'validation_failed', status: 400 };
    await expect(data.orderbook(market, 1_001)).rejects.toMatchObject(invalid);
    await expect(data.markets({ limit: 201 })).rejects.toMatchObject(invalid);
    await expect(data.candles(market, { interval: '2m' as '1m' })).rejects.toMatchObject(invalid);
    await expect(data.trades(market, { from: 'yesterday' })).rejects.toMatchObject(invalid);
    await expect(data.trades(market, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
