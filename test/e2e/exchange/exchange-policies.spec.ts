import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CoreService,
  FeePolicy,
  RiskCheck,
  type FeeRateOverride,
  TradepostPlugin,
  type ProposedOrder,
  type RiskVerdict,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { accept, createEvent, quote, refusal, totalUsd } from '../../support/clients/exchange-client.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

/** The policy's present answer, and the calls it got. */
const house = {
  taker: '0',
  mostLots: 1_000,
  asked: [] as ProposedOrder[],
};

class TodaysFees extends FeePolicy {
  override ratesFor(order: ProposedOrder): FeeRateOverride {
    house.asked.push(order);
    return { maker: '0', taker: house.taker };
  }
}

class NothingBig extends RiskCheck {
  override review({ sizeLots }: ProposedOrder): RiskVerdict {
    return sizeLots <= house.mostLots
      ? { accepted: true }
      : { accepted: false, message: 'Ask the desk for more.' };
  }
}

@TradepostPlugin({ name: 'house', compatibility: '>=0.1.0', checks: [NothingBig], feePolicies: [TodaysFees] })
class HousePlugin {}

describe('a house with policies of its own', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let market: string;
  let markets = 0;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [HousePlugin] });
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  beforeEach(async () => {
    Object.assign(house, { taker: '0.05', mostLots: 1_000 });
    market = await createEvent(operator, `HOUSE-${++markets}`);
    await maker.place(limit(market, 'sell', '0.40', '1000'));
    house.asked.length = 0;
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  it('quotes its fees, and keeps to them when it has changed its mind', async () => {
    const made = await quote(demo, { market_id: market, side: 'buy', size: '100' });
    expect(made).toMatchObject({ notional: '40', fee: '2', total: '42' });
    house.taker = '0.5';
    const before = await totalUsd(demo);
    expect(await demo.post('/matched-bets/preview', { quote_id: made.quote_id })).toMatchObject({
      body: { fee: '2', total: '42' },
    });
    expect(await accept(demo, made)).toMatchObject({ fee: '2', total: '42' });
    expect(Number(before) - Number(await totalUsd(demo))).toBe(42);
    expect(await quote(demo, { market_id: market, side: 'buy', size: '100' })).toMatchObject({ fee: '20' });
  });

  it('is asked about the order that accepting places, whatever the quote was asked for', async () => {
    await quote(demo, { market_id: market, side: 'buy', size: '100' });
    expect(await quote(demo, { market_id: market, side: 'buy', stake: '40.3' })).toMatchObject({
      size: '100',
      fee: '2',
    });
    const order = {
      marketId: market,
      side: 'buy',
      orderType: 'market',
      timeInForce: 'FOK',
      sizeLots: 100,
      clientOrderId: null,
    };
    expect(house.asked).toMatchObject([order, order]);
    const [first, second] = house.asked;
    expect(first).toEqual(second);
  });

  it('refuses to quote what it does not want, for a size and for a stake', async () => {
    house.mostLots = 50;
    const terms = { market_id: market, side: 'buy' };
    expect(await refusal(demo, '/quotes', { ...terms, size: '51' })).toEqual([422, 'risk_refused']);
    expect(await refusal(demo, '/quotes', { ...terms, stake: '20.4' })).toEqual([422, 'risk_refused']);
    expect(await quote(demo, { ...terms, stake: '20.39' })).toMatchObject({ size: '50' });
  });

  it('may still refuse a bet that it quoted', async () => {
    const { quote_id } = await quote(demo, { market_id: market, side: 'buy', size: '100' });
    house.mostLots = 50;
    expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([422, 'risk_refused']);
    expect(await refusal(demo, '/matched-bets/preview', { quote_id })).toEqual([422, 'risk_refused']);
  });

  it('prices, previews and accepts by itself, through the core', async () => {
    const core = app.app.nest.get(CoreService);
    const { body } = await demo.get('/accounts');
    const accountId = ACCOUNT_IDS.parse(body.data[0].account_id)!;
    const terms = { accountId, marketId: market, side: 'buy', feeRates: null } as const;
    const price = await core.priceQuote({ ...terms, sizeLots: 10 });
    if ('code' in price) throw new Error(price.code);
    const command = {
      ...terms,
      type: 'accept_quote',
      quoteId: 'house-1',
      sizeLots: price.sizeLots,
      notionalBound: '4',
      expiresAtMs: price.timeMs + 60_000,
    } as const;
    expect(await core.preview(command)).toMatchObject({ status: 'filled', filledLots: 10 });
    expect((await core.submit({ commands: [command] })).outcomes).toMatchObject([{ ok: true }]);
    expect((await demo.get(`/matched-bets?market_id=${market}`)).body.data).toMatchObject([
      { quote_id: 'house-1', size: '10', stake: '4' },
    ]);
  });
});
