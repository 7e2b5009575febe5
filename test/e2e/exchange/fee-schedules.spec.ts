import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually, queryOnce } from '../../support/core.js';

const tier = (volume_30d: unknown, maker_fee_rate: unknown, taker_fee_rate: unknown): Json => ({
  volume_30d,
  maker_fee_rate,
  taker_fee_rate,
});

const REBATES = [
  tier('0', '0.001', '0.002'),
  tier('1000', '-0.0005', '0.001'),
  tier('5000', '-0.001', '0.001'),
];

describe('fee schedules', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let market: string;
  let makerAccount: string;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    market = await createMarket(operator, 'TIERS-USD', { maker_fee_rate: '0.003', taker_fee_rate: '0.004' });
    [{ account_id: makerAccount }] = (await maker.get('/accounts')).body.data;
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const put = (name: string, body: unknown, caller = operator): Promise<Reply> =>
    caller.send('PUT', `/admin/fee-schedules/${name}`, JSON.stringify(body));
  const give = (name: unknown, account = makerAccount, caller = operator): Promise<Reply> =>
    caller.send('PUT', `/admin/accounts/${account}/fee-schedule`, JSON.stringify({ name }));
  const feesOf = async (caller: Caller): Promise<Json> =>
    (await caller.walk('/accounts/me/fees?', 200)).find(({ market_id }) => market_id === market);

  /** What maker and taker paid for a trade at 100. */
  async function trade(size: string): Promise<readonly [string, string]> {
    const resting = await maker.place(limit(market, 'sell', '100', size));
    const taking = await demo.place(limit(market, 'buy', '100', size));
    const { body } = await maker.get(`/orders/${resting.order_id}`);
    return [body.fees, taking.fees];
  }

  /** The seconds pass for which a process goes by what it has read. */
  const known = (fees: readonly [string, string]): Promise<void> =>
    eventually(async () => expect(await trade('0.001')).toEqual(fees));

  async function totalUsd(): Promise<readonly number[]> {
    const of = async (caller: Caller): Promise<number> => {
      const { data } = (await caller.get('/accounts/me/balances')).body;
      return Number(data.find(({ asset }: Json) => asset === 'USD').total);
    };
    return Promise.all([of(maker), of(demo)]);
  }

  it('do nothing while there is none', async () => {
    expect((await operator.get('/admin/fee-schedules')).body).toEqual({ data: [], next_cursor: null });
    expect(await trade('1')).toEqual(['0.3', '0.4']);
    expect(await feesOf(maker)).toMatchObject({ tier: 'base', schedule: null, next_tier: null });
  });

  it('lead by volume to lower rates and to rebates, which takers pay', async () => {
    const { status, body } = await put('default', { tiers: REBATES });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'default', tiers: REBATES, volume_asset: null, accounts: 0 });
    expect((await operator.get('/admin/fee-schedules/default')).body).toEqual(body);
    expect(await trade('1')).toEqual(['0.1', '0.2']);
    await trade('8');
    await eventually(async () =>
      expect(await feesOf(maker)).toEqual({
        market_id: market,
        maker_fee_rate: '-0.0005',
        taker_fee_rate: '0.001',
        tier: 'tier-2',
        schedule: 'default',
        volume_30d: '1000',
        volume_asset: 'USD',
        next_tier: REBATES[2],
      }),
    );
    await feesOf(demo);
    const [makerBefore, demoBefore] = await totalUsd();
    expect(await trade('1')).toEqual(['-0.05', '0.1']);
    const [makerAfter, demoAfter] = await totalUsd();
    expect(makerAfter! - makerBefore!).toBeCloseTo(100.05, 6);
    expect(demoAfter! - demoBefore!).toBeCloseTo(-100.1, 6);
  });

  it('show rebates in fills, entries, P&L and the check of the ledger', async () => {
    const { data: fills } = (await maker.get(`/markets/${market}/fills`)).body;
    expect(fills).toContainEqual(expect.objectContaining({ fee: '-0.05' }));
    const { data: entries } = (await maker.get('/accounts/me/entries')).body;
    const rebate = entries.find(({ reason }: Json) => reason === 'rebate');
    expect(rebate).toMatchObject({ amount: '0.05', direction: 'credit', asset: 'USD' });
    expect(rebate.reference).toMatch(/^trd_/);
    await eventually(async () => {
      const { body } = await operator.get('/admin/ledger/check?full=true');
      expect(body).toMatchObject({ balanced: true, full: { status: 'done', balanced: true } });
      const paid = await queryOnce<{ fees: string }>(
        app.config.databaseUrl!,
        `SELECT trim_scale(sum(maker_fee + taker_fee) / 1e18)::text AS fees FROM trades JOIN markets USING (market_id)
         WHERE quote_asset = 'USD'`,
      );
      expect(body.assets.find(({ asset }: Json) => asset === 'USD').fees).toBe(paid[0]!.fees);
    });
  });

  it('begin again where 30 days have passed', async () => {
    // Asking counts what was traded up to now; what is counted later would be of today.
    await feesOf(maker);
    await queryOnce(app.config.databaseUrl!, 'UPDATE account_volumes SET day = day - 30');
    for (const caller of [maker, demo]) {
      expect(await feesOf(caller)).toMatchObject({ tier: 'tier-1', volume_30d: '0' });
    }
    await known(['0.0001', '0.0002']);
  });

  it('are given to accounts, and cap rebates at what the taker pays', async () => {
    expect(await put('vip', { tiers: [tier('0', '-0.5', '0.5')], volume_asset: 'USD' })).toMatchObject({
      status: 200,
      body: { rebates_capped: true },
    });
    const given = { account_id: makerAccount, name: 'vip' };
    expect(await give('vip')).toMatchObject({ status: 200, body: given });
    expect((await operator.get(`/admin/accounts/${makerAccount}/fee-schedule`)).body).toEqual(given);
    expect(await trade('1')).toEqual(['-0.2', '0.2']);
    expect(await operator.delete('/admin/fee-schedules/vip')).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect((await operator.get('/admin/fee-schedules/vip')).body).toMatchObject({ accounts: 1 });
    expect((await give(null)).body).toEqual({ ...given, name: null });
    expect(await trade('1')).toEqual(['0.1', '0.2']);
    expect((await operator.delete('/admin/fee-schedules/vip')).status).toBe(204);
    expect((await operator.delete('/admin/fee-schedules/vip')).status).toBe(404);
  });

  it('leave orders at the rates at which they were placed', async () => {
    const resting = await maker.place(limit(market, 'sell', '101', '1'));
    await put('default', { tiers: [tier('0', '0', '0')] });
    const { fees } = await demo.place(limit(market, 'buy', '101', '1'));
    expect(fees).toBe('0');
    expect((await maker.get(`/orders/${resting.order_id}`)).body.fees).toBe('0.101');
  });

  it('count the volume of one asset where they say so', async () => {
    await put('default', { tiers: [tier('0', '0', '0'), tier('1', '0', '0.1')], volume_asset: 'EUR' });
    expect(await feesOf(demo)).toMatchObject({ tier: 'tier-1', volume_asset: 'EUR', volume_30d: '0' });
    const euros = await createMarket(operator, 'TIERS-EUR', { quote_asset: 'EUR' });
    await maker.place(limit(euros, 'sell', '10', '1'));
    await demo.place(limit(euros, 'buy', '10', '1'));
    await eventually(async () =>
      expect(await feesOf(demo)).toMatchObject({ tier: 'tier-2', volume_30d: '10' }),
    );
  });

  it('are quoted', async () => {
    await maker.place(limit(market, 'sell', '100', '1'));
    const quote = { market_id: market, side: 'buy', size: '1' };
    expect((await demo.post('/quotes', quote)).body).toMatchObject({ fee: '10' });
  });

  it('keep a record of who changed them', async () => {
    const { data } = (await operator.get('/admin/audit?limit=200')).body;
    const targets = data.map(({ target }: Json) => target?.id);
    expect(targets).toEqual(expect.arrayContaining(['default', 'vip', makerAccount]));
  });

  const fine = tier('0', '0', '0.001');
  it.each<[string, unknown]>([
    ['no tiers', { tiers: [] }],
    ['no list', { tiers: fine }],
    ['nothing', {}],
    ['null', { tiers: null }],
    ['null in it', { tiers: [null] }],
    ['a text in it', { tiers: ['0'] }],
    ['1,000 tiers', { tiers: Array.from({ length: 1_000 }, (_, i) => tier(String(i), '0', '0')) }],
    ['a first tier above zero', { tiers: [tier('1', '0', '0')] }],
    ['tiers that fall', { tiers: [fine, tier('5', '0', '0'), tier('4', '0', '0')] }],
    ['the same tier twice', { tiers: [fine, tier('5', '0', '0'), tier('5.0', '0', '0')] }],
    ['a rebate above the fee', { tiers: [tier('0', '-0.0011', '0.001')] }],
    ['a taker who is paid', { tiers: [tier('0', '0.001', '-0.001')] }],
    ['rates of 1', { tiers: [tier('0', '0', '1')] }],
    ['rates above 1', { tiers: [tier('0', '1.5', '0.1')] }],
    ['19 decimals', { tiers: [tier('0', '0.0000000000000000001', '0.1')] }],
    ['NaN', { tiers: [tier('0', 'NaN', '0.1')] }],
    ['exponents', { tiers: [tier('0', '1e-3', '0.1')] }],
    ['numbers', { tiers: [tier(0, 0.001, 0.1)] }],
    ['negative volumes', { tiers: [tier('-1', '0', '0')] }],
    ['infinite volumes', { tiers: [fine, tier('Infinity', '0', '0')] }],
    ['fields of others', { tiers: [{ ...fine, account_id: 'acc_00000000001' }] }],
    ['a name in the body', { tiers: [fine], name: 'vip' }],
    ['accounts', { tiers: [fine], accounts: 7 }],
    ['an asset that is a number', { tiers: [fine], volume_asset: 5 }],
  ])('refuse %s', async (_what, body) => {
    const { body: before } = await operator.get('/admin/fee-schedules');
    expect(await put('default', body)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
    expect((await operator.get('/admin/fee-schedules')).body).toEqual(before);
  });

  it('refuse 10,000 tiers', async () => {
    const tiers = Array.from({ length: 10_000 }, (_, i) => tier(String(i), '0', '0'));
    expect(await put('default', { tiers })).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large' } },
    });
  });

  it.each(['DEFAULT', '-', 'a'.repeat(33), 'ü', 'a_b', '..%2f', '%00', "a'--"])(
    'refuse the name %s',
    async (name) => {
      expect((await put(encodeURIComponent(name), { tiers: [fine] })).status).toBeGreaterThanOrEqual(400);
      expect((await put(encodeURIComponent(name), { tiers: [fine] })).status).toBeLessThan(500);
      expect((await operator.get(`/admin/fee-schedules/${encodeURIComponent(name)}`)).status).toBe(404);
    },
  );

  it('refuse unknown assets, schedules and accounts', async () => {
    expect((await put('other', { tiers: [fine], volume_asset: 'NONE' })).status).toBe(404);
    expect((await give('none')).status).toBe(404);
    expect((await give(undefined)).status).toBe(400);
    expect((await give(7)).status).toBe(400);
    for (const account of ['acc_7ZZZZZZZZZZ', 'me', '1', 'acc_00000000001%27']) {
      expect((await give(null, account)).status, account).toBe(404);
      expect((await operator.get(`/admin/accounts/${account}/fee-schedule`)).status, account).toBe(404);
    }
  });

  it('are for operators, none of whom decides about themselves', async () => {
    for (const caller of [demo, maker, new Caller(app.url)]) {
      const status = caller === demo || caller === maker ? 403 : 401;
      expect((await put('mine', { tiers: [fine] }, caller)).status).toBe(status);
      expect((await give('default', makerAccount, caller)).status).toBe(status);
      expect((await caller.get('/admin/fee-schedules')).status).toBe(status);
      expect((await caller.delete('/admin/fee-schedules/default')).status).toBe(status);
    }
    const { body } = await operator.post('/admin/accounts', { name: 'Own', owner: 'client:admin' });
    expect(await give('default', body.account_id)).toMatchObject({
      status: 403,
      body: { error: { code: 'related_person' } },
    });
  });

  it('are never given while they are deleted', async () => {
    for (let round = 0; round < 5; round++) {
      await put('racing', { tiers: [fine] });
      const [given, deleted] = await Promise.all([
        give('racing'),
        operator.delete('/admin/fee-schedules/racing'),
      ]);
      expect([
        [200, 409],
        [404, 204],
      ]).toContainEqual([given.status, deleted.status]);
      await give(null);
    }
  });

  it('end at 100', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `many-${i}`);
    const statuses: number[] = [];
    for (const name of names) statuses.push((await put(name, { tiers: [fine] })).status);
    expect(statuses.at(-1)).toBe(409);
    const all = await operator.walk('/admin/fee-schedules?', 7);
    expect(all).toHaveLength(100);
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted());
  });
});
