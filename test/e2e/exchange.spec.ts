import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { queryOnce } from '../support/core.js';
import {
  type Caller,
  callerFor,
  createMarket,
  expectBalancedBooks,
  type Json,
  limit,
} from './markets-client.js';

describe('the exchange', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** An event market for each test, so that books start empty. */
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
    market = await createMarket(operator, `BETS-${++markets}`, EVENT);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const quote = async (terms: Json = {}, by: Caller = demo): Promise<Json> => {
    const reply = await by.post('/quotes', { market_id: market, side: 'buy', size: '100', ...terms });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  };
  const accept = async ({ quote_id }: Json, by: Caller = demo): Promise<Json> => {
    const reply = await by.post('/matched-bets', { quote_id });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  };
  const refusal = async (path: string, body: Json, by: Caller = demo): Promise<[number, string]> => {
    const reply = await by.post(path, body);
    return [reply.status, reply.body.error?.code];
  };
  const database = <Row extends Json>(text: string, values: unknown[] = []): Promise<Row[]> =>
    queryOnce<Row>(app.config.databaseUrl!, text, values);

  describe('a quote', () => {
    it('walks through the live book', async () => {
      await maker.place(limit(market, 'sell', '0.40', '60'));
      await maker.place(limit(market, 'sell', '0.45', '60'));
      const made = await quote();
      expect(made).toEqual({
        quote_id: expect.stringMatching(/^qte_[0-9A-Z]{11}$/),
        account_id: expect.stringMatching(/^acc_[0-9A-Z]{11}$/),
        status: 'open',
        market_id: market,
        side: 'buy',
        size: '100',
        average_price: '0.42',
        limit_price: '0.45',
        notional: '42',
        fee: '0',
        total: '42',
        odds: '2.380952380952380952',
        stake: '42',
        liability: '42',
        payout: '100',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        created_at: expect.any(String),
        sequence: 2,
        matched_bet_id: null,
      });
      expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(10_000);
      expect(await demo.get(`/quotes/${made.quote_id}`)).toMatchObject({ status: 200, body: made });
      expect((await demo.get(`/markets/${market}/orderbook`)).body.asks).toEqual([
        ['0.4', '60', 1],
        ['0.45', '60', 1],
      ]);
    });
  });
});

const EVENT = { kind: 'event', base_asset: undefined, lot_size: '1' };
