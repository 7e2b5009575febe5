import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import BinanceSpotPlugin from '../../../plugins/binance-spot/index.js';
import FixPlugin from '../../../plugins/fix/index.js';
import {
  FeePolicy,
  RiskCheck,
  TradepostPlugin,
  parseAmount,
  type FeeRateOverride,
  type MarketDefinition,
  type OrderContext,
  type OrderOwner,
  type ProposedOrder,
  type RiskVerdict,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, type Reply, tokenFor } from '../../support/caller.js';
import { fund, newUser } from '../../support/clients/accounts-client.js';
import { createEvent, openAccount } from '../../support/clients/exchange-client.js';
import { FixClient, type FixFields, fixKeyOf, utcTime } from '../../support/clients/fix-client.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import type { UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';

/** What the rules answer now, and what they were asked. */
const house = {
  asked: [] as [string, ProposedOrder][],
  owners: [] as OrderOwner[],
  firstRefuses: false,
  lastRefuses: true,
  lastThrows: false,
  firstRates: null as FeeRateOverride | null,
  lastRates: null as FeeRateOverride | null,
};
const UNWANTED = parseAmount('0.777')!;
const UNWANTED_CONTRACTS = parseAmount('777')!;

function isUnwanted({ sizeLots }: ProposedOrder, { lotSize }: MarketDefinition): boolean {
  const size = BigInt(sizeLots) * lotSize;
  return size === UNWANTED || size === UNWANTED_CONTRACTS;
}

class FirstRule extends RiskCheck {
  override review(order: ProposedOrder, market: MarketDefinition, { owner }: OrderContext): RiskVerdict {
    house.asked.push(['first', order]);
    house.owners.push(owner);
    const accepted = !house.firstRefuses || !isUnwanted(order, market);
    return accepted ? { accepted } : { accepted, message: 'The first does not want it.' };
  }
}

@Injectable()
class LastRule extends RiskCheck {
  override async review(order: ProposedOrder, market: MarketDefinition): Promise<RiskVerdict> {
    house.asked.push(['last', order]);
    if (house.lastThrows) throw new Error('the rule is broken');
    const accepted = !house.lastRefuses || !isUnwanted(order, market);
    return accepted ? { accepted } : { accepted, message: 'The last does not want it.' };
  }
}

class FirstFees extends FeePolicy {
  override ratesFor(
    _order: ProposedOrder,
    _market: MarketDefinition,
    { owner }: OrderContext,
  ): FeeRateOverride | null {
    return owner.user === 'client:demo' ? house.firstRates : null;
  }
}

class LastFees extends FeePolicy {
  override ratesFor(): FeeRateOverride | null {
    return house.lastRates;
  }
}

@TradepostPlugin({ name: 'first', compatibility: '>=0.1.0', checks: [FirstRule], feePolicies: [FirstFees] })
class FirstPlugin {}

@TradepostPlugin({ name: 'last', compatibility: '>=0.1.0', checks: [LastRule], feePolicies: [LastFees] })
class LastPlugin {}

const MARKET = 'RULES-USD';

