import { describe, expect, it } from 'vitest';
import type { Caller, Json, Reply } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { expectRefusal, TradingScene } from '../../support/clients/trading-scene.js';

describe('mass quotes', () => {
  const scene = TradingScene.set('QUOTED');
  const at = (price: string, size = '1') => ({ price, size });
  const quote = (caller: Caller, quotes: Json[], protection?: Json): Promise<Reply> =>
    caller.post('/quotes/mass', { quotes, ...(protection !== undefined && { protection }) });
  const open = async (caller: Caller): Promise<Json[]> =>
    (await caller.get(`/orders?market_id=${scene.market}&status=open`)).body.data;

  it('replace both sides, and leave in its place what stays the same', async () => {
    const { maker, demo, market } = scene;
    const first = await quote(maker, [{ market_id: market, bid: at('99'), ask: at('101') }]);
    expect(first).toMatchObject({ status: 200 });
    const [{ bid, ask }] = first.body.quotes;
    expect(bid.order).toMatchObject({ price: '99', origin: 'mass_quote', post_only: true, status: 'open' });
    await demo.place(limit(market, 'sell', '101', '1'));

    const second = await quote(maker, [{ market_id: market, bid: at('98', '2'), ask: at('101') }]);
    const [after] = second.body.quotes;
    expect(after.ask.order.order_id).toBe(ask.order.order_id);
    expect(after.bid.order).toMatchObject({ price: '98', size: '2' });
    expect(await scene.order(maker, bid.order)).toMatchObject({
      status: 'cancelled',
      status_reason: 'replaced',
    });
    // The ask still comes before the order that joined after it.
    await demo.place({ ...limit(market, 'buy', '101', '1'), self_trade_prevention: 'cancel_oldest' });
    expect(await scene.order(maker, ask.order)).toMatchObject({ status: 'filled' });

    await quote(maker, [{ market_id: market, bid: null, ask: null }]);
    expect(await open(maker)).toEqual([]);
  });

  it('tell of each side that is refused, and place the others', async () => {
    const { maker, demo, market, operator } = scene;
    const other = await createMarket(operator, `${market}-B`);
    await demo.place(limit(market, 'sell', '100', '1'));
    const { status, body } = await quote(maker, [
      { market_id: market, bid: at('100'), ask: at('101') },
      { market_id: other, bid: at('1', '100000000'), ask: null },
    ]);
    expect(status).toBe(200);
    expect(body.quotes).toMatchObject([
      {
        market_id: market,
        bid: { error: { code: 'post_only_would_cross' } },
        ask: { order: { price: '101' } },
      },
      {
        market_id: other,
        bid: { error: { code: expect.stringMatching(/^(insufficient|size)/) } },
        ask: null,
      },
    ]);
  });

  it('free the money of all that go before they hold any for what comes', async () => {
    const { maker, market, operator } = scene;
    const other = await createMarket(operator, `${market}-B`);
    const { available } = await maker.balance('USD');
    const most = `${Math.floor(Number(available) / 100) - 1}`;
    const first = await quote(maker, [{ market_id: other, bid: at('100', most) }]);
    expect(first.body.quotes[0].bid.order, JSON.stringify(first.body)).toMatchObject({ status: 'open' });
    const moved = await quote(maker, [
      { market_id: market, bid: at('100', most) },
      { market_id: other, bid: null },
    ]);
    expect(moved.body.quotes[0].bid.order, JSON.stringify(moved.body)).toMatchObject({ status: 'open' });
    await quote(maker, [{ market_id: market }]);
  });

  it('are all cancelled after so many fills, and wait for a reset', async () => {
    const { maker, demo, market, operator } = scene;
    const other = await createMarket(operator, `${market}-B`);
    const both = [
      { market_id: market, bid: at('99', '5'), ask: at('101', '5') },
      { market_id: other, bid: at('99', '5'), ask: at('101', '5') },
    ];
    await quote(maker, both, { fills: 2, seconds: 3_600 });
    await demo.place(limit(market, 'buy', '101', '1'));
    expect(await open(maker)).toHaveLength(1);
    await demo.place(limit(other, 'sell', '99', '1'));
    const { body } = await maker.get(`/orders?status=cancelled&limit=4`);
    expect(body.data.map((order: Json) => order.status_reason)).toEqual(Array(4).fill('maker_protection'));
    expect(await scene.levels('bids')).toEqual([]);

    await expectRefusal(quote(maker, both), 'quotes_protected');
    await expectRefusal(quote(maker, both, { fills: 9, seconds: 9 }), 'quotes_protected');
    const again = await quote(maker, both, { fills: 2, seconds: 3_600, reset: true });
    expect(again).toMatchObject({ status: 200 });
    await demo.place(limit(market, 'buy', '101', '1'));
    // Other terms count anew, and none protect no longer.
    await quote(maker, both, { fills: 0, seconds: 1 });
    await demo.place(limit(market, 'buy', '101', '1'));
    expect((await quote(maker, [{ market_id: market }, { market_id: other }])).status).toBe(200);
  });

  it('belong to nobody else, and to no market that cannot be traded', async () => {
    const { maker, demo, market } = scene;
    await quote(maker, [{ market_id: market, bid: at('99') }]);
    const [{ account_id }] = await open(maker);
    const foreign = { quotes: [{ market_id: market }], account_id };
    await expectRefusal(demo.post('/quotes/mass', foreign), 'account_not_found');
    await quote(demo, [{ market_id: market }]);
    expect(await open(maker)).toHaveLength(1);
    await expectRefusal(quote(maker, [{ market_id: 'NO-SUCH', bid: at('1') }]), 'market_not_found');
    await quote(maker, [{ market_id: market }]);
  });

  it('that race each other leave one quote on each side', async () => {
    const { maker, market } = scene;
    const racing = Array.from({ length: 20 }, (_, index) =>
      quote(maker, [{ market_id: market, bid: at(`${50 + index}`), ask: at(`${150 + index}`) }]),
    );
    for (const { status } of await Promise.all(racing)) expect(status).toBe(200);
    const left = await open(maker);
    expect(left.map(({ side }: Json) => side).sort()).toEqual(['buy', 'sell']);
    await quote(maker, [{ market_id: market }]);
    expect(await open(maker)).toEqual([]);
  });

  it('are refused whole where the request makes no sense', async () => {
    const { maker, market } = scene;
    const named = { market_id: market };
    const bad: Json[] = [
      {},
      { quotes: [] },
      { quotes: [null] },
      { quotes: 'all' },
      { quotes: [named, named] },
      { quotes: [{ bid: at('1') }] },
      { quotes: [{ ...named, bid: at('-1') }] },
      { quotes: [{ ...named, bid: at('1e3') }] },
      { quotes: [{ ...named, bid: { price: '1' } }] },
      { quotes: [{ ...named, bid: { ...at('1'), type: 'market' } }] },
      { quotes: [{ ...named, bid: [at('1')] }] },
      { quotes: [named], protection: { fills: -1, seconds: 1 } },
      { quotes: [named], protection: [{ fills: 1, seconds: 1 }] },
      { quotes: [named], protection: { fills: 101, seconds: 1 } },
      { quotes: [named], protection: { fills: 1, seconds: 3_601 } },
      { quotes: [named], protection: { fills: 1.5, seconds: 1 } },
      { quotes: [named], protection: { fills: '1', seconds: 1 } },
      { quotes: [named], protection: true },
      { quotes: Array.from({ length: 101 }, (_, index) => ({ market_id: `M-${index}` })) },
      { quotes: [named], accountId: 1 },
    ];
    for (const body of bad) await expectRefusal(maker.post('/quotes/mass', body), 'validation_failed', body);
    const odd = [{ ...named, bid: at('99.0000001') }];
    await expectRefusal(quote(maker, odd), 'invalid_tick');
    expect(await open(maker)).toEqual([]);
  });
});
