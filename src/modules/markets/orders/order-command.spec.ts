import { describe, expect, it } from 'vitest';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { amountOf } from '../../../domain/money/amount.js';
import { combinationErrors, toAmendOrder, toPlaceOrder } from './order-command.js';
import type { PlaceOrderDto } from './place-order.dto.js';

const MARKET = {
  marketId: 'BTC-USD',
  tickSize: amountOf('0.01'),
  lotSize: amountOf('0.001'),
  maxSizeLots: 1_000_000,
  priceMaxTicks: 10_000_000,
} as MarketDefinition;

const LIMIT: PlaceOrderDto = {
  market_id: 'BTC-USD',
  side: 'buy',
  type: 'limit',
  price: '100.50',
  size: '1.5',
};

function fieldsOf(order: PlaceOrderDto): string[] {
  return combinationErrors(order).map((error) => error.field);
}

describe('combinationErrors', () => {
  it.each<[string, Partial<PlaceOrderDto>, string[]]>([
    ['a plain limit order', {}, []],
    ['a limit order without a price', { price: undefined }, ['price']],
    ['a market order', { type: 'market', price: undefined }, []],
    ['a market order with a price', { type: 'market' }, ['price']],
    ['a stop without its stop price', { type: 'stop', price: undefined }, ['stop_price']],
    ['a stop limit', { type: 'stop_limit', stop_price: '101' }, []],
    ['a limit order with a stop price', { stop_price: '101' }, ['stop_price']],
    ['a limit order with a trigger', { trigger: 'last' }, ['trigger']],
    ['a limit order that trails', { trailing_offset: '1' }, ['trailing_offset']],
    ['a limit order that trails by a share', { trailing_percent: '1' }, ['trailing_percent']],
    ['a trailing stop without a distance', { type: 'trailing_stop', price: undefined }, ['trailing_percent']],
    ['a trailing stop', { type: 'trailing_stop', price: undefined, trailing_offset: '1' }, []],
    ['a trailing stop by a share', { type: 'trailing_stop', price: undefined, trailing_percent: '1' }, []],
    [
      'a trailing stop with two distances',
      { type: 'trailing_stop', price: undefined, trailing_offset: '1', trailing_percent: '1' },
      ['trailing_offset'],
    ],
    [
      'a trailing stop by the mark price, at a price',
      { type: 'trailing_stop', trailing_offset: '1', trigger: 'mark', stop_price: '5' },
      ['price', 'stop_price', 'trigger'],
    ],
    ['GTD without an expiry', { time_in_force: 'GTD' }, ['expires_at']],
    ['an expiry without GTD', { expires_at: '2030-01-01T00:00:00Z' }, ['expires_at']],
    ['GTD with its expiry', { time_in_force: 'GTD', expires_at: '2030-01-01T00:00:00Z' }, []],
    [
      'a market order until a day',
      { type: 'market', price: undefined, time_in_force: 'GTD', expires_at: '2030-01-01T00:00:00Z' },
      ['time_in_force'],
    ],
    ['post-only that cannot rest', { post_only: true, time_in_force: 'IOC' }, ['post_only']],
    ['post-only that rests', { post_only: true }, []],
    ['a limit order without a size', { size: undefined }, ['size']],
    ['a limit order by what it may spend', { size: undefined, quote_size: '100' }, ['quote_size']],
    ['a size and what may be spent', { type: 'market', price: undefined, quote_size: '100' }, ['size']],
    ['what may be spent', { type: 'market', price: undefined, size: undefined, quote_size: '100' }, []],
    [
      'all or nothing of what may be spent',
      { type: 'market', price: undefined, size: undefined, quote_size: '100', time_in_force: 'FOK' },
      ['quote_size'],
    ],
  ])('finds what does not go together in %s', (_name, fields, expected) => {
    expect(fieldsOf({ ...LIMIT, ...fields })).toEqual(expected);
  });

  it('takes null for a field that is left out', () => {
    expect(fieldsOf({ ...LIMIT, stop_price: null, expires_at: null } as unknown as PlaceOrderDto)).toEqual(
      [],
    );
  });
});

describe('toPlaceOrder', () => {
  it('lets an order that says what it may spend become as large as the market allows', () => {
    const { price: _price, size: _size, ...order } = LIMIT;
    const market = { ...MARKET, maxSizeLots: 500 };
    expect(toPlaceOrder({ ...order, type: 'market', quote_size: '100.50' }, market, 7)).toMatchObject({
      orderType: 'market',
      priceTicks: null,
      sizeLots: 500,
      quoteSize: '100.5',
    });
  });

  it('counts the distance of a trailing stop in ticks, or in hundredths of a percent', () => {
    const trailing: PlaceOrderDto = { ...LIMIT, type: 'trailing_stop', price: undefined };
    const placed = (more: Partial<PlaceOrderDto>) => toPlaceOrder({ ...trailing, ...more }, MARKET, 7);
    expect(placed({ trailing_offset: '1.25' })).toMatchObject({ trailingTicks: 125 });
    expect(placed({ trailing_percent: '2.5' })).toMatchObject({ trailingBps: 250 });
    expect(placed({ trailing_percent: '0.01' })).toMatchObject({ trailingBps: 1 });
    expect(placed({ trailing_offset: '1.255' })).toMatchObject({ code: 'invalid_tick' });
  });

  it('counts ticks and lots, and fills in the defaults', () => {
    expect(toPlaceOrder(LIMIT, MARKET, 7)).toEqual({
      type: 'place_order',
      accountId: 7,
      marketId: 'BTC-USD',
      side: 'buy',
      orderType: 'limit',
      timeInForce: 'GTC',
      priceTicks: 10_050,
      stopPriceTicks: null,
      sizeLots: 1_500,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
    });
  });

  it.each<[Partial<PlaceOrderDto>, string]>([
    [{ price: '100.505' }, 'invalid_tick'],
    [{ price: '999999999999999999' }, 'price_out_of_range'],
    [{ type: 'stop_limit', stop_price: '1.001' }, 'invalid_tick'],
    [{ size: '0.0005' }, 'invalid_lot'],
    [{ size: '999999999999999999' }, 'size_out_of_range'],
    [{ price: '100.505', size: '0.0005' }, 'invalid_tick'],
  ])('refuses %j with %s', (fields, code) => {
    expect(toPlaceOrder({ ...LIMIT, ...fields }, MARKET, 7)).toMatchObject({ code });
  });
});

describe('toAmendOrder', () => {
  it('leaves alone what is not given', () => {
    expect(toAmendOrder({ size: '2' }, MARKET, 7, 9)).toEqual({
      type: 'amend_order',
      accountId: 7,
      orderId: 9,
      priceTicks: null,
      sizeLots: 2_000,
    });
  });

  it('refuses figures that the market cannot count', () => {
    expect(toAmendOrder({ price: '1.001' }, MARKET, 7, 9)).toMatchObject({ code: 'invalid_tick' });
    expect(toAmendOrder({ size: '1.0001' }, MARKET, 7, 9)).toMatchObject({ code: 'invalid_lot' });
  });
});
