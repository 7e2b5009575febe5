import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import {
  createMarket,
  expectBalancedBooks,
  limit,
  marketOrder,
} from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('orders', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** A market for each test, so that books start empty. */
  let market: string;
  let markets = 0;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  beforeEach(async () => {
    market = await createMarket(operator, `TEST-${++markets}`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  describe('placing', () => {
    it('rests a limit order and holds its money', async () => {
      const before = await demo.balance('USD');
      const order = await demo.place(limit(market, 'buy', '100.50', '2.000'));
      expect(order).toMatchObject({
        order_id: expect.stringMatching(/^ord_[0-9A-Z]{11}$/),
        account_id: expect.stringMatching(/^acc_[0-9A-Z]{11}$/),
        market_id: market,
        side: 'buy',
        type: 'limit',
        time_in_force: 'GTC',
        price: '100.5',
        stop_price: null,
        size: '2',
        client_order_id: null,
        status: 'open',
        status_reason: null,
        filled_size: '0',
        remaining_size: '2',
        average_fill_price: null,
        fees: '0',
        post_only: false,
        reduce_only: false,
        self_trade_prevention: 'cancel_newest',
        expires_at: null,
        fills: [],
        sequence: 1,
      });
      expect(order.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const after = await demo.balance('USD');
      expect(Number(after.held) - Number(before.held)).toBe(201);
      expect(after.total).toBe(before.total);
    });

    it("trades at the maker's price and answers with the fills", async () => {
      const resting = await maker.place(limit(market, 'sell', '100', '1'));
      const order = await demo.place(limit(market, 'buy', '101', '1.5'));
      expect(order).toMatchObject({
        status: 'partially_filled',
        filled_size: '1',
        remaining_size: '0.5',
        average_fill_price: '100',
      });
      expect(order.fills).toEqual([
        {
          fill_id: expect.stringMatching(/^fil_[0-9A-Z]{11}$/),
          trade_id: expect.stringMatching(/^trd_[0-9A-Z]{11}$/),
          order_id: order.order_id,
          market_id: market,
          side: 'buy',
          price: '100',
          size: '1',
          fee: '0',
          fee_asset: 'USD',
          liquidity: 'taker',
          executed_at: order.created_at,
          sequence: order.sequence,
        },
      ]);

      const stored = await demo.get(`/orders/${order.order_id}`);
      expect(stored).toMatchObject({ status: 200, body: order });
      const other = await maker.get(`/orders/${resting.order_id}`);
      expect(other.body).toMatchObject({ status: 'filled', filled_size: '1', remaining_size: '0' });
      expect(other.body.fills).toMatchObject([
        { trade_id: order.fills[0].trade_id, side: 'sell', liquidity: 'maker', order_id: resting.order_id },
      ]);
      expect(other.body.fills[0].fill_id).not.toBe(order.fills[0].fill_id);
    });

    it('charges makers and takers their rates', async () => {
      await createMarket(operator, `${market}-FEES`, { maker_fee_rate: '0.001', taker_fee_rate: '0.002' });
      const resting = await maker.place(limit(`${market}-FEES`, 'sell', '100', '3'));
      const order = await demo.place(limit(`${market}-FEES`, 'buy', '100', '3'));
      expect(order).toMatchObject({
        status: 'filled',
        fees: '0.6',
        fills: [{ fee: '0.6', fee_asset: 'USD' }],
      });
      const { body } = await maker.get(`/orders/${resting.order_id}`);
      expect(body).toMatchObject({ fees: '0.3', fills: [{ fee: '0.3', liquidity: 'maker' }] });
    });

    it('gives what an IOC leaves back', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      expect(await demo.place(limit(market, 'buy', '100', '2', { time_in_force: 'IOC' }))).toMatchObject({
        status: 'cancelled',
        status_reason: 'ioc_remainder',
        filled_size: '1',
        fills: [{ size: '1' }],
      });
    });

    it('fills all of a FOK or nothing', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      const killed = await demo.place(limit(market, 'buy', '100', '2', { time_in_force: 'FOK' }));
      expect(killed).toMatchObject({
        status: 'cancelled',
        status_reason: 'fok_not_filled',
        filled_size: '0',
        fills: [],
      });
      const filled = await demo.place(limit(market, 'buy', '100', '1', { time_in_force: 'FOK' }));
      expect(filled).toMatchObject({ status: 'filled', filled_size: '1' });
    });

    it('walks a market order through the book', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      await maker.place(limit(market, 'sell', '102', '1'));
      expect(await demo.place(marketOrder(market, 'buy', '2'))).toMatchObject({
        type: 'market',
        price: null,
        status: 'filled',
        average_fill_price: '101',
        fills: [
          { price: '100', size: '1' },
          { price: '102', size: '1' },
        ],
      });
      expect(await demo.place(marketOrder(market, 'buy', '1'))).toMatchObject({
        status: 'cancelled',
        status_reason: 'no_liquidity',
        filled_size: '0',
      });
    });

    it('expires a GTD order by itself', async () => {
      const expiresAt = new Date(Date.now() + 1_500).toISOString();
      const order = await demo.place(
        limit(market, 'buy', '1', '1', { time_in_force: 'GTD', expires_at: expiresAt }),
      );
      expect(order).toMatchObject({ status: 'open', expires_at: expiresAt });
      await eventually(async () =>
        expect((await demo.get(`/orders/${order.order_id}`)).body.status).toBe('expired'),
      );
    });

    it('refuses a GTD order whose time has passed', async () => {
      const reply = await demo.post(
        '/orders',
        limit(market, 'buy', '1', '1', { time_in_force: 'GTD', expires_at: '2020-01-01T00:00:00Z' }),
      );
      expect(reply).toMatchObject({ status: 422, body: { error: { code: 'already_expired' } } });
    });

    it('triggers stops by the last trade', async () => {
      const stop = await demo.place({
        market_id: market,
        side: 'buy',
        type: 'stop',
        stop_price: '105',
        size: '1',
      });
      expect(stop).toMatchObject({ status: 'untriggered', price: null, stop_price: '105' });
      const stopLimit = await demo.place({
        market_id: market,
        side: 'buy',
        type: 'stop_limit',
        stop_price: '106',
        price: '107',
        size: '1',
      });
      await maker.place(limit(market, 'sell', '105', '3'));
      await demo.place(limit(market, 'buy', '105', '1'));
      expect((await demo.get(`/orders/${stop.order_id}`)).body).toMatchObject({
        status: 'filled',
        average_fill_price: '105',
      });
      expect((await demo.get(`/orders/${stopLimit.order_id}`)).body.status).toBe('untriggered');
      await maker.place(limit(market, 'sell', '106', '1'));
      await demo.place(limit(market, 'buy', '106', '1.5'));
      expect((await demo.get(`/orders/${stopLimit.order_id}`)).body).toMatchObject({ price: '107' });
    });

    it('keeps post-only orders out of trades', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      const crossing = await demo.post('/orders', limit(market, 'buy', '100', '1', { post_only: true }));
      expect(crossing).toMatchObject({ status: 422, body: { error: { code: 'post_only_would_cross' } } });
      expect(await demo.place(limit(market, 'buy', '99.99', '1', { post_only: true }))).toMatchObject({
        status: 'open',
      });
    });

    it('only reduces where it is told to', async () => {
      const opening = await demo.post(
        '/orders',
        limit('RAIN-LISBON', 'sell', '0.5', '1', { reduce_only: true }),
      );
      expect(opening).toMatchObject({ status: 422, body: { error: { code: 'reduce_only_violated' } } });
    });

    it.each([
      ['cancel_newest', { status: 'cancelled', status_reason: 'self_trade' }, 'open'],
      ['cancel_oldest', { status: 'open' }, 'cancelled'],
      ['cancel_both', { status: 'cancelled', status_reason: 'self_trade' }, 'cancelled'],
      ['decrement', { status: 'cancelled', status_reason: 'self_trade', filled_size: '0' }, 'open'],
    ])('prevents self trades by %s', async (mode, expected, restingStatus) => {
      const resting = await demo.place(limit(market, 'sell', '100', '2'));
      const order = await demo.place(limit(market, 'buy', '100', '1', { self_trade_prevention: mode }));
      expect(order).toMatchObject({ ...expected, fills: [] });
      const { body } = await demo.get(`/orders/${resting.order_id}`);
      expect(body.status).toBe(restingStatus);
      if (mode === 'decrement') expect(body.remaining_size).toBe('1');
    });

    it('keeps the pool of an event market equal to its open interest', async () => {
      const event = await createMarket(operator, `${market}-EVENT`, {
        kind: 'event',
        base_asset: undefined,
        lot_size: '1',
      });
      await maker.place(limit(event, 'sell', '0.6', '10'));
      await demo.place(limit(event, 'buy', '0.6', '4'));
      const { body } = await demo.get(`/markets/${event}`);
      expect(body.ticker.open_interest).toBe('4');
      await expectBalancedBooks(operator);
    });
  });

  describe('refusals', () => {
    it.each<[string, Json, number, string]>([
      ['a price between two ticks', { price: '100.005' }, 422, 'invalid_tick'],
      ['a size between two lots', { size: '0.0005' }, 422, 'invalid_lot'],
      ['no size', { size: '0' }, 422, 'size_out_of_range'],
      ['a huge size', { size: '999999999999999999' }, 422, 'size_out_of_range'],
      ['no price', { price: '0' }, 422, 'price_out_of_range'],
      ['a huge price', { price: '999999999999999999' }, 422, 'price_out_of_range'],
      ['more than there is', { price: '1000000', size: '1000' }, 422, 'insufficient_funds'],
      ['an unknown market', { market_id: 'NO-SUCH' }, 404, 'market_not_found'],
      ['an unknown account', { account_id: 'acc_00000000ZZZ' }, 404, 'account_not_found'],
      ['no account id at all', { account_id: 'me too' }, 404, 'account_not_found'],
    ])('refuses %s', async (_name, fields, status, code) => {
      const before = await demo.balance('USD');
      const reply = await demo.post('/orders', { ...limit(market, 'buy', '100', '1'), ...fields });
      expect(reply).toMatchObject({ status, body: { error: { code } } });
      expect(await demo.balance('USD')).toEqual(before);
    });

    it('takes no orders while a market is halted, but cancels', async () => {
      const order = await demo.place(limit(market, 'buy', '100', '1'));
      await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
      const refused = await demo.post('/orders', limit(market, 'buy', '100', '1'));
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'market_not_open' } } });
      expect(await demo.delete(`/orders/${order.order_id}`)).toMatchObject({
        status: 200,
        body: { status: 'cancelled' },
      });
    });

    it("answers another's account and orders like none at all", async () => {
      const theirs = await maker.place(limit(market, 'buy', '1', '1'));
      const placed = await demo.post(
        '/orders',
        limit(market, 'buy', '1', '1', { account_id: theirs.account_id }),
      );
      expect(placed).toMatchObject({ status: 404, body: { error: { code: 'account_not_found' } } });
      for (const id of [theirs.order_id, 'ord_00000000ZZZ', 'ord_!', 'trd_00000000001', '%00', '..%2f']) {
        for (const reply of [
          await demo.get(`/orders/${id}`),
          await demo.delete(`/orders/${id}`),
          await demo.patch(`/orders/${id}`, { size: '2' }),
        ]) {
          expect([400, 404]).toContain(reply.status);
          if (!id.includes('%')) expect(reply.body.error.code).toBe('order_not_found');
        }
      }
      expect((await maker.get(`/orders/${theirs.order_id}`)).body.status).toBe('open');
    });
  });

  describe('repeats', () => {
    it('answers a repeated client_order_id with the order as it is now', async () => {
      const request = limit(market, 'buy', '100', '1', { client_order_id: `c-${market}` });
      const first = await demo.place(request);
      await maker.place(limit(market, 'sell', '100', '1'));
      const repeat = await demo.post('/orders', request);
      expect(repeat.status).toBe(200);
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(repeat.body).toMatchObject({
        order_id: first.order_id,
        status: 'filled',
        fills: [{ liquidity: 'maker' }],
      });
      // The same terms in another notation are equal.
      expect((await demo.post('/orders', { ...request, price: '100.00', post_only: false })).status).toBe(
        200,
      );

      const other = await demo.post('/orders', { ...request, size: '2' });
      expect(other).toMatchObject({ status: 409, body: { error: { code: 'duplicate_client_order_id' } } });
      const found = await demo.get(`/orders?client_order_id=c-${market}`);
      expect(found.body).toMatchObject({ data: [{ order_id: first.order_id }], next_cursor: null });
      expect((await maker.get(`/orders?client_order_id=c-${market}`)).body.data).toEqual([]);
      // Another account may use the same id.
      expect((await maker.post('/orders', request)).status).toBe(201);
    });

    it('answers a repeated Idempotency-Key, and refuses it with another body', async () => {
      const key = { 'Idempotency-Key': `"key ${market}"` };
      const request = limit(market, 'buy', '100', '1');
      const first = await demo.place(request, key);
      const repeat = await demo.post('/orders', request, key);
      expect(repeat).toMatchObject({ status: 200, body: { order_id: first.order_id } });
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      const raw = await demo.post('/orders', request, { 'Idempotency-Key': `key ${market}` });
      expect(raw).toMatchObject({ status: 200, body: { order_id: first.order_id } });
      const reused = await demo.post('/orders', { ...request, size: '2' }, key);
      expect(reused).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } });
      // The key belongs to one principal.
      expect((await maker.post('/orders', request, key)).body.order_id).not.toBe(first.order_id);
    });

    it('makes one order of many simultaneous repeats', async () => {
      const request = limit(market, 'buy', '100', '1', { client_order_id: `race-${market}` });
      const replies = await Promise.all(Array.from({ length: 20 }, () => demo.post('/orders', request)));
      expect(new Set(replies.map((reply) => reply.body.order_id)).size).toBe(1);
      expect(replies.map((reply) => reply.status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    });

    it('keeps no refusal: the same key may succeed later', async () => {
      const key = { 'Idempotency-Key': `later ${market}` };
      await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
      expect((await demo.post('/orders', limit(market, 'buy', '1', '1'), key)).status).toBe(409);
      await operator.patch(`/admin/markets/${market}`, { status: 'open' });
      expect((await demo.post('/orders', limit(market, 'buy', '1', '1'), key)).status).toBe(201);
    });
  });

  describe('amending', () => {
    it('keeps the queue place for less size only', async () => {
      const first = await maker.place(limit(market, 'sell', '100', '2'));
      const second = await maker.place(limit(market, 'sell', '100', '2'));
      expect(await maker.patch(`/orders/${first.order_id}`, { size: '1' })).toMatchObject({
        status: 200,
        body: { size: '1', remaining_size: '1' },
      });
      await demo.place(limit(market, 'buy', '100', '1'));
      expect((await maker.get(`/orders/${first.order_id}`)).body.status).toBe('filled');
      expect((await maker.get(`/orders/${second.order_id}`)).body.status).toBe('open');

      const third = await maker.place(limit(market, 'sell', '100', '1'));
      await maker.patch(`/orders/${second.order_id}`, { size: '3' });
      await demo.place(limit(market, 'buy', '100', '1'));
      expect((await maker.get(`/orders/${third.order_id}`)).body.status).toBe('filled');
      expect((await maker.get(`/orders/${second.order_id}`)).body).toMatchObject({
        status: 'open',
        size: '3',
      });
    });

    it('trades as a taker where the new price crosses', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      const order = await demo.place(limit(market, 'buy', '99', '2'));
      const { body } = await demo.patch(`/orders/${order.order_id}`, { price: '100' });
      expect(body).toMatchObject({
        status: 'partially_filled',
        filled_size: '1',
        fills: [{ liquidity: 'taker', price: '100' }],
      });
    });

    it('ends the order at the size that is filled, and refuses less', async () => {
      const order = await maker.place(limit(market, 'sell', '100', '3'));
      await demo.place(limit(market, 'buy', '100', '1'));
      const less = await maker.patch(`/orders/${order.order_id}`, { size: '0.5' });
      expect(less).toMatchObject({ status: 422, body: { error: { code: 'size_below_filled' } } });
      const ended = await maker.patch(`/orders/${order.order_id}`, { size: '1' });
      expect(ended).toMatchObject({
        status: 200,
        body: { status: 'cancelled', filled_size: '1', size: '1' },
      });
      const again = await maker.patch(`/orders/${order.order_id}`, { size: '1' });
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'order_not_open' } } });
    });

    it('refuses an amendment that says nothing, or what the market cannot count', async () => {
      const order = await demo.place(limit(market, 'buy', '99', '2'));
      const path = `/orders/${order.order_id}`;
      expect(await demo.patch(path, {})).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_failed' } },
      });
      expect(await demo.patch(path, { price: '99.001' })).toMatchObject({
        status: 422,
        body: { error: { code: 'invalid_tick' } },
      });
      expect(await demo.patch(path, { size: '2.0001' })).toMatchObject({
        status: 422,
        body: { error: { code: 'invalid_lot' } },
      });
      expect(await demo.patch(path, { status: 'filled' })).toMatchObject({ status: 400 });
    });
  });

  describe('cancelling', () => {
    it('cancels once, and says so the second time', async () => {
      const order = await demo.place(limit(market, 'buy', '99', '2'));
      expect(await demo.delete(`/orders/${order.order_id}`)).toMatchObject({
        status: 200,
        body: {
          order_id: order.order_id,
          status: 'cancelled',
          status_reason: 'requested',
          remaining_size: '2',
        },
      });
      const again = await demo.delete(`/orders/${order.order_id}`);
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'order_not_open' } } });
    });

    it('cancels all of a market, or all there is', async () => {
      const here = [
        await demo.place(limit(market, 'buy', '99', '1')),
        await demo.place(limit(market, 'buy', '98', '1')),
      ];
      const elsewhere = await demo.place(limit('ETH-USD', 'buy', '1', '1'));
      const theirs = await maker.place(limit(market, 'buy', '97', '1'));
      const one = await demo.delete(`/orders?market_id=${market}`);
      expect(one).toMatchObject({ status: 200, body: { cancelled: here.map((order) => order.order_id) } });
      const all = await demo.delete('/orders?all=true');
      expect(all.body.cancelled).toContain(elsewhere.order_id);
      expect((await demo.delete('/orders?all=true')).body).toEqual({ cancelled: [] });
      expect((await maker.get(`/orders/${theirs.order_id}`)).body.status).toBe('open');
    });

    it.each(['', '?all=false', '?all=1', '?market_id=BTC-USD&all=true', '?all=true&all=true', '?orders=all'])(
      'refuses DELETE /orders%s',
      async (query) => {
        expect((await demo.delete(`/orders${query}`)).status).toBe(400);
      },
    );

    it('knows no orders of a market that does not exist', async () => {
      expect(await demo.delete('/orders?market_id=NO-SUCH')).toMatchObject({
        status: 404,
        body: { error: { code: 'market_not_found' } },
      });
    });
  });

  describe('previewing', () => {
    it('tells what would happen and changes nothing', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      await maker.place(limit(market, 'buy', '99', '2'));
      const before = await demo.balance('USD');
      const crossing = await demo.post('/orders/preview', limit(market, 'buy', '101', '3'));
      expect(crossing).toMatchObject({
        status: 200,
        body: {
          status: 'partially_filled',
          fills: [{ price: '100', size: '1', fee: '0' }],
          filled_size: '1',
          remaining_size: '2',
          average_fill_price: '100',
          notional: '100',
          hold: { asset: 'USD', amount: '202' },
          queue_ahead_size: '0',
        },
      });
      const joining = await demo.post('/orders/preview', limit(market, 'buy', '99', '1'));
      expect(joining.body).toMatchObject({ status: 'open', fills: [], queue_ahead_size: '2' });
      expect(await demo.balance('USD')).toEqual(before);
      const refused = await demo.post('/orders/preview', limit(market, 'buy', '1000000', '1000'));
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'insufficient_funds' } } });
    });
  });

  describe('listing', () => {
    it('filters by market and status, newest first', async () => {
      const open = await demo.place(limit(market, 'buy', '10', '1'));
      const cancelled = await demo.place(limit(market, 'buy', '11', '1'));
      await demo.delete(`/orders/${cancelled.order_id}`);
      const ids = async (query: string): Promise<string[]> =>
        (await demo.get(`/orders?market_id=${market}${query}`)).body.data.map(
          (order: Json) => order.order_id,
        );
      expect(await ids('')).toEqual([cancelled.order_id, open.order_id]);
      expect(await ids('&status=open')).toEqual([open.order_id]);
      expect(await ids('&status=cancelled')).toEqual([cancelled.order_id]);
      expect(await ids('&status=cancelled,open')).toEqual([cancelled.order_id, open.order_id]);
      expect(await ids('&status=filled')).toEqual([]);
      expect((await demo.get('/orders?status=done')).status).toBe(400);
      expect((await demo.get('/orders?status=open&status=filled')).status).toBe(400);
      expect((await demo.get('/orders?cursor=nonsense')).body.error.code).toBe('invalid_cursor');
      expect((await demo.get('/orders?limit=201')).status).toBe(400);
    });

    it('walks all pages without a gap or a repeat while orders come in', async () => {
      const before: string[] = [];
      for (let i = 0; i < 23; i++) before.push((await demo.place(limit(market, 'buy', '1', '1'))).order_id);
      const inserting = (async () => {
        for (let i = 0; i < 20; i++) await demo.place(limit(market, 'buy', '2', '1'));
      })();
      const seen = (await demo.walk(`/orders?market_id=${market}`, 5)).map((order) => order.order_id);
      await inserting;
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => before.includes(id))).toEqual(before.toReversed());
    });
  });
});
