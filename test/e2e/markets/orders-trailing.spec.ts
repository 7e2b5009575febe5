import { describe, expect, it } from 'vitest';
import type { Json } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { expectRefusal, TradingScene } from '../../support/clients/trading-scene.js';

describe('stops', () => {
  const scene = TradingScene.set('TRAIL');
  const stop = (side: 'buy' | 'sell', terms: Json): Json => ({
    market_id: scene.market,
    side,
    type: 'trailing_stop',
    size: '1',
    ...terms,
  });
  /** Both sides are others' than whose stops are tried. */
  const tradeAt = async (price: string): Promise<void> => {
    await scene.maker.place(limit(scene.market, 'buy', price, '1'));
    await scene.demo.place(limit(scene.market, 'sell', price, '1'));
  };

  it('trail behind the best price, and sell where it falls back', async () => {
    const { demo, maker, market } = scene;
    await tradeAt('100');
    const order = await demo.place(stop('sell', { trailing_percent: '2.5' }));
    expect(order).toMatchObject({
      type: 'trailing_stop',
      status: 'untriggered',
      price: null,
      stop_price: '97.5',
      best_price: '100',
      trigger: 'last',
      trailing_percent: '2.5',
      trailing_offset: null,
    });
    for (const price of ['104', '102', '120', '118']) await tradeAt(price);
    expect(await scene.order(demo, order)).toMatchObject({
      status: 'untriggered',
      stop_price: '117',
      best_price: '120',
    });
    await maker.place(limit(market, 'buy', '116', '1'));
    await tradeAt('117');
    expect(await scene.order(demo, order)).toMatchObject({
      status: 'filled',
      average_fill_price: '116',
      stop_price: null,
      best_price: null,
    });
  });

  it('trail by a price, and tell it in lists, previews and a batch', async () => {
    const { demo, maker, market } = scene;
    await tradeAt('100');
    const body = stop('buy', { trailing_offset: '5' });
    const preview = await demo.post('/orders/preview', body);
    expect(preview.body).toMatchObject({ status: 'untriggered', fills: [] });
    const batch = await demo.post('/orders/batch', { orders: [body] });
    const [{ order }] = batch.body.results;
    expect(order).toMatchObject({ trailing_offset: '5', trailing_percent: null });
    const listed = await demo.get(`/orders?market_id=${market}&status=untriggered`);
    expect(listed.body.data).toMatchObject([{ order_id: order.order_id, trailing_offset: '5' }]);

    await tradeAt('90');
    await maker.place(limit(market, 'sell', '96', '1'));
    await tradeAt('95');
    expect(await scene.order(demo, order)).toMatchObject({ status: 'filled', average_fill_price: '96' });
  });

  it('tell where each stands, whatever it follows together with others', async () => {
    const { demo, maker, operator, market } = scene;
    await tradeAt('100');
    const stops = [
      [demo, await demo.place(stop('sell', { trailing_offset: '50' }))],
      [maker, await maker.place(stop('sell', { trailing_percent: '40' }))],
    ] as const;
    const standings = (): Promise<Json[]> =>
      Promise.all(
        stops.map(async ([caller, order]) => {
          const { body } = await caller.get(`/orders?market_id=${market}&status=untriggered`);
          const listed = body.data.find(({ order_id: id }: Json) => id === order.order_id);
          expect(await scene.order(caller, order)).toMatchObject(listed);
          return [listed.stop_price, listed.best_price];
        }),
      );
    expect(await standings()).toEqual([
      ['50', '100'],
      ['60', '100'],
    ]);
    await tradeAt('110');
    await tradeAt('105');
    expect(await standings()).toEqual([
      ['60', '110'],
      ['66', '110'],
    ]);
    const all = await operator.get(`/admin/orders?market_id=${market}&status=untriggered`);
    expect(all.body.data.map((order: Json) => order.stop_price)).toEqual(['66', '60']);
    const later = await maker.place(stop('sell', { trailing_offset: '5' }));
    expect(later).toMatchObject({ stop_price: '100', best_price: '105' });
    await tradeAt('107');
    expect(await scene.order(maker, later)).toMatchObject({ stop_price: '102', best_price: '107' });
    expect((await standings())[0]).toEqual(['60', '110']);
    // What the later ones have followed stays known where they go.
    for (const order of [stops[1][1], later]) await maker.delete(`/orders/${order.order_id}`);
    expect(await scene.order(demo, stops[0][1])).toMatchObject({ stop_price: '60', best_price: '110' });
  });

  it('by the mark price follow the book, and not what was traded', async () => {
    const { demo, maker, market } = scene;
    const best = await maker.place(limit(market, 'buy', '100', '1'));
    await maker.place(limit(market, 'buy', '95', '1'));
    const byMark = { type: 'stop', stop_price: '96', trigger: 'mark' };
    const order = await demo.place(stop('sell', byMark));
    expect(order).toMatchObject({ status: 'untriggered', trigger: 'mark' });
    await maker.delete(`/orders/${best.order_id}`);
    await expect
      .poll(() => scene.order(demo, order), { timeout: 20_000 })
      .toMatchObject({ status: 'filled', average_fill_price: '95' });
  });

  it('are refused where the distance is none, or does not fit the order', async () => {
    const { demo } = scene;
    const refused = (terms: Json, code: string): Promise<void> =>
      expectRefusal(demo.post('/orders', stop('sell', terms)), code, terms);
    await refused({ trailing_offset: '5' }, 'insufficient_liquidity');
    await tradeAt('100');
    for (const odd of ['0', '0.00', '100', '0.001', '-1', '1e1', '', ' 1', '１', '1.', '.5', '01', 'NaN'])
      await refused({ trailing_percent: odd }, 'validation_failed');
    for (const odd of ['', '-1', '1e1', 'Infinity'])
      await refused({ trailing_offset: odd }, 'validation_failed');
    await refused({ trailing_offset: '0' }, 'price_out_of_range');
    await refused({ trailing_offset: '100' }, 'price_out_of_range');
    await refused({ trailing_offset: '0.0000001' }, 'invalid_tick');
    await refused({}, 'validation_failed');
    await refused({ trailing_offset: '5', trailing_percent: '5' }, 'validation_failed');
    await refused({ trailing_offset: '5', trigger: 'mark' }, 'validation_failed');
    await refused({ trailing_offset: '5', price: '90' }, 'validation_failed');
    await refused({ type: 'stop', stop_price: '90', trigger: 'index' }, 'validation_failed');
    await refused({ type: 'limit', price: '90', trailing_offset: '5' }, 'validation_failed');
    await refused({ bestTicks: 5, trailing_offset: '5', best_ticks: 5 }, 'validation_failed');
  });
});
