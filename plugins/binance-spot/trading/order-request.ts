import { parseAmount, type PlaceOrderDto } from '../../../src/index.js';
import {
  BinanceError,
  invalidParameter,
  mandatory,
  newOrderRejected,
  notRequired,
} from '../binance-error.js';
import type { Parameters } from '../parameters.js';

export const SIDES = ['BUY', 'SELL'] as const;
export const TYPES = ['LIMIT', 'MARKET', 'LIMIT_MAKER', 'STOP_LOSS', 'STOP_LOSS_LIMIT'] as const;
export const UNSUPPORTED_TYPES = ['TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'] as const;
const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK'] as const;
const SELF_TRADE_PREVENTIONS = ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;
const CLIENT_ORDER_ID_RANGE = /^[.A-Z:/a-z0-9_-]{1,36}$/;

type OrderType = (typeof TYPES)[number];

/** What the terms of a new order may be sent as. */
export const ORDER_PARAMETERS = [
  'timeInForce',
  'quantity',
  'quoteOrderQty',
  'price',
  'newClientOrderId',
  'stopPrice',
  'trailingDelta',
  'icebergQty',
  'newOrderRespType',
  'selfTradePreventionMode',
  'strategyId',
  'strategyType',
] as const;

/** Parameters that a type must have, and those that it may have; all types may have those of every order. */
const PRICES: Readonly<
  Record<OrderType, { readonly must: readonly string[]; readonly may: readonly string[] }>
> = {
  LIMIT: { must: ['timeInForce', 'quantity', 'price'], may: ['icebergQty'] },
  MARKET: { must: [], may: ['quantity', 'quoteOrderQty'] },
  LIMIT_MAKER: { must: ['quantity', 'price'], may: ['icebergQty'] },
  STOP_LOSS: { must: ['quantity', 'stopPrice'], may: [] },
  STOP_LOSS_LIMIT: { must: ['timeInForce', 'quantity', 'price', 'stopPrice'], may: [] },
};
const GOVERNED = ['timeInForce', 'quantity', 'quoteOrderQty', 'price', 'stopPrice', 'icebergQty'] as const;

const OUR_TYPES = {
  LIMIT: 'limit',
  MARKET: 'market',
  LIMIT_MAKER: 'limit',
  STOP_LOSS: 'stop',
  STOP_LOSS_LIMIT: 'stop_limit',
} as const satisfies Record<OrderType, PlaceOrderDto['type']>;

const OUR_PREVENTIONS = {
  EXPIRE_TAKER: 'cancel_newest',
  EXPIRE_MAKER: 'cancel_oldest',
  EXPIRE_BOTH: 'cancel_both',
} as const;

/** A new order in our terms. Throws the dialect's errors for what is missing, odd, or not to be had here. */
export function placeOrderOf(parameters: Parameters, marketId: string): PlaceOrderDto {
  const side = sideOf(parameters);
  const type = typeOf(parameters);
  requireTerms(parameters, type);
  return {
    market_id: marketId,
    side,
    type: OUR_TYPES[type],
    client_order_id: clientOrderIdOf(parameters, 'newClientOrderId'),
    price: positive(parameters, 'price'),
    size: positive(parameters, 'quantity'),
    quote_size: positive(parameters, 'quoteOrderQty'),
    stop_price: positive(parameters, 'stopPrice'),
    display_size: displaySizeOf(parameters),
    time_in_force: timeInForceOf(parameters, 'timeInForce'),
    self_trade_prevention: preventionOf(parameters),
    post_only: type === 'LIMIT_MAKER' ? true : undefined,
  };
}

export function sideOf(parameters: Parameters): PlaceOrderDto['side'] {
  const side = parameters.oneOf('side', SIDES, () => new BinanceError(-1117, 'Invalid side.'));
  if (side === undefined) throw mandatory('side');
  return side === 'BUY' ? 'buy' : 'sell';
}

export function timeInForceOf(
  parameters: Parameters,
  name: string,
): (typeof TIMES_IN_FORCE)[number] | undefined {
  return parameters.oneOf(name, TIMES_IN_FORCE, () => new BinanceError(-1115, 'Invalid timeInForce.'));
}

export function preventionOf(parameters: Parameters): PlaceOrderDto['self_trade_prevention'] {
  const mode = parameters.oneOf('selfTradePreventionMode', SELF_TRADE_PREVENTIONS, () =>
    invalidParameter('selfTradePreventionMode'),
  );
  return mode === undefined ? undefined : OUR_PREVENTIONS[mode];
}

/** The id that the client gives; `undefined` where it gives none. Throws -1100. */
export function clientOrderIdOf(parameters: Parameters, name: string): string | undefined {
  const id = parameters.text(name);
  if (id !== undefined && !CLIENT_ORDER_ID_RANGE.test(id)) {
    throw new BinanceError(
      -1100,
      `Illegal characters found in parameter '${name}'; legal range is '${CLIENT_ORDER_ID_RANGE.source}'.`,
    );
  }
  return id;
}

function typeOf(parameters: Parameters): OrderType {
  const type = parameters.oneOf(
    'type',
    [...TYPES, ...UNSUPPORTED_TYPES],
    () => new BinanceError(-1116, 'Invalid orderType.'),
  );
  if (type === undefined) throw mandatory('type');
  if (parameters.has('trailingDelta')) throw trailingRejected();
  if (type === 'TAKE_PROFIT' || type === 'TAKE_PROFIT_LIMIT') throw takeProfitRejected(type);
  return type;
}

export function trailingRejected(): BinanceError {
  return newOrderRejected('Trailing stop orders are not supported for this symbol.');
}

export function takeProfitRejected(type: (typeof UNSUPPORTED_TYPES)[number]): BinanceError {
  const orders = type === 'TAKE_PROFIT' ? 'Take profit orders' : 'Take profit limit orders';
  return newOrderRejected(`${orders} are not supported for this symbol.`);
}

function requireTerms(parameters: Parameters, type: OrderType): void {
  const { must, may } = PRICES[type];
  for (const name of must) if (!parameters.has(name)) throw mandatory(name);
  for (const name of GOVERNED) {
    if (parameters.has(name) && !must.includes(name) && !may.includes(name)) throw notRequired(name);
  }
  if (type !== 'MARKET') return;
  const [size, quote] = [parameters.has('quantity'), parameters.has('quoteOrderQty')];
  if (!size && !quote) {
    throw new BinanceError(
      -1102,
      "Param 'quantity' or 'quoteOrderQty' must be sent, but both were empty/null!",
    );
  }
  if (size && quote) throw notRequired('quoteOrderQty');
}

/** Text as it was sent: what is too precise is refused, never rounded. */
export function positive(parameters: Parameters, name: string): string | undefined {
  const text = parameters.decimal(name);
  if (text === undefined) return undefined;
  const value = parseAmount(text);
  if (value === undefined) throw new BinanceError(-1111, `Parameter '${name}' has too much precision.`);
  if (value === 0n) throw new BinanceError(-1013, `Invalid ${name}.`);
  return text;
}

/** An iceberg quantity of 0 says that the order is none. */
export function displaySizeOf(parameters: Parameters, name = 'icebergQty'): string | undefined {
  const text = parameters.decimal(name);
  return text === undefined || parseAmount(text) === 0n ? undefined : text;
}
