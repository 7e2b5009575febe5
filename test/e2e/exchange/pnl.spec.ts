import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { amountOf, formatAmount } from '../../../src/domain/money/amount.js';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { openAccount } from '../../support/clients/exchange-client.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

describe('fills and P&L', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
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

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  beforeEach(async () => {
    const fees = { maker_fee_rate: '0.001', taker_fee_rate: '0.002' };
    market = await createMarket(operator, `PNL-${++markets}`, fees);
  });

  /** The maker offers or bids, demo takes it. */
  async function demoTrades(
    side: 'buy' | 'sell',
    price: string,
    size: string,
    where = market,
  ): Promise<void> {
    await maker.place(limit(where, side === 'buy' ? 'sell' : 'buy', price, size));
    await demo.place(limit(where, side, price, size));
  }

  async function get(caller: Caller, path: string): Promise<Json> {
    const { status, body } = await caller.get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  /** The group of a market, by default this spec's own. */
  async function groupOf(caller: Caller, query = '', where = market): Promise<Json> {
    const { groups } = await get(caller, `/accounts/me/pnl?limit=200&${query}`);
    return groups.find((group: Json) => group.market_id === where);
  }

  async function openEvent(marketId: string): Promise<string> {
    return createMarket(operator, marketId, { kind: 'event', base_asset: undefined, lot_size: '1' });
  }

  async function settle(marketId: string, value: string): Promise<void> {
    for (const change of [{ status: 'closed' }, { status: 'settled', settlement_value: value }]) {
      expect((await operator.patch(`/admin/markets/${marketId}`, change)).status).toBe(200);
    }
  }

  /** A time after everything so far and before everything that follows. */
  async function timeBetween(): Promise<string> {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    await pause();
    const time = new Date().toISOString();
    await pause();
    return time;
  }

  const sum = (items: readonly Json[], field: string): string =>
    formatAmount(items.reduce((total: bigint, item) => total + amountOf(item[field]), 0n));

  describe('P&L', () => {
    it('realizes a partial close by the method that is asked for, and marks the rest', async () => {
      await demoTrades('buy', '100', '1');
      await demoTrades('buy', '110', '1');
      await demoTrades('sell', '120', '1');
      const common = { asset: 'USD', position_size: '1', fees: '0.66', net_pnl: '29.34', day: null };
      expect(await groupOf(demo)).toMatchObject({
        ...common,
        mark: { price: '120', source: 'last_price' },
        realized_pnl: '15',
        unrealized_pnl: '15',
        cost_basis: '105',
      });
      expect(await groupOf(demo, 'method=fifo')).toMatchObject({
        ...common,
        realized_pnl: '20',
        unrealized_pnl: '10',
        cost_basis: '110',
      });
    });

    it('marks a long at the best bid and a short at the best ask', async () => {
      await demoTrades('buy', '100', '2');
      await maker.place(limit(market, 'buy', '90', '1'));
      await maker.place(limit(market, 'sell', '130', '1'));
      expect(await groupOf(demo)).toMatchObject({
        mark: { price: '90', source: 'best_bid' },
        unrealized_pnl: '-20',
      });
      expect(await groupOf(maker)).toMatchObject({
        position_size: '-2',
        mark: { price: '130', source: 'best_ask' },
        unrealized_pnl: '-60',
      });
      await demo.place(limit(market, 'sell', '90', '1'));
      await maker.place(limit(market, 'buy', '80', '1'));
      await demo.place(limit(market, 'sell', '80', '1'));
      expect(await groupOf(demo)).toMatchObject({
        position_size: '0',
        cost_basis: '0',
        mark: { price: null, source: 'none' },
        realized_pnl: '-30',
        unrealized_pnl: '0',
      });
    });

    it.each(['average_cost', 'fifo'])('is traced to its fills, by %s', async (method) => {
      await demoTrades('buy', '100', '3');
      await demoTrades('sell', '111', '1');
      const from = await timeBetween();
      await demoTrades('buy', '90', '2');
      await demoTrades('sell', '105', '3');
      for (const [caller, query] of [
        [demo, ''],
        [maker, ''],
        [demo, `from=${from}`],
        [demo, `to=${from}`],
        [demo, 'group_by=day'],
        [demo, `group_by=day&from=${from}`],
      ] as const) {
        const group = await groupOf(caller, `method=${method}&${query}`);
        // The link to the fills excludes later ones.
        await demoTrades('buy', '100', '0.001');
        const fills = await caller.walk(group.fills, 1);
        expect(fills.length).toBeGreaterThan(1);
        expect(sum(fills, 'fee')).toBe(group.fees);
        const field = method === 'fifo' ? 'realized_pnl_fifo' : 'realized_pnl';
        expect(sum(fills, field)).toBe(group.realized_pnl);
        expect(fills[0].position_size).toBe(group.position_size);
      }
    });

    it('of two neighbouring periods adds up to that of both', async () => {
      await demoTrades('buy', '100', '2');
      await demoTrades('sell', '110', '1');
      const edge = await timeBetween();
      await demoTrades('sell', '130', '2');
      const [before, after, all] = [
        await groupOf(demo, `to=${edge}`),
        await groupOf(demo, `from=${edge}`),
        await groupOf(demo),
      ];
      expect(before).toMatchObject({
        position_size: '1',
        mark: { price: '110', source: 'last_price' },
        realized_pnl: '10',
        unrealized_pnl: '10',
      });
      expect(after).toMatchObject({ position_size: '-1', realized_pnl: '30', unrealized_pnl: '0' });
      expect(sum([before, after], 'realized_pnl')).toBe(all.realized_pnl);
      expect(sum([before, after], 'fees')).toBe(all.fees);
      expect(await groupOf(demo, `from=2999-01-01T00:00:00Z`)).toMatchObject({
        realized_pnl: '0',
        fees: '0',
      });
      expect(await groupOf(demo, `to=2999-01-01T00:00:00Z`)).toEqual(await groupOf(demo));
      expect(await groupOf(demo, `to=1999-01-01T00:00:00Z`)).toBeUndefined();
    });

    it('never adds up different assets', async () => {
      const euros = await createMarket(operator, 'PNL-EUR', { quote_asset: 'EUR' });
      await demoTrades('buy', '100', '1');
      const from = await timeBetween();
      await demoTrades('sell', '150', '1');
      const dollars = await get(demo, `/accounts/me/pnl?from=${from}`);
      expect(dollars).toMatchObject({
        asset: 'USD',
        realized_pnl: expect.any(String),
        totals: [{ asset: 'USD' }],
      });
      await demoTrades('buy', '50', '1', euros);
      await demoTrades('sell', '57', '1', euros);
      const both = await get(demo, `/accounts/me/pnl?from=${from}`);
      expect(both).toMatchObject({
        asset: null,
        realized_pnl: null,
        unrealized_pnl: null,
        fees: null,
        net_pnl: null,
        totals: [{ asset: 'EUR', realized_pnl: '7', net_pnl: '7' }, dollars.totals[0]],
      });
      for (const total of both.totals) {
        const groups = both.groups.filter((group: Json) => group.asset === total.asset);
        for (const field of ['realized_pnl', 'unrealized_pnl', 'fees', 'net_pnl']) {
          expect(sum(groups, field)).toBe(total[field]);
        }
      }
    });

    it('is zero for who has never traded', async () => {
      const { body: account } = await operator.post('/admin/accounts', {
        name: 'Idle',
        owner: 'client:demo',
      });
      expect(await get(demo, `/accounts/${account.account_id}/pnl`)).toMatchObject({
        account_id: account.account_id,
        method: 'average_cost',
        group_by: 'market',
        from: null,
        to: null,
        asset: null,
        realized_pnl: '0',
        unrealized_pnl: '0',
        fees: '0',
        net_pnl: '0',
        totals: [],
        groups: [],
        next_cursor: null,
      });
    });

    it.each(['market', 'day'])('comes in pages of groups, by %s', async (groupBy) => {
      const other = await createMarket(operator, `PNL-OTHER-${groupBy.toUpperCase()}`);
      await demoTrades('buy', '100', '1');
      await demoTrades('buy', '100', '1', other);
      const whole = await get(demo, `/accounts/me/pnl?group_by=${groupBy}&limit=200`);
      const groups: Json[] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page: Json = await get(demo, `/accounts/me/pnl?group_by=${groupBy}&limit=1${more}`);
        expect(page.totals).toEqual(whole.totals);
        expect(page.groups).toHaveLength(1);
        groups.push(...page.groups);
        cursor = page.next_cursor;
      } while (cursor !== null);
      const keyOf = ({ market_id, day }: Json) => `${day} ${market_id}`;
      expect(groups.map(keyOf)).toEqual(whole.groups.map(keyOf));
      expect(groups.length).toBeGreaterThan(2);
    });
  });

  describe('event markets', () => {
    it('have a P&L without a value where a split opened positions that no price values', async () => {
      const marketIds = [await openEvent('PNL-RED'), await openEvent('PNL-BLUE')];
      const group = { event_group_id: 'PNL-CUP', title: 'Who wins?', market_ids: marketIds };
      expect((await operator.post('/admin/event-groups', group)).status).toBe(201);
      const accountId = await openAccount(operator, 'demo', '100');
      const split = { size: '10', account_id: accountId };
      expect((await demo.post('/event-groups/PNL-CUP/split', split)).status).toBe(200);
      const unknown = { realized_pnl: '0', unrealized_pnl: null, fees: '0', net_pnl: null };
      for (const groupBy of ['market', 'day']) {
        expect(await get(demo, `/accounts/${accountId}/pnl?group_by=${groupBy}`)).toMatchObject({
          ...unknown,
          totals: [{ asset: 'USD', ...unknown }],
          groups: [
            { ...unknown, mark: { price: null, source: 'none' }, position_size: '10', cost_basis: '5' },
            { ...unknown, mark: { price: null, source: 'none' }, position_size: '10', cost_basis: '5' },
          ],
        });
      }
      // One price does for its own market, and the sum has still one that is missing.
      await maker.place(limit('PNL-RED', 'buy', '0.6', '1'));
      const priced = await get(demo, `/accounts/${accountId}/pnl`);
      expect(priced).toMatchObject({ unrealized_pnl: null, net_pnl: null });
      expect(priced.groups).toMatchObject([
        { market_id: 'PNL-BLUE', unrealized_pnl: null },
        { market_id: 'PNL-RED', unrealized_pnl: '1', net_pnl: '1' },
      ]);
    });

    it('are settled among the fills, and make nothing together but fees', async () => {
      const event = await openEvent('PNL-EVENT');
      await demoTrades('buy', '0.40', '10', event);
      await demoTrades('sell', '0.70', '4', event);
      await settle(event, '1');
      const [mine, theirs] = [await groupOf(demo, '', event), await groupOf(maker, '', event)];
      expect(mine).toMatchObject({
        position_size: '0',
        mark: { price: '1', source: 'settlement' },
        realized_pnl: '4.8',
        unrealized_pnl: '0',
      });
      expect(sum([mine, theirs], 'net_pnl')).toBe('0');
      const [settlement, ...trades] = (await get(demo, mine.fills)).data;
      expect(settlement).toMatchObject({
        kind: 'settlement',
        trade_id: null,
        order_id: null,
        liquidity: null,
        sequence: null,
        side: 'sell',
        price: '1',
        size: '6',
        closed_size: '6',
        fee: '0',
        position_size: '0',
        realized_pnl: '3.6',
      });
      expect(sum([settlement, ...trades], 'realized_pnl')).toBe(mine.realized_pnl);
    });

    it('show a correction beside what was settled before', async () => {
      const event = await openEvent('PNL-CORRECTED');
      await demoTrades('buy', '0.40', '10', event);
      await settle(event, '1');
      const { ledger_sequence: settled } = await get(demo, '/accounts/me/pnl');
      const core = app.app.nest.get(CoreService);
      await core.submit({
        commands: [{ type: 'correct_settlement', marketId: event, settlementValue: '0.25' }],
      });
      expect(await groupOf(demo, '', event)).toMatchObject({
        mark: { price: '0.25', source: 'settlement' },
        realized_pnl: '-1.5',
      });
      expect(await groupOf(demo, `at_sequence=${settled}`, event)).toMatchObject({
        mark: { price: '1', source: 'settlement' },
        realized_pnl: '6',
      });
      const { data } = await get(maker, `/markets/${event}/fills`);
      expect(data).toMatchObject([
        { kind: 'correction', side: 'buy', price: '0.25', size: '10', closed_size: '0', realized_pnl: '7.5' },
        { kind: 'settlement', side: 'buy', price: '1', size: '10', closed_size: '10', realized_pnl: '-6' },
        { kind: 'trade', side: 'sell', price: '0.4', size: '10', closed_size: '0', realized_pnl: '0' },
      ]);
    });
  });

  describe('fills', () => {
    it('say everything of the own side and nothing of the other', async () => {
      await maker.place(limit(market, 'sell', '100', '1'));
      const order = await demo.place(limit(market, 'buy', '100', '1'));
      const { data, next_cursor } = await get(demo, `/markets/${market}/fills`);
      const [trade] = (await demo.get(`/markets/${market}/trades`)).body.data;
      expect(next_cursor).toBeNull();
      expect(data).toEqual([
        {
          fill_id: order.fills[0].fill_id,
          kind: 'trade',
          trade_id: trade.trade_id,
          order_id: order.order_id,
          market_id: market,
          side: 'buy',
          price: '100',
          size: '1',
          closed_size: '0',
          fee: '0.2',
          fee_asset: 'USD',
          liquidity: 'taker',
          executed_at: trade.executed_at,
          sequence: trade.sequence,
          ledger_sequence: expect.any(Number),
          position_size: '1',
          realized_pnl: '0',
          realized_pnl_fifo: '0',
        },
      ]);
      expect((await get(maker, `/markets/${market}/fills`)).data).toMatchObject([
        { trade_id: trade.trade_id, side: 'sell', fee: '0.1', liquidity: 'maker', position_size: '-1' },
      ]);
    });

    it('are those of one account and of one period', async () => {
      await demoTrades('buy', '100', '1');
      const edge = await timeBetween();
      await demoTrades('buy', '101', '1');
      const pricesOf = async (query: string) =>
        (await get(demo, `/markets/${market}/fills?${query}`)).data.map((fill: Json) => fill.price);
      expect(await pricesOf('')).toEqual(['101', '100']);
      expect(await pricesOf(`from=${edge}`)).toEqual(['101']);
      expect(await pricesOf(`to=${edge}`)).toEqual(['100']);
      expect(await pricesOf(`as_of=${edge}`)).toEqual(['100']);
      expect(await pricesOf(`from=${edge}&to=${edge}`)).toEqual([]);
      expect(await pricesOf(`from=${edge}&as_of=${edge}`)).toEqual([]);
      const { body: account } = await operator.post('/admin/accounts', {
        name: 'Other',
        owner: 'client:demo',
      });
      expect(await pricesOf(`account_id=${account.account_id}`)).toEqual([]);
    });

    it('are open to who may trade and to who may read the account', async () => {
      for (const scope of ['markets:trade', 'account:read']) {
        const caller = await callerFor(app.url, 'demo', scope);
        expect((await caller.get(`/markets/${market}/fills`)).status).toBe(200);
      }
    });
  });

  describe('a past moment', () => {
    it('shows positions and P&L as they were', async () => {
      await demoTrades('buy', '100', '2');
      const { ledger_sequence: sequence } = await get(demo, '/accounts/me/pnl');
      const group = await groupOf(demo);
      const time = await timeBetween();
      await demoTrades('sell', '140', '2');
      for (const moment of [`at_sequence=${sequence}`, `as_of=${time}`]) {
        expect(await groupOf(demo, moment)).toEqual(group);
        const position = (await demo.walk(`/accounts/me/positions?${moment}`, 1)).find(
          (found) => found.market_id === market,
        );
        expect(position).toEqual({
          market_id: market,
          size: '2',
          average_entry_price: '100',
          cost_basis: '200',
          mark_price: '100',
          mark_source: 'last_price',
          market_value: '200',
          realized_pnl: '0',
          unrealized_pnl: '0',
          fees: '0.4',
        });
      }
      expect((await get(demo, '/accounts/me/positions?at_sequence=0')).data).toEqual([]);
      expect(await get(demo, '/accounts/me/pnl?at_sequence=0&group_by=day')).toMatchObject({
        ledger_sequence: 0,
        groups: [],
      });
    });

    it('is told again as it was told first, while trading goes on', async () => {
      const told: Json[] = [];
      let isTrading = true;
      const trade = async (): Promise<void> => {
        for (let i = 0; i < 15; i++) await demoTrades(i % 3 === 2 ? 'sell' : 'buy', `${100 + i}`, '0.5');
      };
      const trading = trade().finally(() => (isTrading = false));
      while (isTrading) told.push(...(await Promise.all([1, 2, 3].map(() => get(demo, '/accounts/me/pnl')))));
      await trading;
      const settled = ({ market_id, position_size, cost_basis, realized_pnl, fees, fills }: Json) => ({
        market_id,
        position_size,
        cost_basis,
        realized_pnl,
        fees,
        fills,
      });
      for (const answer of told) {
        const again = await get(demo, `/accounts/me/pnl?at_sequence=${answer.ledger_sequence}`);
        expect(again.groups.map(settled)).toEqual(answer.groups.map(settled));
        expect(again.realized_pnl).toBe(answer.realized_pnl);
      }
    });

    it('has the positions that are stored, at the present', async () => {
      await demoTrades('buy', '33.33', '0.007');
      await demoTrades('sell', '35.01', '0.002');
      const { ledger_sequence: sequence } = await get(demo, '/accounts/me/pnl');
      const figures = ({ market_id, size, cost_basis, realized_pnl, fees }: Json) => ({
        market_id,
        size,
        cost_basis,
        realized_pnl,
        fees,
      });
      const past = await demo.walk(`/accounts/me/positions?at_sequence=${sequence}`, 2);
      const present = await demo.walk('/accounts/me/positions', 200);
      expect(past.map(figures)).toEqual(present.map(figures));
    });
  });

  describe('hostile input', () => {
    const NOW = '2026-01-01T00:00:00Z';
    const FOREIGN_CURSORS = [
      'x',
      encodeCursor([]),
      encodeCursor(['a', 'b', 'c']),
      encodeCursor([-1]),
      encodeCursor(['\u0000']),
      Buffer.from('{"a":1}').toString('base64url'),
    ];

    it.each<[string, string]>([
      ['as_of', 'yesterday'],
      ['as_of', '2026-02-30T00:00:00Z'],
      ['as_of', '2999-01-01T00:00:00Z'],
      ['at_sequence', '-1'],
      ['at_sequence', '1e3'],
      ['at_sequence', String(Number.MAX_SAFE_INTEGER)],
      ['limit', '0'],
      ['limit', '201'],
      ['unknown', '1'],
      ...FOREIGN_CURSORS.map((cursor): [string, string] => ['cursor', cursor]),
    ])('is refused: %s=%s', async (name, value) => {
      for (const path of ['/accounts/me/positions', '/accounts/me/pnl', '/accounts/me/pnl?group_by=day']) {
        const separator = path.includes('?') ? '&' : '?';
        const { status } = await demo.get(`${path}${separator}${name}=${encodeURIComponent(value)}`);
        expect(status, path).toBe(400);
      }
    });

    it.each([
      `from=${NOW}&to=2025-01-01T00:00:00Z`,
      'from=now',
      'to=2026',
      'method=lifo',
      'method=fifo&method=fifo',
      'group_by=account',
      `as_of=${NOW}&at_sequence=1`,
      `as_of=${NOW}&to=${NOW}`,
      `at_sequence=1&to=${NOW}`,
    ])('is refused in P&L: %s', async (query) => {
      expect(await demo.get(`/accounts/me/pnl?${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_failed' } },
      });
    });

    it.each([
      `from=${NOW}&to=2025-01-01T00:00:00Z`,
      'from=now',
      'to=2026-01-01T00:00:00.0000Z',
      'limit=1e2',
      'order_id=ord_00000000001',
      ...FOREIGN_CURSORS.map((cursor) => `cursor=${cursor}`),
    ])('is refused in fills: %s', async (query) => {
      expect((await demo.get(`/markets/${market}/fills?${query}`)).status).toBe(400);
    });

    it('does not say whose a foreign account is', async () => {
      const [{ account_id: foreign }] = (await maker.get('/accounts')).body.data;
      for (const path of [
        `/accounts/${foreign}/pnl`,
        `/accounts/${foreign}/positions?at_sequence=1`,
        `/markets/${market}/fills?account_id=${foreign}`,
      ]) {
        const reply = await demo.get(path);
        expect(reply).toMatchObject({ status: 404, body: { error: { code: 'account_not_found' } } });
        const missing = await demo.get(path.replace(foreign, 'acc_7ZZZZZZZZZZ'));
        expect(missing.body.error.message).toBe(reply.body.error.message);
      }
    });

    it('finds no fills of a market that does not exist', async () => {
      expect(await demo.get('/markets/NO-SUCH/fills')).toMatchObject({
        status: 404,
        body: { error: { code: 'market_not_found' } },
      });
    });

    it('finds nothing behind the far ends of cursors', async () => {
      for (const day of [0, Date.UTC(2026, 0, 1) + 1, Number.MAX_SAFE_INTEGER]) {
        const cursor = encodeCursor([day, 'ZZZ']);
        expect((await demo.get(`/accounts/me/pnl?group_by=day&cursor=${cursor}`)).status).toBe(200);
      }
      const cursor = encodeCursor([Number.MAX_SAFE_INTEGER]);
      expect((await demo.get(`/markets/${market}/fills?cursor=${cursor}`)).status).toBe(200);
    });
  });
});
