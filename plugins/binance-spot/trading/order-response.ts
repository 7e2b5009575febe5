import {
  parseAmount,
  type FillDto,
  type OrderDto,
  type OrderWithFillsDto,
  ORDER_IDS,
  ORDER_LIST_IDS,
} from '../../../src/index.js';
import { productOf, sumOf, tradeNumberOf } from '../trades.js';

const STATUSES = {
  open: 'NEW',
  untriggered: 'NEW',
  partially_filled: 'PARTIALLY_FILLED',
  filled: 'FILLED',
  cancelled: 'CANCELED',
  expired: 'EXPIRED',
  rejected: 'REJECTED',
} as const satisfies Record<OrderDto['status'], string>;

const PREVENTIONS: Readonly<Record<OrderDto['self_trade_prevention'], string>> = {
  cancel_newest: 'EXPIRE_TAKER',
  cancel_oldest: 'EXPIRE_MAKER',
  cancel_both: 'EXPIRE_BOTH',
  decrement: 'DECREMENT',
};

/** Not in a list of orders. */
export const NO_LIST = -1;

export function orderNumberOf(orderId: string): number {
  return ORDER_IDS.parse(orderId)!;
}

/** Every order of the dialect has one: where the client gave none, it is our own id. */
export function clientIdOf(order: Pick<OrderDto, 'order_id' | 'client_order_id'>): string {
  return order.client_order_id ?? order.order_id;
}

export function orderTypeOf({ type, post_only: postOnly }: Pick<OrderDto, 'type' | 'post_only'>): string {
  switch (type) {
    case 'limit':
      return postOnly ? 'LIMIT_MAKER' : 'LIMIT';
    case 'market':
      return 'MARKET';
    case 'stop':
      return 'STOP_LOSS';
    default:
      return 'STOP_LOSS_LIMIT';
  }
}

export function listNumberOf({ order_list_id: listId }: Pick<OrderDto, 'order_list_id'>): number {
  return listId === null ? NO_LIST : ORDER_LIST_IDS.parse(listId)!;
}

/** An order of ours that ended by itself has expired for the dialect; cancelled is what somebody cancelled. */
export function statusOf(
  order: Pick<OrderDto, 'status' | 'status_reason' | 'type' | 'time_in_force'>,
): string {
  const endsByItself =
    order.type === 'market' ||
    order.time_in_force === 'IOC' ||
    order.time_in_force === 'FOK' ||
    order.status_reason === 'order_list';
  return order.status === 'cancelled' && endsByItself ? 'EXPIRED' : STATUSES[order.status];
}

/** Average price times size is what was paid, but for what the average was rounded by. */
function quoteFilledOf(order: OrderDto, fills?: readonly FillDto[]): string {
  if (order.average_fill_price === null) return '0';
  if (fills !== undefined && sumOf(fills.map(({ size }) => size)) === order.filled_size) {
    return sumOf(fills.map(({ price, size }) => productOf(price, size)));
  }
  return productOf(order.average_fill_price, order.filled_size);
}

/** What all answers about an order have in common. */
export function orderFieldsOf(order: OrderDto, symbol: string, fills?: readonly FillDto[]): object {
  return {
    symbol,
    orderId: orderNumberOf(order.order_id),
    orderListId: listNumberOf(order),
    clientOrderId: clientIdOf(order),
    price: order.price ?? '0',
    origQty: order.size,
    executedQty: order.filled_size,
    origQuoteOrderQty: order.quote_size ?? '0',
    cummulativeQuoteQty: quoteFilledOf(order, fills),
    status: statusOf(order),
    timeInForce: order.time_in_force,
    type: orderTypeOf(order),
    side: order.side.toUpperCase(),
    ...(order.stop_price !== null && { stopPrice: order.stop_price }),
    ...(order.display_size !== null && { icebergQty: order.display_size }),
    selfTradePreventionMode: PREVENTIONS[order.self_trade_prevention],
  };
}

/** An order as it is queried. */
export function queriedOrderOf(order: OrderDto | OrderWithFillsDto, symbol: string): object {
  const fills = 'fills' in order ? order.fills : undefined;
  return {
    ...orderFieldsOf(order, symbol, fills),
    stopPrice: order.stop_price ?? '0',
    icebergQty: order.display_size ?? '0',
    time: Date.parse(order.created_at),
    updateTime: Date.parse(order.updated_at),
    isWorking: order.status !== 'untriggered',
    workingTime: Date.parse(order.created_at),
  };
}

export type ResponseType = 'ACK' | 'RESULT' | 'FULL';

/** An order as it was placed. */
export function placedOrderOf(
  order: OrderDto | OrderWithFillsDto,
  symbol: string,
  type: ResponseType,
): object {
  const transactTime = Date.parse(order.updated_at);
  const fills = 'fills' in order ? order.fills : undefined;
  const fields = orderFieldsOf(order, symbol, fills);
  if (type === 'ACK') {
    return {
      symbol,
      orderId: orderNumberOf(order.order_id),
      orderListId: listNumberOf(order),
      clientOrderId: clientIdOf(order),
      transactTime,
    };
  }
  const result = { ...fields, transactTime, workingTime: Date.parse(order.created_at) };
  return type === 'RESULT' || fills === undefined ? result : { ...result, fills: fills.map(fillOf) };
}

function fillOf({ price, size, fee, fee_asset: commissionAsset, trade_id: tradeId }: FillDto): object {
  return { price, qty: size, commission: fee, commissionAsset, tradeId: tradeNumberOf(tradeId) };
}

/** An order as it was cancelled; `clientOrderId` is that of the cancellation. */
export function cancelledOrderOf(
  order: OrderDto | OrderWithFillsDto,
  symbol: string,
  clientOrderId: string,
): object {
  return {
    ...orderFieldsOf(order, symbol, 'fills' in order ? order.fills : undefined),
    origClientOrderId: clientIdOf(order),
    clientOrderId,
    transactTime: Date.parse(order.updated_at),
  };
}

/** Whether an amount is there at all. */
export function isNothing(amount: string): boolean {
  return parseAmount(amount) === 0n;
}
