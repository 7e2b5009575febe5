import { parseAmount, type PlaceOrderListDto } from '../../../src/index.js';
import { BinanceError, mandatory, newOrderRejected, notRequired } from '../binance-error.js';
import type { Parameters } from '../parameters.js';
import {
  clientOrderIdOf,
  displaySizeOf,
  positive,
  preventionOf,
  sideOf,
  takeProfitRejected,
  timeInForceOf,
  trailingRejected,
  UNSUPPORTED_TYPES,
} from './order-request.js';

const OCO_TYPES = ['LIMIT_MAKER', 'STOP_LOSS', 'STOP_LOSS_LIMIT'] as const;
const LEGS = ['above', 'below'] as const;
type Leg = (typeof LEGS)[number];

const LIST_PARAMETERS = ['listClientOrderId', 'newOrderRespType', 'selfTradePreventionMode'] as const;
const LEG_PARAMETERS = [
  'ClientOrderId',
  'IcebergQty',
  'Price',
  'StopPrice',
  'TrailingDelta',
  'TimeInForce',
  'StrategyId',
  'StrategyType',
] as const;

/** What a pair may be sent as, beside what it must have. */
export const OCO_PARAMETERS = [
  ...LIST_PARAMETERS,
  ...LEGS.flatMap((leg) => LEG_PARAMETERS.map((name) => `${leg}${name}`)),
];

/** The same in the form from before. */
export const OLDER_OCO_PARAMETERS = [
  ...LIST_PARAMETERS,
  'limitClientOrderId',
  'limitStrategyId',
  'limitStrategyType',
  'limitIcebergQty',
  'trailingDelta',
  'stopClientOrderId',
  'stopStrategyId',
  'stopStrategyType',
  'stopLimitPrice',
  'stopIcebergQty',
  'stopLimitTimeInForce',
];

/** Under which names the terms of the two orders are sent. */
interface OcoNames {
  readonly limitPrice: string;
  readonly stopPrice: string;
  /** Undefined for a stop that becomes a market order. */
  readonly stopLimitPrice: string | undefined;
  readonly timeInForce: string;
  readonly clientOrderIds: readonly string[];
  readonly icebergs: readonly string[];
}

/** A pair of exits in our terms, of which the client says which is above. Throws the dialect's errors. */
export function placeOcoOf(parameters: Parameters, marketId: string): PlaceOrderListDto {
  const isSell = sideOf(parameters) === 'sell';
  const types = { above: legTypeOf(parameters, 'above'), below: legTypeOf(parameters, 'below') };
  const [limit, stop]: [Leg, Leg] = isSell ? ['above', 'below'] : ['below', 'above'];
  requirePlaces(types[limit], types[stop], isSell);
  if (LEGS.some((leg) => parameters.has(`${leg}TrailingDelta`))) throw trailingRejected();
  const isLimited = types[stop] === 'STOP_LOSS_LIMIT';
  const unused = [`${limit}StopPrice`, `${limit}TimeInForce`];
  if (!isLimited) unused.push(`${stop}Price`, `${stop}TimeInForce`);
  for (const name of unused) if (parameters.has(name)) throw notRequired(name);
  return listOf(parameters, marketId, {
    limitPrice: `${limit}Price`,
    stopPrice: `${stop}StopPrice`,
    stopLimitPrice: isLimited ? `${stop}Price` : undefined,
    timeInForce: `${stop}TimeInForce`,
    clientOrderIds: LEGS.map((leg) => `${leg}ClientOrderId`),
    icebergs: LEGS.map((leg) => `${leg}IcebergQty`),
  });
}

