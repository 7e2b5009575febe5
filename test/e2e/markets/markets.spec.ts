import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { amountOf, formatAmount } from '../../../src/domain/money/amount.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

function sumOf(items: readonly Json[], field: string): string {
  return formatAmount(items.reduce((total: bigint, item) => total + amountOf(item[field]), 0n));
}

describe('markets', () => {
  let app: TestApp;
  let anyone: Caller;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** A market for each test, so that books start empty. */
  let market: string;
  let markets = 0;

  beforeAll(async () => {
    app = await startTestApp();
    anyone = new Caller(app.url);
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  beforeEach(async () => {
    market = await createMarket(operator, `DATA-${++markets}`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const trade = async (price: string, size: string): Promise<void> => {
    await maker.place(limit(market, 'sell', price, size));
    await demo.place(limit(market, 'buy', price, size));
  };

  describe('list and details', () => {
    const ids = async (query: string): Promise<string[]> =>
      (await anyone.walk(`/markets${query}`, 200)).map((found) => found.market_id);

    it('lists in order of the ids, page by page', async () => {
      const all = await ids('');
      expect(all).toEqual([...all].sort());
      expect(all).toEqual(expect.arrayContaining(['BTC-USD', 'ETH-USD', 'ETH-USDC', 'RAIN-LISBON']));
      expect((await anyone.walk('/markets', 1)).map((found) => found.market_id)).toEqual(all);
    });

    it('searches and filters', async () => {
      expect(await ids('?q=bitcoin')).toEqual(['BTC-USD']);
      expect(await ids('?q=LISBON')).toEqual(['RAIN-LISBON']);
      expect(await ids('?kind=event')).toEqual(['RAIN-LISBON']);
      expect(await ids('?category=crypto&q=usdc')).toEqual(['ETH-USDC']);
      expect(await ids('?status=settled')).toEqual([]);
      expect(await ids('?q=%25%25')).toEqual([]);
    });

    it.each([
      '?kind=futures',
      '?status=',
      '?limit=0',
      '?limit=0x10',
      '?limit=1e2',
      '?cursor=%00',
      '?q=a&q=b',
      '?page=2',
      '?cursor=WzFd',
    ])('refuses GET /markets%s', async (query) => {
      expect((await anyone.get(`/markets${query}`)).status).toBe(400);
    });

    it('describes a market with its rules', async () => {
      const { status, body } = await anyone.get('/markets/ETH-USDC');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        market_id: 'ETH-USDC',
        kind: 'spot',
        status: 'open',
        base_asset: 'ETH',
        quote_asset: 'USDC',
        tick_size: '0.01',
        lot_size: '0.0001',
        min_size: '0.0001',
        price_min: '0.01',
        maker_fee_rate: '0.001',
        taker_fee_rate: '0.002',
        opens_at: null,
        closes_at: null,
        settlement_value: null,
        settled_at: null,
        ticker: {
          best_bid: null,
          best_ask: null,
          last_price: null,
          volume_24h: '0',
          high_24h: null,
          low_24h: null,
          open_interest: null,
        },
      });
    });

    it('keeps the ticker up with every trade', async () => {
      await trade('100', '0.1');
      expect((await anyone.get(`/markets/${market}`)).body.ticker).toMatchObject({
        volume_24h: '0.1',
        high_24h: '100',
      });
      await trade('90', '0.2');
      await trade('110', '0.003');
      await maker.place(limit(market, 'sell', '120', '1'));
      await demo.place(limit(market, 'buy', '80.5', '1'));
      const expected = {
        best_bid: '80.5',
        best_ask: '120',
        last_price: '110',
        volume_24h: '0.303',
        high_24h: '110',
        low_24h: '90',
        open_interest: null,
      };
      expect((await anyone.get(`/markets/${market}`)).body.ticker).toEqual(expected);
      const listed = (await anyone.walk(`/markets?q=${market.toLowerCase()}`, 200)).find(
        (found) => found.market_id === market,
      );
      expect(listed.ticker).toEqual(expected);
    });

    it.each(['NO-SUCH', 'btc-usd', '__proto__', 'constructor', '%F0%9F%92%A9', 'A'.repeat(70)])(
      'knows no market %s',
      async (id) => {
        for (const path of ['', '/orderbook', '/trades', '/candles']) {
          const reply = await anyone.get(`/markets/${id}${path}`);
          expect(reply).toMatchObject({ status: 404, body: { error: { code: 'market_not_found' } } });
        }
      },
    );
  });

  describe('orderbook', () => {
    /** The checksum as the contract defines it, computed from the answer alone. */
    function checksumOf({ bids, asks }: Json): string {
      const figures: string[] = [];
      for (let i = 0; i < 10; i++) {
        if (bids[i]) figures.push(`${bids[i][0]}:${bids[i][1]}`);
        if (asks[i]) figures.push(`${asks[i][0]}:${asks[i][1]}`);
      }
      return crc32(figures.join(':')).toString(16).padStart(8, '0');
    }

    it('is empty at first', async () => {
      const { body } = await anyone.get(`/markets/${market}/orderbook`);
      expect(body).toMatchObject({
        market_id: market,
        sequence: 0,
        bids: [],
        asks: [],
        checksum: '00000000',
      });
      expect(body.timestamp).toMatch(/Z$/);
    });

    it('sums orders into levels, best first, with a checksum that anyone can compute', async () => {
      await maker.place(limit(market, 'sell', '101', '1'));
      await maker.place(limit(market, 'sell', '100.5', '0.25'));
      await maker.place(limit(market, 'sell', '100.50', '0.750'));
      await demo.place(limit(market, 'buy', '99', '2'));
      await demo.place(limit(market, 'buy', '99.99', '1.5'));
      const { body } = await anyone.get(`/markets/${market}/orderbook`);
      expect(body).toMatchObject({
        sequence: 5,
        bids: [
          ['99.99', '1.5', 1],
          ['99', '2', 1],
        ],
        asks: [
          ['100.5', '1', 2],
          ['101', '1', 1],
        ],
      });
      expect(body.checksum).toBe(checksumOf(body));
      const top = await anyone.get(`/markets/${market}/orderbook?depth=1`);
      expect(top.body).toMatchObject({ sequence: 5, bids: [['99.99', '1.5', 1]], asks: [['100.5', '1', 2]] });
    });

    it('covers ten levels of a deep book by its checksum', async () => {
      const orders = Array.from({ length: 60 }, (_, i) => limit(market, 'buy', String(100 + i), '0.001'));
      await demo.post('/orders/batch', { orders });
      const shallow = await anyone.get(`/markets/${market}/orderbook`);
      expect(shallow.body.bids).toHaveLength(50);
      const deep = await anyone.get(`/markets/${market}/orderbook?depth=1000`);
      expect(deep.body.bids).toHaveLength(60);
      expect(deep.body.checksum).toBe(checksumOf(deep.body));
      expect(shallow.body.checksum).toBe(deep.body.checksum);
    });

    it('counts every command that changes it, without a gap', async () => {
      const sequenceOf = async (): Promise<number> =>
        (await anyone.get(`/markets/${market}/orderbook`)).body.sequence;
      const order = await demo.place(limit(market, 'buy', '99', '2'));
      expect([order.sequence, await sequenceOf()]).toEqual([1, 1]);
      await demo.patch(`/orders/${order.order_id}`, { size: '1' });
      expect(await sequenceOf()).toBe(2);
      await demo.post('/orders', limit(market, 'buy', '99.001', '1'));
      expect(await sequenceOf()).toBe(2);
      const cancelled = await demo.delete(`/orders/${order.order_id}`);
      expect([cancelled.body.sequence, await sequenceOf()]).toEqual([3, 3]);
    });

    it.each(['0', '1001', '-1', '01', '1.5', 'all', ''])('refuses a depth of %j', async (depth) => {
      expect((await anyone.get(`/markets/${market}/orderbook?depth=${depth}`)).status).toBe(400);
    });
  });

  describe('trades', () => {
    it('lists them newest first, without saying who traded', async () => {
      await trade('100', '1');
      await maker.place(limit(market, 'buy', '99', '0.5'));
      const taker = await demo.place(limit(market, 'sell', '99', '0.5'));
      const { body } = await anyone.get(`/markets/${market}/trades`);
      expect(body.next_cursor).toBeNull();
      expect(body.data).toHaveLength(2);
      expect(body.data[0]).toEqual({
        trade_id: taker.fills[0].trade_id,
        market_id: market,
        price: '99',
        size: '0.5',
        taker_side: 'sell',
        executed_at: taker.created_at,
        sequence: taker.sequence,
      });
      expect(body.data[1]).toMatchObject({ price: '100', size: '1', taker_side: 'buy' });
    });

    it('walks all pages without a gap or a repeat while trades come in', async () => {
      for (let i = 0; i < 12; i++) await trade('100', '0.001');
      const before = (await anyone.walk(`/markets/${market}/trades`, 200)).map((found) => found.trade_id);
      const trading = (async () => {
        for (let i = 0; i < 10; i++) await trade('100', '0.001');
      })();
      const seen = (await anyone.walk(`/markets/${market}/trades`, 3)).map((found) => found.trade_id);
      await trading;
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => before.includes(id))).toEqual(before);
    });
  });

  describe('candles', () => {
    it('sums trades up in every interval, the one just acknowledged included', async () => {
      expect((await anyone.get(`/markets/${market}/candles`)).body).toEqual({ data: [], next_cursor: null });
      await trade('100', '1');
      await trade('104', '0.5');
      await trade('97', '0.25');
      await trade('101', '0.125');
      for (const interval of ['1m', '5m', '15m', '1h', '4h', '1d']) {
        const candles = (await anyone.get(`/markets/${market}/candles?interval=${interval}`)).body.data;
        // The test may cross the end of a minute, and so of any longer period.
        expect(candles.length).toBeLessThanOrEqual(2);
        expect(candles.at(-1)).toMatchObject({ open: '100' });
        expect(candles[0]).toMatchObject({ close: '101' });
        expect(candles.reduce((sum: number, candle: Json) => sum + Number(candle.volume), 0)).toBe(1.875);
        expect(Math.max(...candles.map((candle: Json) => Number(candle.high)))).toBe(104);
        expect(Math.min(...candles.map((candle: Json) => Number(candle.low)))).toBe(97);
      }
      const [day] = (await anyone.get(`/markets/${market}/candles?interval=1d`)).body.data;
      expect(day.start).toMatch(/T00:00:00\.000Z$/);
    });

    it('has each trade once, however many read and trade at a time', async () => {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let i = 0; i < 5; i++) {
            await trade('100', '0.001');
            await anyone.get(`/markets/${market}/candles`);
          }
        }),
      );
      const candles = await anyone.walk(`/markets/${market}/candles?interval=1d`, 1);
      const trades = await anyone.walk(`/markets/${market}/trades`, 200);
      expect(sumOf(candles, 'volume')).toBe('0.04');
      expect(sumOf(trades, 'size')).toBe('0.04');
      expect((await anyone.get(`/markets/${market}`)).body.ticker.volume_24h).toBe('0.04');
    });

    it.each([
      'interval=1s',
      'interval=1M',
      'interval=',
      'interval=1m&interval=5m',
      'cursor=WzkwMDcxOTkyNTQ3NDA5OTJd',
    ])('refuses %s', async (query) => {
      expect((await anyone.get(`/markets/${market}/candles?${query}`)).status).toBe(400);
    });

    it('takes any time for a cursor', async () => {
      const forged = Buffer.from(JSON.stringify([Number.MAX_SAFE_INTEGER])).toString('base64url');
      expect((await anyone.get(`/markets/${market}/candles?cursor=${forged}`)).status).toBe(200);
    });
  });

  describe('accounts', () => {
    it('shows balances, with what is held', async () => {
      const before = await demo.balance('USD');
      await demo.place(limit(market, 'buy', '10', '1.5'));
      const after = await demo.balance('USD');
      expect(Number(after.held) - Number(before.held)).toBe(15);
      expect(Number(before.available) - Number(after.available)).toBe(15);
      expect(after.total).toBe(before.total);
      await demo.delete(`/orders?market_id=${market}`);
      expect(await demo.balance('USD')).toEqual(before);
    });

    it('shows positions marked at the exit side', async () => {
      await trade('100', '2');
      await maker.place(limit(market, 'buy', '95', '1'));
      const positionOf = async (caller: Caller): Promise<Json> =>
        (await caller.walk('/accounts/me/positions', 200)).find((position) => position.market_id === market);
      expect(await positionOf(demo)).toEqual({
        market_id: market,
        size: '2',
        average_entry_price: '100',
        cost_basis: '200',
        mark_price: '95',
        mark_source: 'best_bid',
        market_value: '190',
        realized_pnl: '0',
        unrealized_pnl: '-10',
        fees: '0',
      });
      expect(await positionOf(maker)).toMatchObject({ size: '-2', mark_price: '100', unrealized_pnl: '0' });
      await demo.place(limit(market, 'sell', '95', '1'));
      expect(await positionOf(demo)).toMatchObject({ size: '1', cost_basis: '100', realized_pnl: '-5' });
    });

    it('shows both sides of every transfer, newest first', async () => {
      await trade('100', '2');
      const { body } = await demo.get('/accounts/me/entries?limit=2');
      const [{ trade_id: tradeId }] = (await anyone.get(`/markets/${market}/trades`)).body.data;
      expect(body.data).toMatchObject([
        { asset: 'BTC', amount: '2', direction: 'credit', reason: 'trade', reference: tradeId },
        { asset: 'USD', amount: '200', direction: 'debit', reason: 'trade', reference: tradeId },
      ]);
      expect(body.data[0].ledger_sequence).toBeGreaterThan(body.data[1].ledger_sequence);
      const theirs = (await maker.get('/accounts/me/entries?limit=2')).body.data;
      expect(theirs.map((entry: Json) => entry.direction)).toEqual(['debit', 'credit']);
      expect(theirs.map((entry: Json) => entry.entry_id)).not.toContain(body.data[0].entry_id);

      const balance = await demo.balance('USD');
      expect(body.data[1].balance_after).toBe(balance.total);
      const all = await demo.walk('/accounts/me/entries', 7);
      expect(new Set(all.map((entry) => entry.entry_id)).size).toBe(all.length);
      const signed = all
        .filter((entry) => entry.asset === 'USD')
        .map(({ amount, direction }) => ({ amount: direction === 'credit' ? amount : `-${amount}` }));
      expect(sumOf(signed, 'amount')).toBe(balance.total);
    });

    it("lists one's own, and answers others like none at all", async () => {
      const [own] = (await demo.get('/accounts')).body.data;
      const [foreign] = (await maker.get('/accounts')).body.data;
      expect(own).toMatchObject({ kind: 'trading', account_id: expect.stringMatching(/^acc_/) });
      for (const list of ['balances', 'positions', 'entries']) {
        expect((await demo.get(`/accounts/${own.account_id}/${list}`)).status).toBe(200);
        for (const id of [foreign.account_id, 'acc_00000000001', 'ME', '1', 'acc_%00']) {
          const reply = await demo.get(`/accounts/${id}/${list}`);
          expect([400, 404]).toContain(reply.status);
        }
        expect((await demo.get(`/accounts/me/${list}?cursor=x`)).status).toBe(400);
        expect((await anyone.get(`/accounts/me/${list}`)).status).toBe(401);
      }
    });
  });
});
