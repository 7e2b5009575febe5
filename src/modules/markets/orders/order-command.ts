/**
 * Converts requests to commands of the engine. Pure: market and account are resolved before, and the engine applies the
 * market's rules.
 */
import type { AmendOrder, PlaceOrder, Refusal } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { amountOf, formatAmount } from '../../../domain/money/amount.js';
import { BASIS_POINT, unitsOf } from '../../../domain/market/units.js';
import { changedFields, type FieldChanges } from '../../../domain/fields.js';
import type { FieldError } from '../../../kit/http/errors.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import type { AmendOrderDto } from './amend-order.dto.js';
import type { PlaceOrderDto } from './place-order.dto.js';
import type { ReplaceOrderDto } from './replace-order.dto.js';

/** What an order says of itself, whatever its account and market. */
export type OrderFields = Omit<PlaceOrderDto, 'market_id' | 'account_id' | 'fields'>;

const NO_ERRORS: readonly FieldError[] = [];

/**
 * Which fields go together: a price with limit types, a stop price with stop types, an expiry with
 * GTD, `post_only` with orders that may rest, a size or, with market orders, what may be spent. Each field alone has been validated before.
 */
export function combinationErrors(order: OrderFields): readonly FieldError[] {
  const { type } = order;
  const timeInForce = order.time_in_force ?? 'GTC';
  const hasPrice = type === 'limit' || type === 'stop_limit';
  const isStop = type === 'stop' || type === 'stop_limit';
  const isTrailing = type === 'trailing_stop';
  const bySpending = order.quote_size != null;
  const mayRest = hasPrice && (timeInForce === 'GTC' || timeInForce === 'GTD');

  const trailingCondition = isTrailing ? 'trailing_percent is given' : `type is ${type}`;

  const errors: FieldError[] = [];
  const demand = (field: keyof OrderFields, wanted: boolean, condition: string): void => {
    const isGiven = order[field] != null;
    if (isGiven === wanted) return;
    errors.push({ field, message: `${field} must ${wanted ? 'be given' : 'be left out'} when ${condition}` });
  };
  demand('price', hasPrice, `type is ${type}`);
  demand('stop_price', isStop, `type is ${type}`);
  if (order.trigger != null && !isStop) demand('trigger', false, `type is ${type}`);
  if (!isTrailing || order.trailing_percent != null) demand('trailing_offset', false, trailingCondition);
  if (!isTrailing) demand('trailing_percent', false, trailingCondition);
  else if (order.trailing_offset == null) demand('trailing_percent', true, 'there is no trailing_offset');
  demand('expires_at', timeInForce === 'GTD', `time_in_force is ${timeInForce}`);
  demand('size', !bySpending, `quote_size is ${bySpending ? 'given' : 'left out'}`);
  if (bySpending && type !== 'market') demand('quote_size', false, `type is ${type}`);
  if (bySpending && timeInForce === 'FOK') demand('quote_size', false, 'time_in_force is FOK');
  if (order.display_size != null && !(type === 'limit' && mayRest)) {
    errors.push({ field: 'display_size', message: 'display_size is for limit orders that may rest' });
  }
  if (!hasPrice && timeInForce === 'GTD') {
    errors.push({ field: 'time_in_force', message: `time_in_force must not be GTD when type is ${type}` });
  }
  if (order.post_only === true && !mayRest) {
    errors.push({ field: 'post_only', message: 'post_only must be left out for an order that cannot rest' });
  }
  return errors.length === 0 ? NO_ERRORS : errors;
}

/** The same for an order that replaces another one: its size, or the total of both. */
export function replacementErrors({
  total_size: totalSize,
  ...order
}: ReplaceOrderDto): readonly FieldError[] {
  if (totalSize == null) return combinationErrors(order);
  if (order.size != null) {
    return [{ field: 'total_size', message: 'total_size must be left out when size is given' }];
  }
  return combinationErrors({ ...order, size: totalSize });
}

/**
 * The command that places the order, or the refusal of a figure that the market cannot count:
 * first the price (`invalid_tick`, `price_out_of_range`), then the stop price, then the size
 * (`invalid_lot`, `size_out_of_range`). Fees are the market's own until a fee policy says otherwise.
 */
