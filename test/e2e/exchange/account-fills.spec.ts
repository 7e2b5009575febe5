import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

const SPOT_MARKETS = ['FILLS-A', 'FILLS-B'];
const EVENT_MARKET = 'FILLS-EVENT';

describe('fills of an account', () => {
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
    const fees = { maker_fee_rate: '0.001', taker_fee_rate: '0.002' };
    for (const market of SPOT_MARKETS) await createMarket(operator, market, fees);
    await createMarket(operator, EVENT_MARKET, { kind: 'event', base_asset: undefined, lot_size: '1' });
    for (const price of ['100', '110', '120']) {
      for (const market of SPOT_MARKETS) {
        await trade(market, 'buy', price, '2');
        await trade(market, 'sell', price, '1');
      }
      await trade(EVENT_MARKET, 'buy', '0.4', '5');
    }
    for (const change of [{ status: 'closed' }, { status: 'settled', settlement_value: '1' }]) {
      expect((await operator.patch(`/admin/markets/${EVENT_MARKET}`, change)).status).toBe(200);
    }
  });

  afterAll(() => app.close());

  async function trade(market: string, side: 'buy' | 'sell', price: string, size: string): Promise<void> {
    await maker.place(limit(market, side === 'buy' ? 'sell' : 'buy', price, size));
    await demo.place(limit(market, side, price, size));
  }

  /** What the lists of the single markets tell, put together. */
  async function expected(caller: Caller, query = ''): Promise<Json[]> {
    const lists = await Promise.all(
      [...SPOT_MARKETS, EVENT_MARKET].map((market) => caller.walk(`/markets/${market}/fills?${query}`, 200)),
    );
    return lists.flat().sort((a, b) => b.ledger_sequence - a.ledger_sequence);
  }

  it('are those of all its markets, newest first, whatever the size of the page', async () => {
    for (const caller of [demo, maker]) {
      const all = await expected(caller);
      expect(all).toHaveLength(16);
      expect(all[0]).toMatchObject({ kind: 'settlement', market_id: EVENT_MARKET });
      expect(all.find(({ realized_pnl }) => !['0', '9'].includes(realized_pnl))).toBeDefined();
      for (const pageSize of [1, 3, 16, 200]) {
        expect(await caller.walk('/accounts/me/fills?', pageSize)).toEqual(all);
      }
    }
  });

  it('are those of a past moment and of a period', async () => {
    const all = await expected(demo);
    const { executed_at: edge, ledger_sequence: place } = all[7]!;
    for (const [query, kept] of [
      [`as_of=${edge}`, (fill: Json) => fill.executed_at <= edge],
      [`at_sequence=${place}`, (fill: Json) => fill.ledger_sequence <= place],
      [`from=${edge}`, (fill: Json) => fill.executed_at >= edge],
      [`to=${edge}`, (fill: Json) => fill.executed_at < edge],
      [
        `from=${edge}&at_sequence=${place}`,
        (fill: Json) => fill.executed_at >= edge && fill.ledger_sequence <= place,
      ],
      ['at_sequence=0', () => false],
    ] as const) {
      expect(await demo.walk(`/accounts/me/fills?${query}`, 2), query).toEqual(all.filter(kept));
    }
  });

  it('are none of another account of the same owner', async () => {
    const { body } = await operator.post('/admin/accounts', { name: 'Other', owner: 'client:demo' });
    expect(await demo.get(`/accounts/${body.account_id}/fills`)).toMatchObject({
      status: 200,
      body: { data: [], next_cursor: null },
    });
  });

  it('are open to who may trade and to who may read the account, and to nobody else', async () => {
    for (const scope of ['markets:trade', 'account:read']) {
      expect((await (await callerFor(app.url, 'demo', scope)).get('/accounts/me/fills')).status).toBe(200);
    }
    const other = await callerFor(app.url, 'demo', 'chat:read');
    expect((await other.get('/accounts/me/fills')).status).toBe(403);
  });

  it('do not tell whether a foreign account exists', async () => {
    const [{ account_id: foreign }] = (await maker.get('/accounts')).body.data;
    const errors = [];
    for (const id of [foreign, 'acc_zzzzzzzzzzz', 'acc_00000000ZZZ', 'wlt_00000000001', '%00', '1', 'ME']) {
      const { status, body } = await demo.get(`/accounts/${id}/fills`);
      if (id === '%00') {
        expect([400, 404]).toContain(status);
        continue;
      }
      expect(status, id).toBe(404);
      errors.push({ code: body.error.code, message: body.error.message });
    }
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
    expect(errors[0]!.code).toBe('account_not_found');
  });

  it.each([
    'account_id=me',
    'market_id=FILLS-A',
    'as_of=2999-01-01T00:00:00Z',
    'at_sequence=999999999999',
    'at_sequence=-1',
    'limit=0',
    'limit=201',
    `cursor=${encodeCursor([1, 2])}`,
    `cursor=${encodeCursor(['1'])}`,
  ])('refuse %s', async (query) => {
    expect((await demo.get(`/accounts/me/fills?${query}`)).status).toBe(400);
  });
});
