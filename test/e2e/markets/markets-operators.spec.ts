import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, loggedIn } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { newUser } from '../../support/clients/accounts-client.js';
import { closeUser } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

describe('operators', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  it.each<[string, string, Json]>([
    ['POST', '/admin/assets', { code: 'SEK', scale: 2 }],
    ['POST', '/admin/markets', {}],
    ['PATCH', '/admin/markets/BTC-USD', { status: 'halted' }],
    ['POST', '/admin/accounts', { name: 'x', owner: 'alice' }],
    ['POST', '/admin/accounts/acc_00000000001/deposits', {}],
    ['GET', '/admin/ledger/check', undefined],
  ])('alone may %s %s', async (method, path, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    expect((await new Caller(app.url).send(method, path, text)).status).toBe(401);
    expect((await demo.send(method, path, text)).status).toBe(403);
  });

  describe('assets', () => {
    it('are created once', async () => {
      const key = { 'Idempotency-Key': 'asset GBP' };
      const first = await operator.post('/admin/assets', { code: 'GBP', scale: 2 }, key);
      expect(first).toMatchObject({ status: 201, body: { code: 'GBP', scale: 2 } });
      const repeat = await operator.post('/admin/assets', { code: 'GBP', scale: 2 }, key);
      expect(repeat).toMatchObject({ status: 201, body: { code: 'GBP', scale: 2 } });
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      const again = await operator.post('/admin/assets', { code: 'GBP', scale: 2 });
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'asset_exists' } } });
    });

    it.each([
      { code: 'gbp', scale: 2 },
      { code: '', scale: 2 },
      { code: 'X'.repeat(17), scale: 2 },
      { code: 'YEN', scale: 19 },
      { code: 'YEN', scale: -1 },
      { code: 'YEN', scale: 1.5 },
      { code: 'YEN', scale: '2' },
      { code: 'YEN' },
      { code: 'YEN', scale: 2, name: 'Yen' },
    ])('are refused as %j', async (asset) => {
      expect((await operator.post('/admin/assets', asset)).status).toBe(400);
    });
  });

  describe('markets', () => {
    const SPOT = {
      market_id: 'ETH-EUR',
      kind: 'spot',
      base_asset: 'ETH',
      quote_asset: 'EUR',
      tick_size: '0.01',
      lot_size: '0.0001',
    };

    it('open at once, with defaults for all that is left out', async () => {
      const { status, body } = await operator.post('/admin/markets', SPOT);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        ...SPOT,
        status: 'open',
        title: 'ETH-EUR',
        min_size: '0.0001',
        price_min: '0.01',
        min_notional: '0',
        maker_fee_rate: '0',
      });
      expect((await demo.get('/markets/ETH-EUR')).body).toEqual(body);
      const again = await operator.post('/admin/markets', SPOT);
      expect(again).toMatchObject({ status: 409, body: { error: { code: 'market_exists' } } });
    });

    it('open by themselves when their time has come', async () => {
      const opensAt = new Date(Date.now() + 1_500).toISOString();
      const body = { ...SPOT, market_id: 'LATER', opens_at: opensAt };
      expect((await operator.post('/admin/markets', body)).body).toMatchObject({
        status: 'scheduled',
        opens_at: opensAt,
      });
      expect(await demo.post('/orders', limit('LATER', 'buy', '1', '1'))).toMatchObject({
        status: 409,
        body: { error: { code: 'market_not_open' } },
      });
      await eventually(async () => expect((await demo.get('/markets/LATER')).body.status).toBe('open'));
    });

    it.each<[string, Json, number, string]>([
      ['an unknown asset', { quote_asset: 'XAU' }, 404, 'asset_not_found'],
      ['too many decimals', { tick_size: '0.0000000001', lot_size: '0.000000001' }, 422, 'invalid_market'],
      ['bounds that contradict', { min_size: '2', max_size: '1' }, 422, 'invalid_market'],
      ['a bound between two ticks', { price_max: '10.001' }, 422, 'invalid_market'],
      ['a fee of one', { taker_fee_rate: '1' }, 422, 'invalid_market'],
      ['no base asset', { base_asset: undefined }, 422, 'invalid_market'],
      ['a base asset for an event', { kind: 'event' }, 422, 'invalid_market'],
      [
        'an end before its start',
        { opens_at: '2031-01-01T00:00:00Z', closes_at: '2030-01-01T00:00:00Z' },
        422,
        'invalid_market',
      ],
      ['no tick', { tick_size: '0' }, 400, 'validation_failed'],
      ['a negative fee', { maker_fee_rate: '-0.1' }, 400, 'validation_failed'],
      ['a time that no calendar has', { opens_at: '0000-01-01T00:00:00Z' }, 400, 'validation_failed'],
      ['a small id', { market_id: 'eth-eur' }, 400, 'validation_failed'],
      ['a number', { tick_size: 0.01 }, 400, 'validation_failed'],
      ['an unknown field', { leverage: '10' }, 400, 'validation_failed'],
    ])('are refused with %s', async (_name, fields, status, code) => {
      const reply = await operator.post('/admin/markets', { ...SPOT, market_id: 'REFUSED', ...fields });
      expect(reply).toMatchObject({ status, body: { error: { code } } });
      expect((await demo.get('/markets/REFUSED')).status).toBe(404);
    });

    it('are halted, opened again, closed and settled, and in no other order', async () => {
      const market = await createMarket(operator, 'SETTLED', {
        kind: 'event',
        base_asset: undefined,
        lot_size: '1',
      });
      const path = `/admin/markets/${market}`;
      const totalBefore = Number((await demo.balance('USD')).total);
      await maker.place(limit(market, 'sell', '0.6', '10'));
      await demo.place(limit(market, 'buy', '0.6', '4'));
      const resting = await demo.place(limit(market, 'buy', '0.1', '1'));

      expect((await operator.patch(path, { status: 'halted' })).body.status).toBe('halted');
      expect((await operator.patch(path, { status: 'halted' })).body.error.code).toBe(
        'invalid_status_change',
      );
      expect((await operator.patch(path, { status: 'open' })).body.status).toBe('open');
      expect((await operator.patch(path, { status: 'settled', settlement_value: '1' })).status).toBe(409);
      expect((await operator.patch(path, { status: 'closed' })).body).toMatchObject({
        status: 'closed',
        ticker: { best_bid: null },
      });
      expect((await demo.get(`/orders/${resting.order_id}`)).body).toMatchObject({
        status: 'cancelled',
        status_reason: 'market_closed',
      });

      expect((await operator.patch(path, { status: 'settled' })).status).toBe(400);
      expect(
        (await operator.patch(path, { status: 'settled', settlement_value: '1.01' })).body.error.code,
      ).toBe('invalid_amount');
      const settled = await operator.patch(path, { status: 'settled', settlement_value: '1' });
      expect(settled.body).toMatchObject({
        status: 'settled',
        settlement_value: '1',
        ticker: { open_interest: '0' },
      });
      expect(settled.body.settled_at).toMatch(/Z$/);
      expect((await operator.patch(path, { status: 'open' })).status).toBe(409);
      expect(Number((await demo.balance('USD')).total)).toBeCloseTo(totalBefore + 4 * 0.4, 6);
      const [entry] = (await demo.get('/accounts/me/entries?limit=1')).body.data;
      expect(entry).toMatchObject({
        reason: 'settlement',
        reference: market,
        amount: '4',
        direction: 'credit',
      });
      const position = (await demo.walk('/accounts/me/positions', 50)).find(
        (found) => found.market_id === market,
      );
      expect(position).toMatchObject({ size: '0', realized_pnl: '1.6', mark_price: null });
    });

    it('are changed in words, fees, bounds and closing time', async () => {
      const market = await createMarket(operator, 'CHANGED');
      const path = `/admin/markets/${market}`;
      const before = (await demo.get(`/markets/${market}`)).body;
      const resting = await demo.place(limit(market, 'buy', '100', '1'));
      const change = {
        title: 'Another title',
        description: 'Another description',
        category: 'changed',
        min_size: '0.5',
        max_size: '20',
        min_notional: '10',
        price_min: '1',
        price_max: '1000',
        maker_fee_rate: '0.25',
        taker_fee_rate: '0.5',
        closes_at: '2999-01-01T00:00:00.000Z',
      };
      const changed = await operator.patch(path, change);
      expect(changed, JSON.stringify(changed.body)).toMatchObject({ status: 200, body: change });
      expect(changed.body).toMatchObject({ tick_size: before.tick_size, status: 'open' });
      expect((await demo.get(`/markets/${market}`)).body).toEqual(changed.body);
      const rates = (await demo.get('/accounts/me/fees')).body.data;
      expect(rates.find(({ market_id: id }: Json) => id === market)).toMatchObject({
        maker_fee_rate: '0.25',
        taker_fee_rate: '0.5',
      });
      expect(await demo.post('/orders', limit(market, 'buy', '100', '0.4'))).toMatchObject({
        status: 422,
        body: { error: { code: 'size_out_of_range' } },
      });
      const { fills } = await maker.place(limit(market, 'sell', '100', '1'));
      expect(fills).toMatchObject([{ fee: '50' }]);
      expect((await demo.get(`/orders/${resting.order_id}`)).body).toMatchObject({ fees: '0' });
      expect((await operator.patch(path, { closes_at: null })).body).toMatchObject({
        ...change,
        closes_at: null,
      });
      expect(await operator.get(`/admin/audit?target=market:${market}&action=updateMarket`)).toMatchObject({
        status: 200,
        body: { data: [{ details: { closes_at: null } }, { details: change }] },
      });
    });

    it.each<[string, Json, number]>([
      ['NO-SUCH', { status: 'halted' }, 404],
      ['BTC-USD', { status: 'scheduled' }, 400],
      ['BTC-USD', { status: 'halted', settlement_value: '1' }, 400],
      ['BTC-USD', {}, 400],
      ['BTC-USD', { status: 'halted', title: 'x' }, 400],
      ['BTC-USD', { settlement_value: '1' }, 400],
      ['BTC-USD', { title: 'x', settlement_value: '1' }, 400],
      ['BTC-USD', { title: '' }, 400],
      ['BTC-USD', { title: 'x'.repeat(201) }, 400],
      ['BTC-USD', { description: 'x'.repeat(4_001) }, 400],
      ['BTC-USD', { tick_size: '1' }, 400],
      ['BTC-USD', { max_size: 10 }, 400],
      ['BTC-USD', { max_size: '-1' }, 400],
      ['BTC-USD', { min_size: '0' }, 400],
      ['BTC-USD', { min_size: '1e3' }, 400],
      ['BTC-USD', { closes_at: 'soon' }, 400],
      ['BTC-USD', { min_size: '0.000000001' }, 422],
      ['BTC-USD', { taker_fee_rate: '1' }, 422],
      ['BTC-USD', { price_min: '2', price_max: '1' }, 422],
      ['BTC-USD', { closes_at: '2020-01-01T00:00:00Z' }, 422],
    ])('refuse a change of %s to %j', async (market, change, status) => {
      expect((await operator.patch(`/admin/markets/${market}`, change)).status).toBe(status);
    });
  });

  describe('accounts', () => {
    it('are opened for users and clients, who find them among their own and trade on them', async () => {
      const opened = await operator.post('/admin/accounts', { name: 'second', owner: 'client:demo' });
      expect(opened).toMatchObject({ status: 201, body: { name: 'second', kind: 'trading' } });
      const second = opened.body.account_id;
      const own = (await demo.get('/accounts')).body.data;
      expect(own[0]).toEqual({ ...opened.body, role: 'owner', is_main: false });
      expect(own).toHaveLength(2);

      await operator.post(`/admin/accounts/${second}/deposits`, {
        asset: 'USD',
        amount: '50',
        reference: 'start',
      });
      const order = await demo.place(limit('BTC-USD', 'buy', '10', '1', { account_id: second }));
      expect(order.account_id).toBe(second);
      expect((await demo.get(`/orders/${order.order_id}`)).body.account_id).toBe(second);
      expect((await demo.get('/orders?market_id=BTC-USD')).body.data).toEqual([]);
      expect((await demo.get(`/orders?account_id=${second}`)).body.data).toHaveLength(1);
      expect((await demo.patch(`/orders/${order.order_id}`, { size: '2' })).body.size).toBe('2');
      expect((await demo.delete(`/orders/${order.order_id}`)).body.status).toBe('cancelled');
      expect((await demo.delete(`/orders/${order.order_id}`)).body.error.code).toBe('order_not_open');
      expect(
        (await maker.post('/orders', limit('BTC-USD', 'buy', '10', '1', { account_id: second }))).status,
      ).toBe(404);
      expect((await operator.post('/admin/accounts', { name: 'third', owner: 'alice' })).status).toBe(201);
    });

    it.each<[Json, number]>([
      [{ name: 'x', owner: 'nobody-here' }, 404],
      [{ name: 'x', owner: 'client:nobody-here' }, 404],
      [{ name: 'x', owner: 'user:1' }, 400],
      [{ name: '', owner: 'alice' }, 400],
      [{ name: 'x' }, 400],
      [{ name: 'x', owner: 'alice', kind: 'fees' }, 400],
    ])('are not opened for %j', async (body, status) => {
      expect((await operator.post('/admin/accounts', body)).status).toBe(status);
    });

    it('of closed users take no deposits', async () => {
      const session = await newUser(app, 'closed-owner');
      const { account_id: account } = (await session.get('/accounts')).body.data[0];
      const deposit = { asset: 'USD', amount: '50', reference: 'late' };
      await closeUser(session, 'closed-owner');
      expect(await operator.post(`/admin/accounts/${account}/deposits`, deposit)).toMatchObject({
        status: 404,
        body: { error: { code: 'account_not_found' } },
      });
    });

    it('receive deposits once under a key', async () => {
      const [{ account_id: accountId }] = (await maker.get('/accounts')).body.data;
      const path = `/admin/accounts/${accountId}/deposits`;
      const before = await maker.balance('EUR');
      const deposit = { asset: 'EUR', amount: '12.50', reference: 'wire 7' };
      const first = await operator.post(path, deposit, { 'Idempotency-Key': 'wire 7' });
      expect(first).toMatchObject({
        status: 201,
        body: { account_id: accountId, asset: 'EUR', amount: '12.5', reference: 'wire 7' },
      });
      const repeat = await operator.post(path, deposit, { 'Idempotency-Key': 'wire 7' });
      expect(repeat).toMatchObject({ status: 201, body: first.body });
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(Number((await maker.balance('EUR')).total) - Number(before.total)).toBe(12.5);
      const [entry] = (await maker.get('/accounts/me/entries?limit=1')).body.data;
      expect(entry).toMatchObject({
        entry_id: first.body.entry_id,
        reason: 'deposit',
        reference: 'wire 7',
        ledger_sequence: first.body.ledger_sequence,
      });
    });

    it.each<[string, Json, number, string]>([
      ['too many decimals', { amount: '0.001' }, 422, 'amount_too_precise'],
      ['nothing', { amount: '0' }, 400, 'validation_failed'],
      ['a number', { amount: 1 }, 400, 'validation_failed'],
      ['an unknown asset', { asset: 'XAU' }, 404, 'asset_not_found'],
      ['no reference', { reference: '' }, 400, 'validation_failed'],
    ])('refuse a deposit with %s', async (_name, fields, status, code) => {
      const [{ account_id: accountId }] = (await maker.get('/accounts')).body.data;
      const reply = await operator.post(`/admin/accounts/${accountId}/deposits`, {
        asset: 'USD',
        amount: '1',
        reference: 'x',
        ...fields,
      });
      expect(reply).toMatchObject({ status, body: { error: { code } } });
    });

    it('are put right by adjustments, which take no more than is available', async () => {
      const opened = await operator.post('/admin/accounts', { name: 'adjusted', owner: 'client:demo' });
      const path = `/admin/accounts/${opened.body.account_id}/adjustments`;
      const credit = {
        asset: 'EUR',
        amount: '10.50',
        direction: 'credit',
        reason: 'Fee taken twice',
        reference: 'case 1',
      };
      const first = await operator.post(path, credit, { 'Idempotency-Key': 'case 1' });
      expect(first).toMatchObject({ status: 201, body: { ...credit, amount: '10.5' } });
      const repeat = await operator.post(path, credit, { 'Idempotency-Key': 'case 1' });
      expect(repeat).toMatchObject({ status: 201, body: first.body });
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');

      const debit = { ...credit, direction: 'debit' };
      const other = { ...debit, amount: '4', reference: 'case 2' };
      expect(await operator.post(path, other)).toMatchObject({ status: 201 });
      for (const [fields, status, code] of [
        [{ amount: '6.51' }, 422, 'insufficient_funds'],
        [{ amount: '0.001' }, 422, 'amount_too_precise'],
        [{ amount: '-1' }, 400, 'validation_failed'],
        [{ direction: 'out' }, 400, 'validation_failed'],
        [{ reason: undefined }, 400, 'validation_failed'],
        [{ asset: 'XXX' }, 404, 'asset_not_found'],
      ] as const) {
        const refused = await operator.post(path, { ...debit, reference: 'case 3', ...fields });
        expect(refused).toMatchObject({ status, body: { error: { code } } });
      }
      const entries = await demo.get(`/accounts/${opened.body.account_id}/entries`);
      expect(entries.body.data).toMatchObject([
        { reason: 'adjustment', direction: 'debit', amount: '4', balance_after: '6.5' },
        { reason: 'adjustment', direction: 'credit', amount: '10.5', reference: 'case 1' },
      ]);
    });

    it('are adjusted once for each reference, also by many at once', async () => {
      const opened = await operator.post('/admin/accounts', { name: 'once', owner: 'client:demo' });
      const id = opened.body.account_id;
      const path = `/admin/accounts/${id}/adjustments`;
      const body = { asset: 'EUR', amount: '7', direction: 'credit', reason: 'x', reference: 'race' };
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          operator.post(path, body, i % 2 === 0 ? {} : { 'Idempotency-Key': `race ${i}` }),
        ),
      );
      expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]));
      expect(new Set(replies.map((reply) => reply.body.entry_id)).size).toBe(1);
      const isFirst = replies.filter((reply) => reply.headers.get('idempotent-replayed') !== 'true');
      expect(isFirst).toHaveLength(1);
      for (const other of [{ amount: '8' }, { direction: 'debit' }, { asset: 'USD' }, { reason: 'y' }]) {
        expect(await operator.post(path, { ...body, ...other })).toMatchObject({
          status: 409,
          body: { error: { code: 'conflict' } },
        });
      }
      // Another account has references of its own.
      const second = await operator.post('/admin/accounts', { name: 'twice', owner: 'client:demo' });
      const elsewhere = `/admin/accounts/${second.body.account_id}/adjustments`;
      expect((await operator.post(elsewhere, body)).status).toBe(201);
      // Of two debits at once that are more than there is together, one is refused.
      const debits = await Promise.all(
        ['a', 'b'].map((reference) =>
          operator.post(path, { ...body, amount: '4', direction: 'debit', reference }),
        ),
      );
      expect(debits.map(({ status }) => status).sort()).toEqual([201, 422]);
      const { body: statement } = await demo.get(
        `/accounts/${id}/statements?from=2000-01-01T00:00:00Z&to=2999-01-01T00:00:00Z`,
      );
      expect(JSON.stringify(statement)).toContain('"adjustment"');
      expect((await demo.get(`/accounts/${id}/balances`)).body.data).toMatchObject([
        { asset: 'EUR', available: '3' },
      ]);
      expect(await demo.post(path, body)).toMatchObject({ status: 403 });
    });

    it('of the operators themselves are adjusted by others alone', async () => {
      const own = await loggedIn(app.url, 'admin');
      const { data } = (await own.get('/accounts')).body;
      const body = { asset: 'EUR', amount: '1', direction: 'credit', reason: 'x', reference: 'x' };
      const path = `/admin/accounts/${data[0].account_id}/adjustments`;
      expect(await own.post(path, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'related_person' } },
      });
      expect((await operator.post(path, body)).status).toBe(201);
    });

    it('of the house take no deposits', async () => {
      const client = new pg.Client({ connectionString: app.config.databaseUrl });
      await client.connect();
      const { rows } = await client.query<{ account_id: string }>(
        'SELECT account_id FROM accounts WHERE owner IS NULL',
      );
      await client.end();
      expect(rows.length).toBeGreaterThan(0);
      const house = rows.map((row) => ACCOUNT_IDS.format(Number(row.account_id)));
      for (const id of [...house, 'me', 'acc_ZZZZZZZZZZZ', 'nonsense']) {
        const reply = await operator.post(`/admin/accounts/${id}/deposits`, {
          asset: 'USD',
          amount: '1',
          reference: 'x',
        });
        expect(reply).toMatchObject({ status: 404, body: { error: { code: 'account_not_found' } } });
      }
    });
  });

  describe('ledger check', () => {
    it('tells of fills that were lost, of which profits are made', async () => {
      const marketId = await createMarket(operator, 'LOST-USD');
      await maker.place(limit(marketId, 'sell', '100', '2'));
      await demo.place(limit(marketId, 'buy', '100', '2'));
      expect((await demo.get('/accounts/me/pnl')).status).toBe(200);
      expect((await operator.get('/admin/ledger/check')).body).toMatchObject({ balanced: true });
      const of = `WHERE market_id = '${marketId}'`;
      const change = (text: string) => queryOnce(app.config.databaseUrl!, text);
      await change(`CREATE TABLE kept_fills AS SELECT * FROM fills ${of}; DELETE FROM fills ${of}`);
      expect((await operator.get('/admin/ledger/check')).body).toMatchObject({
        balanced: false,
        problems: [expect.stringContaining(marketId), expect.stringContaining(marketId)],
      });
      await change('INSERT INTO fills SELECT * FROM kept_fills; DROP TABLE kept_fills');
    });

    it('balances, and sums all history as a job', async () => {
      const { body } = await operator.get('/admin/ledger/check');
      expect(body).toMatchObject({ balanced: true, problems: [], sequence: expect.any(Number) });
      expect(body.state_hash).toMatch(/^[0-9a-f]+$/);
      expect(body.assets).toContainEqual({
        asset: 'USD',
        total: '0',
        inside: expect.any(String),
        held: expect.any(String),
        live_holds: expect.any(String),
        fees: expect.any(String),
      });
      expect(body.full).toBeUndefined();
      await eventually(async () =>
        expect((await operator.get('/admin/ledger/check?full=true')).body.full).toMatchObject({
          status: 'done',
          progress: 1,
          balanced: true,
          problems: [],
        }),
      );
      expect((await operator.get('/admin/ledger/check?full=1')).status).toBe(400);
    });
  });
});
