import { beforeEach, describe, expect, it } from 'vitest';
import { Differential } from '../../../test/support/domain/differential.js';
import { spot } from '../../../test/support/domain/markets.js';
import { type Bounds, BOUNDS } from './bounds.js';
import type { PlaceOrder } from './commands.js';

const MARKET = 'BTC-USD';
const RICH = ['USD', 'BTC'] as const;

let exchange: Differential;
let bob: number;
/** Two accounts of Ann's, one of a user whom she made, and one of a user whom that one made. */
let ann: number;
let annsOther: number;
let made: number;
let madeByMade: number;

function start(bounds: Partial<Bounds> = {}): void {
  exchange = new Differential(0, { ...BOUNDS, ...bounds });
  for (const asset of RICH) exchange.openAsset(asset, 8);
  exchange.openMarket(spot());
  [bob, ann, annsOther, made, madeByMade] = [
    account('bob'),
    account('ann'),
    account('anns other', 'user:ann'),
    account('made', 'user:made', 'user:ann'),
    account('made by made', 'user:made by made', 'user:ann'),
  ];
}

function account(name: string, owner?: string, root?: string): number {
  const accountId = exchange.openAccount(name, owner, root);
  for (const asset of RICH) {
    exchange.apply({
      type: 'move_money',
      debit: { rail: 'bank' },
      credit: { accountId },
      asset,
      amount: '1000000',
      reason: 'deposit',
      reference: '',
    });
  }
  return accountId;
}

/** The status of the order, or the code of its refusal. */
function place(accountId: number, terms: Partial<PlaceOrder>): string {
  const outcome = exchange.apply({
    type: 'place_order',
    accountId,
    marketId: MARKET,
    side: 'buy',
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: 100,
    stopPriceTicks: null,
    sizeLots: 1,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
    ...terms,
  });
  if (!outcome.ok) return outcome.refusal.code;
  return outcome.result.type === 'order' ? outcome.result.order.status : outcome.result.type;
}

const stop = (stopPriceTicks: number): Partial<PlaceOrder> => ({
  orderType: 'stop',
  priceTicks: null,
  stopPriceTicks,
});
const trailing: Partial<PlaceOrder> = { orderType: 'trailing_stop', priceTicks: null, trailingTicks: 5 };

beforeEach(() => {
  start();
});

describe('the accounts of a person, and of the users whom that person made', () => {
  it('have no more open orders together than one may have', () => {
    exchange.apply({
      type: 'configure_limits',
      openOrdersMax: 100,
      openStopsMax: 100,
      ownerOpenOrdersMax: 4,
      ownerOpenStopsMax: 2,
    });
    expect([ann, annsOther, made, madeByMade].map((one) => place(one, {}))).toEqual(Array(4).fill('open'));
    for (const one of [ann, annsOther, made, madeByMade, account('new', 'user:new', 'user:ann')])
      expect(place(one, {})).toBe('too_many_open_orders');
    expect(place(bob, {})).toBe('open');
    exchange.apply({ type: 'cancel_all_orders', accountId: made, marketId: null });
    expect(place(annsOther, {})).toBe('open');
  });

  it('have no more stops together than one may have, which count until they run', () => {
    exchange.apply({
      type: 'configure_limits',
      openOrdersMax: 100,
      openStopsMax: 100,
      ownerOpenOrdersMax: 100,
      ownerOpenStopsMax: 2,
    });
    expect([ann, made].map((one) => place(one, stop(200)))).toEqual(['untriggered', 'untriggered']);
    expect(place(annsOther, stop(200))).toBe('too_many_open_orders');
    expect(place(annsOther, {})).toBe('open');
    expect(place(bob, stop(200))).toBe('untriggered');
    place(bob, { side: 'sell', priceTicks: 210, sizeLots: 9 });
    expect(place(account('dan'), { priceTicks: 210 })).toBe('filled');
    expect(place(annsOther, stop(300))).toBe('untriggered');
  });

  it('leave to others as much of a side of a book as they have, however many they are', () => {
    start({ lots: 100 });
    for (const one of [ann, annsOther, made, madeByMade])
      for (let n = 0; n < 20; n++) place(one, { sizeLots: 3 });
    expect(exchange.state.markets.get(MARKET)!.book.bids.totalLots).toBe(48);
    expect(place(bob, { sizeLots: 26 })).toBe('open');
    expect(place(bob, { side: 'sell', priceTicks: 101, sizeLots: 50 })).toBe('open');
  });

  it('leave to others as many trailing stops of a side as they have', () => {
    start({ trailingStops: 9 });
    place(bob, { side: 'sell' });
    place(account('dan'), {});
    const placed = [ann, annsOther, made, madeByMade, ann, annsOther].map((one) => place(one, trailing));
    expect(placed.filter((status) => status === 'untriggered')).toHaveLength(4);
    expect(place(bob, trailing)).toBe('untriggered');
    expect(place(bob, { ...trailing, side: 'sell' })).toBe('untriggered');
  });

  it('wait with their triggered stops for others, who are after them', () => {
    start({ triggersPerCommand: 6, triggersPerTurn: 2 });
    for (const one of [ann, annsOther, made, madeByMade]) for (let n = 0; n < 10; n++) place(one, stop(200));
    place(bob, stop(200));
    place(account('dan'), { side: 'sell', priceTicks: 200, sizeLots: 100 });
    place(account('eve'), { priceTicks: 200 });
    const takers = exchange.tradesInBatch.map(
      ({ takerOrderId }) => exchange.orderById(takerOrderId).accountId,
    );
    // The buyer, two of Ann's, whose turn it is first, the one of Bob's, and Ann's again.
    expect(takers.slice(1)).toEqual([ann, ann, bob, ann, ann, ann]);
  });
});

describe('the accounts of one owner', () => {
  it.each(['cancel_newest', 'cancel_oldest', 'cancel_both', 'decrement'] as const)(
    'do not trade with each other: %s',
    (selfTradePrevention) => {
      place(ann, { sizeLots: 2 });
      place(bob, { priceTicks: 99 });
      place(annsOther, { side: 'sell', priceTicks: 99, selfTradePrevention });
      expect(exchange.tradesInBatch.map(({ priceTicks }) => priceTicks)).toEqual(
        selfTradePrevention === 'cancel_oldest' ? [99] : [],
      );
    },
  );

  it('are no liquidity for each other, but for the users whom they made', () => {
    place(ann, {});
    const sell: Partial<PlaceOrder> = {
      side: 'sell',
      orderType: 'market',
      timeInForce: 'IOC',
      priceTicks: null,
    };
    expect(place(annsOther, { ...sell, selfTradePrevention: 'decrement' })).toBe('cancelled');
    place(ann, {});
    expect(place(made, sell)).toBe('filled');
  });
});