describe('the rules of several plugins', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let trader: UserCaller;
  let event: string;

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [FirstPlugin, FixPlugin, BinanceSpotPlugin, LastPlugin],
      rateLimits: 'off',
      environment: { FIX_PORT: '0', BINANCE_SPOT_WEIGHT_PER_MINUTE: '1000000' },
    });
    [demo, maker, operator] = (await Promise.all(
      ['demo', 'maker', 'admin'].map((name) => callerFor(app.url, name)),
    )) as [Caller, Caller, Caller];
    await createMarket(operator, MARKET);
    event = await createEvent(operator, 'RULES-EVENT');
    await maker.place(limit(event, 'sell', '0.40', '2000'));
    await maker.place(limit(MARKET, 'sell', '200', '50'));
    trader = await newUser(app, 'trader');
    const accountId = (await trader.get('/accounts')).body.data[0].account_id;
    await fund(app, accountId, '1000000');
    await fund(app, accountId, '10', 'BTC');
  });
  beforeEach(() => {
    Object.assign(house, {
      asked: [],
      owners: [],
      firstRefuses: false,
      lastRefuses: true,
      lastThrows: false,
      firstRates: null,
      lastRates: null,
    });
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const order = (size: string, more: Json = {}): Json => limit(MARKET, 'buy', '100', size, more);
  const exits = (size: string): Json[] => [
    limit(MARKET, 'sell', '300', size),
    { market_id: MARKET, side: 'sell', type: 'stop', stop_price: '50', size },
  ];
  const resting = async (): Promise<string> => (await demo.place(order('0.5'))).order_id;
  const quoted = async (): Promise<string> => {
    house.lastRefuses = false;
    const { body } = await demo.post('/quotes', { market_id: event, side: 'buy', size: '777' });
    house.lastRefuses = true;
    return body.quote_id;
  };
  const refused = {
    status: 422,
    body: { error: { code: 'risk_refused', message: 'The last does not want it.' } },
  };

  const WAYS: Record<string, () => Promise<Reply>> = {
    'POST /orders': () => demo.post('/orders', order('0.777')),
    'POST /orders by the account of another key': async () =>
      demo.post('/orders', order('0.777', { account_id: await openAccount(operator, 'demo') })),
    'POST /orders, a market order': () =>
      demo.post('/orders', { market_id: MARKET, side: 'buy', type: 'market', size: '0.777' }),
    'POST /orders, a stop': () =>
      demo.post('/orders', {
        market_id: MARKET,
        side: 'buy',
        type: 'stop',
        stop_price: '300',
        size: '0.777',
      }),
    'POST /orders, a trailing stop': () =>
      demo.post('/orders', {
        market_id: MARKET,
        side: 'sell',
        type: 'trailing_stop',
        trailing_percent: '5',
        size: '0.777',
      }),
    'POST /orders/preview': () => demo.post('/orders/preview', order('0.777')),
    'POST /orders/{order_id}/replace': async () =>
      demo.post(`/orders/${await resting()}/replace`, {
        side: 'buy',
        type: 'limit',
        price: '99',
        size: '0.777',
      }),
    'POST /orders/{order_id}/replace/preview': async () =>
      demo.post(`/orders/${await resting()}/replace/preview`, {
        side: 'buy',
        type: 'limit',
        price: '99',
        total_size: '0.777',
      }),
    'PATCH /orders/{order_id}': async () => demo.patch(`/orders/${await resting()}`, { size: '0.777' }),
    'PATCH /orders/{order_id}, its price': async () => {
      house.lastRefuses = false;
      const { order_id: id } = await demo.place(order('0.777'));
      house.lastRefuses = true;
      return demo.patch(`/orders/${id}`, { price: '99' });
    },
    'POST /orders/{order_id}/amend/preview': async () =>
      demo.post(`/orders/${await resting()}/amend/preview`, { size: '0.777' }),
    'POST /order-lists, one cancels the other': () =>
      demo.post('/order-lists', { type: 'oco', orders: exits('0.777') }),
    'POST /order-lists, a bracket': () =>
      demo.post('/order-lists', { type: 'bracket', orders: [order('0.777'), ...exits('0.777')] }),
    'POST /order-lists/preview': () =>
      demo.post('/order-lists/preview', { type: 'oco', orders: exits('0.777') }),
    'POST /quotes/mass': () =>
      demo.post('/quotes/mass', {
        quotes: [
          { market_id: MARKET, bid: { price: '90', size: '0.5' }, ask: { price: '400', size: '0.777' } },
        ],
      }),
    'POST /quotes': () => demo.post('/quotes', { market_id: event, side: 'buy', size: '777' }),
    'POST /matched-bets': async () => demo.post('/matched-bets', { quote_id: await quoted() }),
    'POST /matched-bets/preview': async () =>
      demo.post('/matched-bets/preview', { quote_id: await quoted() }),
  };

  it.each(Object.entries(WAYS))('see what comes by %s', async (_way, send) => {
    expect(await send()).toMatchObject(refused);
    const last = house.asked.at(-1)![1];
    expect(house.asked.at(-2)).toEqual(['first', last]);
    expect(house.owners.at(-1)).toMatchObject({ user: 'client:demo', level: 0, country: null, groups: [] });
  });

  it('see each order of a batch by itself', async () => {
    const { status, body } = await demo.post('/orders/batch', {
      orders: [order('0.5'), order('0.777'), order('0.6')],
    });
    expect(status).toBe(200);
    expect(body.results.map(({ order: placed, error }: Json) => error?.code ?? placed.size)).toEqual([
      '0.5',
      'risk_refused',
      '0.6',
    ]);
  });

  it('see what comes by a socket: an order, a batch, an amendment', async () => {
    const socket: Socket = io(`${app.url}/account`, {
      transports: ['websocket'],
      forceNew: true,
      auth: { token: await tokenFor(app.url, 'demo') },
    });
    const say = (event: string, message: Json): Promise<Json> =>
      socket.timeout(30_000).emitWithAck(event, message);
    expect(await say('orders.place', order('0.777'))).toMatchObject(refused.body);
    const { data } = await say('orders.batch', { orders: [order('0.777'), order('0.5')] });
    expect(data.results).toMatchObject([{ error: { code: 'risk_refused' } }, { order: { size: '0.5' } }]);
    const amendment = { order_id: await resting(), size: '0.777' };
    expect(await say('orders.amend', amendment)).toMatchObject(refused.body);
    socket.close();
  });

  it('see what comes by FIX: a new order, and one that replaces another', async () => {
    const port = app.app.nest.get(FixListener, { strict: false }).port!;
    const client = await FixClient.connect(port, 'DESK', await fixKeyOf(trader));
    await client.logOn();
    const fields = (id: string, size: string): FixFields => ({
      11: id,
      55: 'BTC-USD',
      54: 1,
      60: utcTime(),
      40: 2,
      38: size,
      44: '100',
      59: 1,
    });
    client.send('D', fields('small', '0.5'));
    await client.expect({ 35: 8, 11: 'small', 150: 0 });
    client.send('D', fields('unwanted', '0.777'));
    expect(await client.expect({ 35: 8, 11: 'unwanted', 150: 8 })).toMatchObject({
      58: expect.stringContaining('The last'),
    });
    client.send('G', { ...fields('changed', '0.777'), 41: 'small' });
    expect(await client.expect({ 35: 9, 11: 'changed' })).toMatchObject({
      58: expect.stringContaining('The last'),
    });
    client.close();
  });

  it('see what comes in the dialect of Binance: an order, a pair, a replacement', async () => {
    const { body: key } = await trader.post('/auth/api-keys', {
      name: 'bot',
      scopes: ['markets:trade', 'account:read'],
      signing: 'hmac-sha256',
    });
    const ask = async (path: string, more: Record<string, string>): Promise<Json> => {
      const terms = { symbol: 'BTCUSD', side: 'BUY', timestamp: String(Date.now()), ...more };
      const query = new URLSearchParams(terms).toString();
      const signature = createHmac('sha256', key.secret as string)
        .update(query)
        .digest('hex');
      const response = await fetch(`${app.url}/binance/api/v3/${path}?${query}&signature=${signature}`, {
        method: 'POST',
        headers: { 'X-MBX-APIKEY': key.api_key as string },
      });
      return { status: response.status, body: await response.json() };
    };
    const gtc = { type: 'LIMIT', timeInForce: 'GTC', price: '100' };
    const unwanted = { status: 400, body: { msg: expect.stringContaining('The last') } };
    expect(await ask('order', { ...gtc, quantity: '0.777' })).toMatchObject(unwanted);
    const oco = {
      side: 'SELL',
      aboveType: 'LIMIT_MAKER',
      abovePrice: '90000',
      belowType: 'STOP_LOSS',
      belowStopPrice: '50',
    };
    expect(await ask('orderList/oco', { ...oco, quantity: '0.777' })).toMatchObject(unwanted);
    const placed = await ask('order', { ...gtc, quantity: '0.5' });
    expect(placed.status, JSON.stringify(placed.body)).toBe(200);
    const replacement = { cancelReplaceMode: 'STOP_ON_FAILURE', cancelOrderId: String(placed.body.orderId) };
    const replaced = await ask('order/cancelReplace', { ...gtc, ...replacement, quantity: '0.777' });
    expect(JSON.stringify(replaced.body)).toContain('The last');
  });

  it('are all asked, and the first that refuses answers', async () => {
    house.firstRefuses = true;
    expect(await demo.post('/orders', order('0.777'))).toMatchObject({
      status: 422,
      body: { error: { message: 'The first does not want it.' } },
    });
    expect(house.asked.map(([name]) => name)).toEqual(['first', 'last']);
    house.lastThrows = true;
    expect((await demo.post('/orders', order('0.777'))).status).toBe(422);
    house.firstRefuses = false;
    expect(await demo.post('/orders', order('0.777'))).toMatchObject({
      status: 500,
      body: { error: { code: 'internal_error' } },
    });
    const { body } = await demo.get('/orders?limit=200');
    expect(
      body.data.filter(
        ({ size, side, type }: Json) => size === '0.777' && side === 'buy' && type === 'market',
      ),
    ).toEqual([]);
  });

  it('give an amended order as it will be', async () => {
    const { order_id: id } = await demo.place(
      order('0.5', { client_order_id: 'amended', display_size: '0.1' }),
    );
    house.asked.length = 0;
    expect((await demo.patch(`/orders/${id}`, { price: '98', size: '0.4' })).status).toBe(200);
    expect(house.asked).toEqual([
      [
        'first',
        expect.objectContaining({
          priceTicks: 9_800,
          sizeLots: 400,
          displayLots: 100,
          clientOrderId: 'amended',
        }),
      ],
      [
        'last',
        expect.objectContaining({
          priceTicks: 9_800,
          sizeLots: 400,
          displayLots: 100,
          clientOrderId: 'amended',
        }),
      ],
    ]);
  });

  it('leave the fees to the first policy that has rates, and else to the schedules', async () => {
    const feesOf = async (caller: Caller): Promise<Json> =>
      (await caller.get('/accounts/me/fees?limit=200')).body.data.find(
        ({ market_id }: Json) => market_id === MARKET,
      );
    const own = await feesOf(demo);
    house.lastRates = { maker: '0', taker: '0.02' };
    expect(await feesOf(demo)).toMatchObject({ taker_fee_rate: '0.02', schedule: null });
    house.firstRates = { maker: '0', taker: '0.01' };
    expect(await feesOf(demo)).toMatchObject({ taker_fee_rate: '0.01' });
    expect(await feesOf(maker)).toMatchObject({ taker_fee_rate: '0.02' });
    const taken = await demo.place({ market_id: MARKET, side: 'buy', type: 'market', size: '1' });
    expect(taken).toMatchObject({ status: 'filled', fees: '2' });
    Object.assign(house, { firstRates: null, lastRates: null });
    expect(await feesOf(demo)).toEqual({ ...own, volume_30d: '200' });
    const schedule = { tiers: [{ volume_30d: '0', maker_fee_rate: '0', taker_fee_rate: '0.03' }] };
    const made = await operator.send('PUT', '/admin/fee-schedules/default', JSON.stringify(schedule));
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
    expect(await feesOf(demo)).toMatchObject({ taker_fee_rate: '0.03', schedule: 'default' });
    const scheduled = await demo.place({ market_id: MARKET, side: 'buy', type: 'market', size: '1' });
    expect(scheduled).toMatchObject({ fees: '6' });
  });

  it('know the owner of the account, whoever acts on it, and what changes of the owner', async () => {
    const { account_id: account } = (await trader.get('/accounts')).body.data[0];
    await trader.post('/orders', limit('BTC-USD', 'buy', '100', '0.5'));
    const [user] = house.owners;
    expect(user).toEqual({
      user: expect.stringMatching(/^user:\d+$/),
      account,
      level: 0,
      country: null,
      groups: [],
    });
    const lastKnown = async (): Promise<OrderOwner> => {
      const { status } = await trader.post('/orders/preview', limit('BTC-USD', 'buy', '100', '0.5'));
      expect(status).toBe(200);
      return house.owners.at(-1)!;
    };
    await approvedKyc(trader, operator, { address: { country: 'PT' } });
    await eventually(async () => expect(await lastKnown()).toMatchObject({ level: 1, country: 'PT' }));
    await approvedKyc(trader, operator, { address: { country: 'DE' } });
    await eventually(async () => expect(await lastKnown()).toMatchObject({ level: 1, country: 'DE' }));
  });
});
