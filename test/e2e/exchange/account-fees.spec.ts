import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { queryOnce } from '../../support/core.js';

describe('fees of an account', () => {
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
    await createMarket(operator, 'FEES-A', { maker_fee_rate: '0.001', taker_fee_rate: '0.0025' });
    await createMarket(operator, 'FEES-EUR', { quote_asset: 'EUR' });
    await createMarket(operator, 'FEES-EVENT', { kind: 'event', base_asset: undefined, lot_size: '1' });
  });

  afterAll(() => app.close());

  async function trade(market: string, price: string, size: string): Promise<void> {
    await maker.place(limit(market, 'sell', price, size));
    await demo.place(limit(market, 'buy', price, size));
  }

  async function feesIn(caller: Caller, market: string, account = 'me'): Promise<Json> {
    const all = await caller.walk(`/accounts/${account}/fees?`, 200);
    return all.find(({ market_id }) => market_id === market);
  }

  it('are those of every market, in their order, whatever the size of the page', async () => {
    const markets = await demo.walk('/markets?', 200);
    const all = await demo.walk('/accounts/me/fees?', 200);
    expect(all).toEqual(
      markets.map(({ market_id, maker_fee_rate, taker_fee_rate }) => ({
        market_id,
        maker_fee_rate,
        taker_fee_rate,
        tier: 'base',
        schedule: null,
        volume_30d: '0',
        volume_asset: expect.any(String),
        next_tier: null,
      })),
    );
    expect(all.find(({ market_id }) => market_id === 'FEES-A')).toMatchObject({
      maker_fee_rate: '0.001',
      taker_fee_rate: '0.0025',
    });
    expect(await demo.walk('/accounts/me/fees?', 2)).toEqual(all);
  });

  it('tell what was traded in 30 days, as maker and as taker, by quote asset', async () => {
    await trade('FEES-A', '100.01', '1.001');
    await trade('FEES-EUR', '7', '0.5');
    await trade('FEES-EVENT', '0.25', '3');
    for (const caller of [demo, maker]) {
      // 100.01 × 1.001 + 0.25 × 3
      for (const market of ['FEES-A', 'FEES-EVENT', 'BTC-USD']) {
        expect(await feesIn(caller, market)).toMatchObject({ volume_30d: '100.86001' });
      }
      expect(await feesIn(caller, 'FEES-EUR')).toMatchObject({ volume_30d: '3.5' });
    }
    const { body } = await operator.post('/admin/accounts', { name: 'Other', owner: 'client:demo' });
    expect(await feesIn(demo, 'FEES-A', body.account_id)).toMatchObject({ volume_30d: '0' });
  });

  it('forget what was traded before', async () => {
    await queryOnce(app.config.databaseUrl!, 'UPDATE account_volumes SET day = day - 30');
    expect(await feesIn(demo, 'FEES-A')).toMatchObject({ volume_30d: '0' });
    await trade('FEES-EUR', '8', '1');
    expect(await feesIn(demo, 'FEES-EUR')).toMatchObject({ volume_30d: '8' });
    expect(await feesIn(demo, 'FEES-A')).toMatchObject({ volume_30d: '0' });
  });

  it('need the scope of the account', async () => {
    for (const [scope, status] of [
      ['account:read', 200],
      ['markets:trade', 403],
    ] as const) {
      expect((await (await callerFor(app.url, 'demo', scope)).get('/accounts/me/fees')).status).toBe(status);
    }
  });

  it('do not tell whether a foreign account exists', async () => {
    const [{ account_id: foreign }] = (await maker.get('/accounts')).body.data;
    for (const id of [foreign, 'acc_7ZZZZZZZZZZ', 'trf_00000000001', '1']) {
      expect(await demo.get(`/accounts/${id}/fees`), id).toMatchObject({
        status: 404,
        body: { error: { code: 'account_not_found' } },
      });
    }
  });

  it.each(['from=2026-01-01T00:00:00Z', 'limit=0', 'market_id=FEES-A', `cursor=${encodeCursor([1])}`])(
    'refuse %s',
    async (query) => {
      expect((await demo.get(`/accounts/me/fees?${query}`)).status).toBe(400);
    },
  );
});
