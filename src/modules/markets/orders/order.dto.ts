import { ApiHideProperty, ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import type {
  AdvancedTerms,
  MarketDefinition,
  OrderOrigin,
  OrderSnapshot,
  OrderStatus,
  OrderType,
  SelfTradePrevention,
  Side,
  StatusReason,
  StopTrigger,
  TimeInForce,
} from '../../../domain/engine/types.js';
import type { FieldValues } from '../../../domain/fields.js';
import { advancedTerms, isStopType } from '../../../domain/engine/order-terms.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { BASIS_POINT, type MarketUnits, unitsOf } from '../../../domain/market/units.js';
import type { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import type { FieldReader } from '../../../kit/http/fielded.js';
import { FiltersByFields, ShowsFields } from '../../../kit/fields/field-marks.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { ApiQueryChoices, QueryText } from '../../../kit/http/validation/query.js';
import { FillDto, type FilledTrade, toFillDto } from './fill.dto.js';
import type { OrderEntity } from './order.entity.js';
import { ORDER_IDS, ORDER_LIST_IDS } from '../names/ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

export const ORDER_STATUSES = [
  'open',
  'partially_filled',
  'filled',
  'cancelled',
  'expired',
  'rejected',
  'untriggered',
] as const satisfies readonly OrderStatus[];

export const ORDER_ORIGINS = ['mass_quote'] as const satisfies readonly OrderOrigin[];

const STATUS = `(?:${ORDER_STATUSES.join('|')})`;
const STATUS_LIST = new RegExp(`^${STATUS}(?:,${STATUS}){0,${ORDER_STATUSES.length - 1}}$`);

/** The filters of `GET /orders`; the period is that in which they were placed. */
@FiltersByFields('orders')
export class ListOrdersQueryDto extends PeriodQueryDto {
  /**
   * Only orders of this market.
   * @example "BTC-USD"
   */
  @QueryText(64, 'Only orders of this market.')
  market_id?: string;

  /** Only orders in one of these states, separated by commas. */
  @ApiQueryChoices(ORDER_STATUSES, 'Only orders in one of these states, separated by commas.')
  @IsOptional()
  @IsString()
  @Matches(STATUS_LIST, {
    message: `$property must be one or more of ${ORDER_STATUSES.join(', ')}, separated by commas`,
  })
  status?: string;

  /** The order that this client order id made; at most one. */
  @QueryText(64, 'The order that this client order id made.')
  client_order_id?: string;

  /** One of the caller's own accounts; without it, the credential's own. */
  @QueryText(64, "One of the caller's own accounts; without it, the credential's own.")
  account_id?: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldValues;
}

/** An order as it stands: the request it came from, and what has become of it. */
@ShowsFields('orders')
export class OrderDto {
  /** @example "ord_0000000001D" */
  order_id: string;
  account_id: string;
  client_order_id: string | null;
  /** @example "BTC-USD" */
  market_id: string;
  /** @example "buy" */
  side: Side;
  /** @example "limit" */
  type: OrderType;
  /** @example "GTC" */
  time_in_force: TimeInForce;
  /**
   * In the quote asset; null for types without a price.
   * @example "60000"
   */
  price: string | null;
  /**
   * The price that triggers a stop; null for other types. Of a trailing stop that waits, where it stood as the answer was
   * made: `best_price` less its offset, or plus that of a purchase. Streams and webhooks, which do not tell each of its
   * steps, have null for it.
   */
  stop_price: string | null;
  /** The best price since a trailing stop was placed, as of the same moment; null where `stop_price` is. */
  best_price: string | null;
  /** Which price triggers a stop: the last one, or the mark price; null for other types. */
  trigger: StopTrigger | null;
  /** How far a trailing stop follows behind the best price since it was placed, in the quote asset; or null. */
  trailing_offset: string | null;
  /** The same in percent of that price; or null. */
  trailing_percent: string | null;
  /** @example "0.25" */
  size: string;
  /** What a market order was to spend or to bring in, in the quote asset; `size` is what that has become. */
  quote_size: string | null;
  /** How much of an iceberg the book shows at a time; null where it shows all. */
  display_size: string | null;
  /** `mass_quote` for a quote that `POST /quotes/mass` has placed; null for other orders. */
  @ApiProperty({ type: 'string', enum: ORDER_ORIGINS, nullable: true })
  origin: OrderOrigin | null;
  /** The list that the order came in; null for one that came alone. */
  order_list_id: string | null;
  /** When a `GTD` order ends, RFC 3339, UTC. */
  expires_at: string | null;
  post_only: boolean;
  reduce_only: boolean;
  self_trade_prevention: SelfTradePrevention;
  /** @example "open" */
  @ApiProperty({ enum: ORDER_STATUSES })
  status: OrderStatus;
  /** Why the order has its status, where the status alone does not say so. */
  status_reason: StatusReason | null;
  /** @example "0" */
  filled_size: string;
  /**
   * What has not traded: still to come while the order lives, given up once it has ended.
   * @example "0.25"
   */
  remaining_size: string;
  /** Value of all fills divided by their size, rounded down at 10^-18; null before the first. */
  average_fill_price: string | null;
  /**
   * Total fee so far, in the quote asset.
   * @example "0"
   */
  fees: string;
  /** RFC 3339, UTC. */
  created_at: string;
  updated_at: string;
  /** The market's book sequence of the last command that changed the order. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
}

/** The columns of the list as CSV. */
export const ORDER_CSV_COLUMNS = [
  'order_id',
  'sequence',
  'account_id',
  'client_order_id',
  'market_id',
  'side',
  'type',
  'time_in_force',
  'price',
  'stop_price',
  'size',
  'expires_at',
  'post_only',
  'reduce_only',
  'self_trade_prevention',
  'status',
  'status_reason',
  'filled_size',
  'remaining_size',
  'average_fill_price',
  'fees',
  'created_at',
  'updated_at',
  'quote_size',
  'display_size',
  'order_list_id',
  'trigger',
  'trailing_offset',
  'trailing_percent',
  'origin',
  'best_price',
] as const satisfies readonly CsvColumn<OrderDto>[];

/** An order with its fills, oldest first. */
@ShowsFields('orders')
export class OrderWithFillsDto extends OrderDto {
  /** At most the first 1,000. */
  fills: FillDto[];
}

/** How many fills an order is shown with. */
export const FILLS_SHOWN_MAX = 1_000;

export function toOrderDto(
  order: OrderSnapshot,
  units: MarketUnits,
  fields: FieldCatalogue,
  reader: FieldReader = 'owner',
): OrderDto {
  const createdAt = new Date(order.createdAtMs).toISOString();
  const average = units.pricePer(order.filledNotional, order.filledLots);
  return {
    order_id: ORDER_IDS.format(order.orderId),
    account_id: ACCOUNT_IDS.format(order.accountId),
    client_order_id: order.clientOrderId,
    market_id: order.marketId,
    side: order.side,
    type: order.type,
    time_in_force: order.timeInForce,
    price: order.priceTicks === null ? null : units.price.format(order.priceTicks),
    stop_price: order.stopPriceTicks === null ? null : units.price.format(order.stopPriceTicks),
    best_price: null,
    trigger: isStopType(order.type) ? (order.advanced?.stopTrigger ?? 'last') : null,
    size: units.size.format(order.sizeLots),
    ...toAdvancedFields(order.advanced, units),
    expires_at: order.expiresAtMs === null ? null : new Date(order.expiresAtMs).toISOString(),
    post_only: order.postOnly,
    reduce_only: order.reduceOnly,
    self_trade_prevention: order.selfTradePrevention,
    status: order.status,
    status_reason: order.statusReason,
    filled_size: units.size.format(order.filledLots),
    remaining_size: units.size.format(order.remainingLots),
    average_fill_price: average === null ? null : formatAmount(average),
    fees: formatAmount(order.fees),
    created_at: createdAt,
    updated_at:
      order.updatedAtMs === order.createdAtMs ? createdAt : new Date(order.updatedAtMs).toISOString(),
    sequence: order.bookSequence,
    ...fields.shown('orders', order.fields, reader),
  };
}

const NOTHING_ADVANCED = {
  quote_size: null,
  display_size: null,
  order_list_id: null,
  origin: null,
  trailing_offset: null,
  trailing_percent: null,
} as const;

function toAdvancedFields(
  terms: AdvancedTerms | null,
  units: MarketUnits,
): Pick<OrderDto, keyof typeof NOTHING_ADVANCED> {
  if (terms === null) return NOTHING_ADVANCED;
  return {
    quote_size: terms.quoteSize === null ? null : formatAmount(terms.quoteSize),
    display_size: terms.displayLots === null ? null : units.size.format(terms.displayLots),
    order_list_id: terms.listId === null ? null : ORDER_LIST_IDS.format(terms.listId),
    origin: terms.origin,
    trailing_offset: terms.trailingTicks === null ? null : units.price.format(terms.trailingTicks),
    trailing_percent: terms.trailingBps === null ? null : BASIS_POINT.format(terms.trailingBps),
  };
}

/** `trades` are those of the order, oldest first. */
export function toOrderWithFillsDto(
  order: OrderSnapshot,
  trades: readonly FilledTrade[],
  definition: MarketDefinition,
  fields: FieldCatalogue,
): OrderWithFillsDto {
  const shown = trades.length > FILLS_SHOWN_MAX ? trades.slice(0, FILLS_SHOWN_MAX) : trades;
  return {
    ...toOrderDto(order, unitsOf(definition), fields),
    fills: shown.map((trade) => toFillDto(trade, order.orderId, definition)),
  };
}

/** A stored order in the engine's own terms, so that one mapper serves both; without its fields: see `OrderFieldsService`. */
export function toSnapshot(entity: OrderEntity): OrderSnapshot {
  return {
    orderId: entity.orderId,
    accountId: entity.accountId,
    marketId: entity.marketId,
    clientOrderId: entity.clientOrderId,
    side: entity.side,
    type: entity.type,
    timeInForce: entity.timeInForce,
    priceTicks: entity.priceTicks,
    stopPriceTicks: entity.stopPriceTicks,
    sizeLots: entity.sizeLots,
    filledLots: entity.filledLots,
    remainingLots: entity.remainingLots,
    filledNotional: entity.filledNotional,
    fees: entity.fees,
    postOnly: entity.postOnly,
    reduceOnly: entity.reduceOnly,
    selfTradePrevention: entity.selfTradePrevention,
    expiresAtMs: entity.expiresAt?.getTime() ?? null,
    advanced: advancedTerms({
      quoteSize: entity.quoteSize,
      displayLots: entity.displayLots,
      listId: entity.listId,
      listRole: entity.listRole,
      clientListId: entity.clientListId,
      stopTrigger: entity.stopTrigger,
      trailingTicks: entity.trailingTicks,
      trailingBps: entity.trailingBps,
      origin: entity.origin,
    }),
    status: entity.status,
    statusReason: entity.statusReason,
    createdAtMs: entity.createdAt.getTime(),
    updatedAtMs: entity.updatedAt.getTime(),
    bookSequence: entity.bookSequence,
  };
}
