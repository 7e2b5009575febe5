import { describe, expect, it } from 'vitest';
import type { Caller, Json, Reply } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { expectRefusal, TradingScene } from '../../support/clients/trading-scene.js';

describe('order lists', () => {
  const scene = TradingScene.set('LIST', { taker_fee_rate: '0.001' });

  const order = (side: string, type: string, size: string, more: Json = {}): Json => ({
    market_id: scene.market,
    side,
    type,
    size,
    ...more,
  });
  /** Sell at 110, or at what the book gives once the price has fallen to 90. */
  const exits = (size = '1', more: Json = {}): Json[] => [
    order('sell', 'limit', size, { price: '110' }),
    order('sell', 'stop', size, { stop_price: '90', ...more }),
  ];
  const oco = (size?: string, more: Json = {}): Json => ({ type: 'oco', orders: exits(size), ...more });
  const bracket = (size = '1', more: Json = {}): Json => ({
    type: 'bracket',
    orders: [order('buy', 'limit', size, { price: '100' }), ...exits(size)],
    ...more,
  });
  const place = async (caller: Caller, body: Json): Promise<Json> => {
    const reply = await caller.post('/order-lists', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  };
  const list = async (caller: Caller, { order_list_id: id }: Json): Promise<Json> =>
    (await caller.get(`/order-lists/${id}`)).body;
  const statuses = ({ orders }: Json): string[] =>
    orders.map((one: Json) => [one.status, one.status_reason].filter(Boolean).join(' '));
  const held = async (caller: Caller, asset: string): Promise<number> =>
    Number((await caller.balance(asset)).held);
  const tradeAt = async (price: string): Promise<void> => {
    const { demo, maker, market } = scene;
    await maker.place(limit(market, 'buy', price, '0.001'));
    await demo.place(limit(market, 'sell', price, '0.001'));
  };

  describe('one cancels the other', () => {
    it('waits with both, holding what one needs', async () => {
      const { demo } = scene;
      const before = await held(demo, 'BTC');
      const placed = await place(demo, oco());
      expect(placed).toMatchObject({ type: 'oco', status: 'open', market_id: scene.market });
      expect(statuses(placed)).toEqual(['open', 'untriggered']);
      expect(await held(demo, 'BTC')).toBeCloseTo(before + 1, 9);
      expect(await list(demo, placed)).toEqual(placed);
      expect((await demo.get('/order-lists?limit=1')).body.data).toEqual([placed]);
      for (const one of placed.orders) {
        expect(one.order_list_id).toBe(placed.order_list_id);
        expect(await scene.order(demo, one)).toMatchObject({ order_list_id: placed.order_list_id });
      }
    });

    it('holds the larger of what both need where they buy', async () => {
      const { demo } = scene;
      const before = await held(demo, 'USD');
      const buys = {
        type: 'oco',
        orders: [
          order('buy', 'limit', '1', { price: '90' }),
          order('buy', 'stop_limit', '1', { stop_price: '110', price: '112' }),
        ],
      };
      const placed = await place(demo, buys);
      // 112 and its fee.
      expect(await held(demo, 'USD')).toBeCloseTo(before + 112.112, 6);
      await demo.delete(`/order-lists/${placed.order_list_id}`);
      expect(await held(demo, 'USD')).toBeCloseTo(before, 6);
    });

    it('cancels the stop at the first fill of the limit order', async () => {
      const { demo, maker, market } = scene;
      const placed = await place(demo, oco());
      await maker.place(limit(market, 'buy', '110', '0.25'));
      const after = await list(demo, placed);
      expect(statuses(after)).toEqual(['partially_filled', 'cancelled order_list']);
      expect(after).toMatchObject({ status: 'open' });
      await maker.place(limit(market, 'buy', '110', '0.75'));
      expect(await list(demo, placed)).toMatchObject({ status: 'done' });
    });

    it('cancels the limit order once the stop triggers, which then has its money', async () => {
      const { demo, maker, market } = scene;
      await maker.place(limit(market, 'buy', '80', '5'));
      const placed = await place(demo, oco());
      await tradeAt('90');
      const after = await list(demo, placed);
      expect(statuses(after)).toEqual(['cancelled order_list', 'filled']);
      expect(after.orders[1]).toMatchObject({ average_fill_price: '80', filled_size: '1' });
    });

    it('is cancelled by cancelling either', async () => {
      const { demo } = scene;
      const before = await held(demo, 'BTC');
      for (const index of [0, 1]) {
        const placed = await place(demo, oco());
        expect((await demo.delete(`/orders/${placed.orders[index].order_id}`)).status).toBe(200);
        expect(await list(demo, placed)).toMatchObject({ status: 'done' });
      }
      expect(await held(demo, 'BTC')).toBeCloseTo(before, 9);
    });
  });

  describe('a bracket', () => {
    it('arms its exits as the entry fills, in the filled size', async () => {
      const { demo, maker, market } = scene;
      const before = await held(demo, 'BTC');
      const placed = await place(demo, bracket('2'));
      expect(placed.type).toBe('bracket');
      expect(statuses(placed)).toEqual(['open', 'untriggered awaiting_entry', 'untriggered awaiting_entry']);
      expect(await held(demo, 'BTC')).toBeCloseTo(before, 9);

      await maker.place(limit(market, 'sell', '100', '0.5'));
      const half = await list(demo, placed);
      expect(statuses(half)).toEqual(['partially_filled', 'open', 'untriggered']);
      expect(half.orders.map((one: Json) => one.size)).toEqual(['2', '0.5', '0.5']);
      expect(await scene.levels('asks')).toEqual([['110', '0.5', 1]]);
      expect(await held(demo, 'BTC')).toBeCloseTo(before + 0.5, 9);

      await maker.place(limit(market, 'sell', '100', '1.5'));
      const whole = await list(demo, placed);
      expect(statuses(whole)).toEqual(['filled', 'open', 'untriggered']);
      expect(whole.orders.map((one: Json) => one.size)).toEqual(['2', '2', '2']);

      await maker.place(limit(market, 'buy', '110', '2'));
      expect(statuses(await list(demo, placed))).toEqual(['filled', 'filled', 'cancelled order_list']);
    });

    it('gives up the rest of its entry once an exit trades', async () => {
      const { demo, maker, market } = scene;
      const placed = await place(demo, bracket('2'));
      await maker.place(limit(market, 'sell', '100', '0.5'));
      await maker.place(limit(market, 'buy', '110', '0.1'));
      expect(statuses(await list(demo, placed))).toEqual([
        'cancelled order_list',
        'partially_filled',
        'cancelled order_list',
      ]);
    });

    it('with an entry that fills at once is armed at once, and stopped out by a fall', async () => {
      const { demo, maker, market } = scene;
      await maker.place(limit(market, 'sell', '99', '1'));
      await maker.place(limit(market, 'buy', '85', '3'));
      const placed = await place(demo, bracket('1'));
      expect(statuses(placed)).toEqual(['filled', 'open', 'untriggered']);
      await tradeAt('90');
      expect(statuses(await list(demo, placed))).toEqual(['filled', 'cancelled order_list', 'filled']);
    });

    it('ends with an entry that is cancelled before it has filled anything', async () => {
      const { demo } = scene;
      const placed = await place(demo, bracket());
      await demo.delete(`/orders/${placed.orders[0].order_id}`);
      expect(statuses(await list(demo, placed))).toEqual([
        'cancelled requested',
        'cancelled order_list',
        'cancelled order_list',
      ]);
    });

    it('keeps its exits where the rest of the entry is cancelled', async () => {
      const { demo, maker, market } = scene;
      const placed = await place(demo, bracket('2'));
      await maker.place(limit(market, 'sell', '100', '0.5'));
      await demo.delete(`/orders/${placed.orders[0].order_id}`);
      expect(statuses(await list(demo, placed))).toEqual(['cancelled requested', 'open', 'untriggered']);
      await demo.delete(`/order-lists/${placed.order_list_id}`);
      expect(await list(demo, placed)).toMatchObject({ status: 'done' });
    });
  });

  it('is previewed as it is then placed', async () => {
    const { demo, maker, market } = scene;
    await maker.place(limit(market, 'sell', '100', '0.5'));
    for (const body of [oco(), bracket('2')]) {
      const told = await demo.post('/order-lists/preview', body);
      expect(told).toMatchObject({ status: 200 });
      const placed = await place(demo, body);
      expect(told.body.orders).toEqual(
        placed.orders.map(({ status, status_reason, filled_size, remaining_size, fees }: Json) =>
          expect.objectContaining({ status, status_reason, filled_size, remaining_size, fees }),
        ),
      );
      await demo.delete(`/order-lists/${placed.order_list_id}`);
    }
    // Nobody sells any more: 50 and a fee of a thousandth are held, and nothing for exits that wait.
    const [entry, exit, stop] = (await demo.post('/order-lists/preview', bracket('0.5'))).body.orders;
    expect(entry).toMatchObject({ status: 'open', fills: [], hold: { asset: 'USD', amount: '50.05' } });
    expect([exit.hold, stop.hold]).toEqual([
      { asset: 'BTC', amount: '0' },
      { asset: 'BTC', amount: '0' },
    ]);
  });

  it('is refused in a preview as it would be', async () => {
    const { demo } = scene;
    const [sell, stop] = exits();
    const preview = (body: Json): Promise<Reply> => demo.post('/order-lists/preview', body);
    await expectRefusal(preview({ type: 'oco', orders: [sell, sell] }), 'validation_failed');
    await expectRefusal(preview({ type: 'oco', orders: [sell, null] }), 'validation_failed');
    await expectRefusal(
      preview({ type: 'oco', orders: [sell, { ...stop, stop_price: '90.001' }] }),
      'invalid_tick',
    );
    await expectRefusal(preview(oco('100000')), 'insufficient_funds');
    const id = `told-${scene.market}`;
    await place(demo, oco('1', { client_order_list_id: id }));
    await expectRefusal(preview(oco('2', { client_order_list_id: id })), 'duplicate_client_order_id');
  });

  it('is the same list when it is sent again, and refused with other terms', async () => {
    const { demo } = scene;
    const body = oco('1', { client_order_list_id: `pair-${scene.market}` });
    const placed = await place(demo, body);
    const again = await demo.post('/order-lists', body);
    expect(again).toMatchObject({ status: 200, body: { order_list_id: placed.order_list_id } });
    await expectRefusal(
      demo.post('/order-lists', { ...body, orders: exits('2') }),
      'duplicate_client_order_id',
    );
    const key = { 'idempotency-key': `key-${scene.market}` };
    const first = await demo.post('/order-lists', oco(), key);
    const second = await demo.post('/order-lists', oco(), key);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.order_list_id).toBe(first.body.order_list_id);
  });

  it('places one of twenty that race under one id', async () => {
    const { demo } = scene;
    const body = oco('1', { client_order_list_id: `race-${scene.market}` });
    const replies = await Promise.all(Array.from({ length: 20 }, () => demo.post('/order-lists', body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(replies.map((reply) => reply.body.order_list_id)).size).toBe(1);
  });

  it('refuses what makes no list, and changes nothing', async () => {
    const { demo } = scene;
    const [sell, stop] = exits();
    const entry = order('buy', 'limit', '1', { price: '100' });
    const bodies: [Json, string][] = [
      [{ type: 'oco', orders: [sell] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, stop, stop] }, 'validation_failed'],
      [{ type: 'bracket', orders: [sell, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, sell] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, { ...stop, side: 'buy' }] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, { ...stop, size: '2' }] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, { ...stop, market_id: 'BTC-USD' }] }, 'validation_failed'],
      [{ type: 'oco', orders: [{ ...sell, time_in_force: 'IOC' }, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: [{ ...sell, client_order_id: 'mine' }, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: [{ ...sell, display_size: '1' }, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: [{ ...sell, price: '1e3' }, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: 'sell' }, 'validation_failed'],
      [{ type: 'oto', orders: [sell, stop] }, 'validation_failed'],
      [{ type: 'oco', orders: [sell, null] }, 'validation_failed'],
      [{ type: 'bracket', orders: [{ ...entry, side: 'sell' }, sell, stop] }, 'validation_failed'],
      [{ type: 'bracket', orders: [{ ...entry, quote_size: '5' }, sell, stop] }, 'validation_failed'],
      [oco('1', { client_order_list_id: 'two words' }), 'validation_failed'],
      [oco('1', { list_id: 7 }), 'validation_failed'],
      [oco('1', { account_id: 'acc_0000000000Z' }), 'account_not_found'],
      [oco('10000000000'), 'size_out_of_range'],
      [{ type: 'oco', orders: [sell, { ...stop, stop_price: '90.001' }] }, 'invalid_tick'],
      [oco('100000'), 'insufficient_funds'],
    ];
    const before = await held(demo, 'BTC');
    const known = (await demo.get('/order-lists?limit=200')).body.data.length;
    for (const [body, code] of bodies) await expectRefusal(demo.post('/order-lists', body), code, body);
    expect((await demo.get('/order-lists?limit=200')).body.data).toHaveLength(known);
    expect(await held(demo, 'BTC')).toBeCloseTo(before, 9);
  });

  it('belongs to its owner alone', async () => {
    const { demo, maker } = scene;
    const placed = await place(demo, oco());
    const path = `/order-lists/${placed.order_list_id}`;
    await expectRefusal(maker.get(path), 'order_list_not_found');
    await expectRefusal(maker.delete(path), 'order_list_not_found');
    await expectRefusal(maker.get(`/order-lists?account_id=${placed.account_id}`), 'account_not_found');
    for (const odd of ['olt_00000000000', 'ord_0000000001C', placed.orders[0].order_id, 'olt_１'])
      await expectRefusal(demo.get(`/order-lists/${odd}`), 'order_list_not_found', odd);
    expect((await demo.delete(path)).body).toMatchObject({ status: 'done' });
    await expectRefusal(demo.delete(path), 'order_list_not_open');
  });

  it('lets prices be amended, and no size', async () => {
    const { demo } = scene;
    const placed = await place(demo, bracket());
    const [entry, exit] = placed.orders;
    const amend = (one: Json, body: Json): Promise<Reply> => demo.patch(`/orders/${one.order_id}`, body);
    expect((await amend(entry, { price: '99' })).body).toMatchObject({ price: '99' });
    await expectRefusal(amend(entry, { size: '2' }), 'order_not_amendable');
    await expectRefusal(amend(exit, { price: '120' }), 'order_not_amendable');
  });
});
