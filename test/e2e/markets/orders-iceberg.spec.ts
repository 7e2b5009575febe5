import { describe, expect, it } from 'vitest';
import type { Json, Reply } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { expectRefusal, TradingScene } from '../../support/clients/trading-scene.js';

describe('icebergs', () => {
  const scene = TradingScene.set('BERG', { min_size: '0.1' });
  const iceberg = (size: string, shown: string, more: Json = {}): Json => ({
    ...limit(scene.market, 'sell', '100', size),
    display_size: shown,
    ...more,
  });

  it('show a part at a time, and the next one at the end of the queue', async () => {
    const { demo, maker, market } = scene;
    const hidden = await maker.place(iceberg('5', '2'));
    expect(hidden).toMatchObject({ status: 'open', size: '5', display_size: '2', remaining_size: '5' });
    const plain = await maker.place(limit(market, 'sell', '100', '1'));
    expect(await scene.levels('asks')).toEqual([['100', '3', 2]]);

    const first = await demo.place(limit(market, 'buy', '100', '1.5'));
    expect(first).toMatchObject({ status: 'filled', fills: [{ size: '1.5' }] });
    expect(await scene.levels('asks')).toEqual([['100', '1.5', 2]]);

    // The half that is still shown, the order behind it, and then the next part.
    const second = await demo.place(limit(market, 'buy', '100', '2.5'));
    expect(second).toMatchObject({ fills: [{ size: '0.5' }, { size: '1' }, { size: '1' }] });
    expect(await scene.order(maker, plain)).toMatchObject({ status: 'filled' });
    expect(await scene.levels('asks')).toEqual([['100', '1', 1]]);

    // What is hidden trades, too, part by part.
    const third = await demo.place({ market_id: market, side: 'buy', type: 'market', size: '2' });
    expect(third).toMatchObject({ status: 'filled', fills: [{ size: '1' }, { size: '1' }] });
    expect(await scene.order(maker, hidden)).toMatchObject({ status: 'filled' });
    expect(await scene.levels('asks')).toEqual([]);
  });

  it('hold the money of all they are', async () => {
    const { maker } = scene;
    const before = await maker.balance('BTC');
    await maker.place(iceberg('5', '0.1'));
    const after = await maker.balance('BTC');
    expect(Number(after.held) - Number(before.held)).toBeCloseTo(5, 9);
  });

  it('show what is left of a part after an amendment', async () => {
    const { demo, maker, market } = scene;
    const order = await maker.place(iceberg('5', '2'));
    await demo.place(limit(market, 'buy', '100', '0.5'));
    const amend = (body: Json): Promise<Reply> => maker.patch(`/orders/${order.order_id}`, body);
    expect((await amend({ size: '4' })).body).toMatchObject({ size: '4', display_size: '2' });
    expect(await scene.levels('asks')).toEqual([['100', '1.5', 1]]);
    await amend({ price: '101' });
    expect(await scene.levels('asks')).toEqual([['101', '1.5', 1]]);
    await expectRefusal(amend({ size: '201' }), 'size_out_of_range');
    await expectRefusal(amend({ size: '1.9' }), 'size_out_of_range');
    expect(await scene.levels('asks')).toEqual([['101', '1.5', 1]]);
  });

  it('are refused where they show nothing, too little, or more than there is', async () => {
    const { maker, market } = scene;
    const refused = (body: Json, code: string): Promise<void> =>
      expectRefusal(maker.post('/orders', body), code, body);
    await refused(iceberg('5', '5.1'), 'size_out_of_range');
    await refused(iceberg('5', '0.05'), 'size_out_of_range');
    await refused(iceberg('11', '0.1'), 'size_out_of_range');
    await refused(iceberg('5', '0.0000000001'), 'invalid_lot');
    await refused(iceberg('5', '0'), 'size_out_of_range');
    for (const odd of ['', '-1', '1e3', 'NaN', '１', ' 1', '01'])
      await refused(iceberg('5', odd), 'validation_failed');
    await refused(iceberg('5', '1', { time_in_force: 'IOC' }), 'validation_failed');
    const byMarket = { market_id: market, side: 'buy', type: 'market', size: '1', display_size: '1' };
    await refused(byMarket, 'validation_failed');
    expect(await scene.levels('asks')).toEqual([]);
  });
});