/** As `placeOcoOf`, of the form from before. */
export function placeOlderOcoOf(parameters: Parameters, marketId: string): PlaceOrderListDto {
  if (parameters.has('trailingDelta')) throw trailingRejected();
  const isLimited = parameters.has('stopLimitPrice');
  if (!isLimited && parameters.has('stopLimitTimeInForce')) throw notRequired('stopLimitTimeInForce');
  return listOf(parameters, marketId, {
    limitPrice: 'price',
    stopPrice: 'stopPrice',
    stopLimitPrice: isLimited ? 'stopLimitPrice' : undefined,
    timeInForce: 'stopLimitTimeInForce',
    clientOrderIds: ['limitClientOrderId', 'stopClientOrderId'],
    icebergs: ['limitIcebergQty', 'stopIcebergQty'],
  });
}

function legTypeOf(parameters: Parameters, leg: Leg): (typeof OCO_TYPES)[number] {
  const type = parameters.oneOf(
    `${leg}Type`,
    [...OCO_TYPES, ...UNSUPPORTED_TYPES],
    () => new BinanceError(-1158, 'Order type not supported in OCO.'),
  );
  if (type === undefined) throw mandatory(`${leg}Type`);
  if (type === 'TAKE_PROFIT' || type === 'TAKE_PROFIT_LIMIT') throw takeProfitRejected(type);
  return type;
}

/** A pair that sells has its limit order above and its stop below, one that buys the other way round. */
function requirePlaces(limitType: string, stopType: string, isSell: boolean): void {
  if (limitType === 'LIMIT_MAKER' && stopType === 'LIMIT_MAKER') {
    throw new BinanceError(-1168, 'At least one OCO order must be contingent.');
  }
  if (stopType === 'LIMIT_MAKER') {
    throw isSell
      ? new BinanceError(-1166, 'A limit order in a sell OCO must be above.')
      : new BinanceError(-1165, 'A limit order in a buy OCO must be below.');
  }
  if (limitType !== 'LIMIT_MAKER') {
    throw isSell
      ? new BinanceError(-1197, 'A stop loss order in a sell OCO must be below.')
      : new BinanceError(-1196, 'A stop loss order in a buy OCO must be above.');
  }
}

function listOf(parameters: Parameters, marketId: string, names: OcoNames): PlaceOrderListDto {
  const required = [names.limitPrice, names.stopPrice];
  if (names.stopLimitPrice !== undefined) required.push(names.stopLimitPrice, names.timeInForce);
  for (const name of required) if (!parameters.has(name)) throw mandatory(name);
  const timeInForce = timeInForceOf(parameters, names.timeInForce);
  const hasIceberg = names.icebergs.some((name) => displaySizeOf(parameters, name) !== undefined);
  // Exits are good till cancelled, and show all of their size.
  if (hasIceberg || (timeInForce !== undefined && timeInForce !== 'GTC')) {
    throw new BinanceError(-1014, 'Unsupported order combination.');
  }
  // Orders of a list have our ids alone.
  if (names.clientOrderIds.some((name) => parameters.has(name))) {
    throw new BinanceError(-1020, 'This operation is not supported.');
  }
  const side = sideOf(parameters);
  const terms = {
    market_id: marketId,
    side,
    size: positive(parameters, 'quantity')!,
    self_trade_prevention: preventionOf(parameters),
  };
  const price = positive(parameters, names.limitPrice)!;
  const stopPrice = positive(parameters, names.stopPrice)!;
  const [high, low] = side === 'sell' ? [price, stopPrice] : [stopPrice, price];
  if (parseAmount(high)! <= parseAmount(low)!) {
    throw newOrderRejected('The relationship of the prices for the orders is not correct.');
  }
  const stop =
    names.stopLimitPrice === undefined
      ? ({ type: 'stop' } as const)
      : ({ type: 'stop_limit', price: positive(parameters, names.stopLimitPrice)! } as const);
  return {
    type: 'oco',
    client_order_list_id: clientOrderIdOf(parameters, 'listClientOrderId'),
    orders: [
      { ...terms, type: 'limit', price, post_only: true },
      { ...terms, ...stop, stop_price: stopPrice },
    ],
  };
}
