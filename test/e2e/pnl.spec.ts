import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type Caller,
  callerFor,
  createMarket,
  expectBalancedBooks,
  type Json,
  limit,
} from './markets-client.js';

describe('fills and P&L', () => {
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

  /** The maker offers or bids, demo takes it. */
  async function demoTrades(
    market: string,
    side: 'buy' | 'sell',
    price: string,
    size: string,
  ): Promise<void> {
    await maker.place(limit(market, side === 'buy' ? 'sell' : 'buy', price, size));
    await demo.place(limit(market, side, price, size));
  }

  async function get(caller: Caller, path: string): Promise<Json> {
    const { status, body } = await caller.get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  it('realizes a partial close by the method that is asked for, and marks the rest', async () => {
    const fees = { maker_fee_rate: '0.001', taker_fee_rate: '0.002' };
    const market = await createMarket(operator, 'PNL-METHODS', fees);
    await demoTrades(market, 'buy', '100', '1');
    await demoTrades(market, 'buy', '110', '1');
    await demoTrades(market, 'sell', '120', '1');
    const groupBy = async (query: string): Promise<Json> =>
      (await get(demo, `/accounts/me/pnl?${query}`)).groups.find((group: Json) => group.market_id === market);
    const common = { asset: 'USD', position_size: '1', fees: '0.66', net_pnl: '29.34', day: null };
    expect(await groupBy('')).toMatchObject({
      ...common,
      mark: { price: '120', source: 'last_price' },
      realized_pnl: '15',
      unrealized_pnl: '15',
      cost_basis: '105',
    });
    expect(await groupBy('method=fifo')).toMatchObject({
      ...common,
      realized_pnl: '20',
      unrealized_pnl: '10',
      cost_basis: '110',
    });
    await maker.place(limit(market, 'buy', '90', '1'));
    expect(await groupBy('')).toMatchObject({
      mark: { price: '90', source: 'best_bid' },
      unrealized_pnl: '-15',
    });
  });
});
