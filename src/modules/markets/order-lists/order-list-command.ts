/** Converts the bodies of order lists to commands of the engine. Pure, as `order-command.ts`. */
import type { ListedOrder, PlaceOrder, PlaceOrderList } from '../../../domain/engine/commands.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import type { FieldError } from '../../../kit/http/errors.js';
import { combinationErrors } from '../orders/order-command.js';
import type { ListedOrderDto, PlaceOrderListDto } from './order-list.dto.js';

/** The orders of a body by what they are in the list. */
export interface ListedOrders<O> {
  readonly entry: O | null;
  readonly exits: readonly [limit: O, stop: O];
}

/**
 * Which orders make a list: two exits, a limit order and a stop of one side, size and market, and for a bracket an entry
 * on the other side. Each order alone has been validated before.
 */
export function listErrors({ type, orders }: PlaceOrderListDto): readonly FieldError[] {
  const wanted = type === 'oco' ? 2 : 3;
  if (orders.length !== wanted)
    return [{ field: 'orders', message: `orders must have ${wanted} orders when type is ${type}` }];
  const errors: FieldError[] = orders.flatMap((order, index) =>
    combinationErrors(order).map(({ field, message }) => ({ field: `orders.${index}.${field}`, message })),
  );
  const { entry, exits } = partsOf(type, orders);
  const [limit, stop] = exits;
  const demand = (isMet: boolean, message: string): void => {
    if (!isMet) errors.push({ field: 'orders', message });
  };
  demand(
    limit.type === 'limit' && (stop.type === 'stop' || stop.type === 'stop_limit'),
    'one exit must be a limit order and the other one a stop or stop_limit',
  );
  demand(limit.side === stop.side, 'both exits must be of one side');
  demand(
    exits.every(({ time_in_force: timeInForce }) => timeInForce == null || timeInForce === 'GTC'),
    'exits must be good till cancelled (GTC)',
  );
  demand(
    new Set(orders.map(({ market_id: marketId }) => marketId)).size === 1,
    'all orders must be on one market',
  );
  demand(entry === null || entry.side !== limit.side, 'the entry must be of the other side than the exits');
  return errors;
}

/** What only shows once sizes are lots, and the market is known. */
export function listErrorsOf(
  { entry, exits: [limit, stop] }: ListedOrders<PlaceOrder>,
  market: MarketDefinition,
): readonly FieldError[] {
  const isOneSize = limit.sizeLots === stop.sizeLots && (entry === null || entry.sizeLots === limit.sizeLots);
  const errors: FieldError[] = [];
  if (!isOneSize) errors.push({ field: 'orders', message: 'all orders must be of one size' });
  if (market.kind === 'event' && stop.priceTicks !== null)
    errors.push({
      field: 'orders',
      message: 'on event markets the stop must have no limit price: use type stop',
    });
  return errors;
}

export function partsOf(
  type: PlaceOrderListDto['type'],
  orders: readonly ListedOrderDto[],
): ListedOrders<ListedOrderDto> {
  const [entry, ...others] = type === 'bracket' ? orders : [null, ...orders];
  const [first, second] = others as [ListedOrderDto, ListedOrderDto];
  return { entry: entry ?? null, exits: first.type === 'limit' ? [first, second] : [second, first] };
}

export function toPlaceOrderList(
  { entry, exits: [limit, stop] }: ListedOrders<PlaceOrder>,
  clientListId: string | null,
): PlaceOrderList {
  const { accountId, marketId } = limit;
  return {
    type: 'place_order_list',
    accountId,
    marketId,
    entry: entry && listedOrderOf(entry),
    exits: [listedOrderOf(limit), listedOrderOf(stop)],
    clientListId,
  };
}

function listedOrderOf({
  type: _type,
  accountId: _accountId,
  marketId: _marketId,
  clientOrderId: _clientOrderId,
  ...order
}: PlaceOrder): ListedOrder {
  return order;
}