export function toPlaceOrder(
  order: PlaceOrderDto,
  definition: MarketDefinition,
  accountId: number,
): PlaceOrder | Refusal {
  const priceTicks = optionalTicks(order.price, 'price', definition);
  if (isRefusal(priceTicks)) return priceTicks;
  const stopPriceTicks = optionalTicks(order.stop_price, 'stop_price', definition);
  if (isRefusal(stopPriceTicks)) return stopPriceTicks;
  const { quote_size: quoteSize } = order;
  const sizeLots = quoteSize == null ? toSizeLots(order.size!, definition) : definition.maxSizeLots;
  if (isRefusal(sizeLots)) return sizeLots;
  const displayLots =
    order.display_size == null ? null : toSizeLots(order.display_size, definition, 'display_size');
  if (isRefusal(displayLots)) return displayLots;
  const trailingTicks = optionalTicks(order.trailing_offset, 'trailing_offset', definition);
  if (isRefusal(trailingTicks)) return trailingTicks;
  const { trailing_percent: percent } = order;
  return {
    type: 'place_order',
    accountId,
    marketId: definition.marketId,
    side: order.side,
    orderType: order.type,
    timeInForce: order.time_in_force ?? 'GTC',
    priceTicks,
    stopPriceTicks,
    sizeLots,
    ...(quoteSize != null && { quoteSize: formatAmount(amountOf(quoteSize)) }),
    ...(displayLots !== null && { displayLots }),
    ...(order.trigger === 'mark' && { stopTrigger: order.trigger }),
    ...(trailingTicks !== null && { trailingTicks }),
    ...(percent != null && { trailingBps: BASIS_POINT.countOf(percent) as number }),
    expiresAtMs: order.expires_at == null ? null : parseUtcTime(order.expires_at)!,
    postOnly: order.post_only ?? false,
    reduceOnly: order.reduce_only ?? false,
    selfTradePrevention: order.self_trade_prevention ?? 'cancel_newest',
    clientOrderId: order.client_order_id ?? null,
    feeRates: null,
    ...fieldsOf(order.fields),
  };
}

/** Left out where nothing is given, as in the commands of old journals. */
function fieldsOf(given: FieldChanges | undefined): Pick<PlaceOrder, 'fields'> | undefined {
  if (given === undefined) return undefined;
  const fields = changedFields(null, given);
  return Object.keys(fields).length === 0 ? undefined : { fields };
}

/** The command that amends an order, or the refusal of a figure that the market cannot count. */
export function toAmendOrder(
  amendment: AmendOrderDto,
  definition: MarketDefinition,
  accountId: number,
  orderId: number,
): AmendOrder | Refusal {
  const priceTicks = optionalTicks(amendment.price, 'price', definition);
  if (isRefusal(priceTicks)) return priceTicks;
  const sizeLots = amendment.size == null ? null : toSizeLots(amendment.size, definition);
  if (isRefusal(sizeLots)) return sizeLots;
  const { fields } = amendment;
  return {
    type: 'amend_order',
    accountId,
    orderId,
    priceTicks,
    sizeLots,
    ...(fields !== undefined && { fields }),
  };
}

/** A size in lots, or `invalid_lot`, `size_out_of_range` for one that the market cannot count. */
export function toSizeLots(size: string, definition: MarketDefinition, field = 'size'): number | Refusal {
  const step = unitsOf(definition).size;
  const count = step.countOf(size);
  if (typeof count === 'number') return count;
  return count === 'not_a_multiple'
    ? {
        code: 'invalid_lot',
        message: `${field} must be a multiple of the market's lot_size, ${step.format(1)}.`,
      }
    : {
        code: 'size_out_of_range',
        message: `${field} must be at most the market's max_size, ${step.format(definition.maxSizeLots)}.`,
      };
}

function optionalTicks(
  text: string | null | undefined,
  field: string,
  definition: MarketDefinition,
): number | null | Refusal {
  if (text == null) return null;
  const step = unitsOf(definition).price;
  const count = step.countOf(text);
  if (typeof count === 'number') return count;
  return count === 'not_a_multiple'
    ? {
        code: 'invalid_tick',
        message: `${field} must be a multiple of the market's tick_size, ${step.format(1)}.`,
      }
    : {
        code: 'price_out_of_range',
        message: `${field} must be at most the market's price_max, ${step.format(definition.priceMaxTicks)}.`,
      };
}
