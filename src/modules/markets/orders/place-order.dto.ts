import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { FieldChanges } from '../../../domain/fields.js';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';
import type {
  OrderType,
  SelfTradePrevention,
  Side,
  StopTrigger,
  TimeInForce,
} from '../../../domain/engine/types.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';

export const SIDES = ['buy', 'sell'] as const satisfies readonly Side[];
export const ORDER_TYPES = [
  'limit',
  'market',
  'stop_limit',
  'stop',
  'trailing_stop',
] as const satisfies readonly OrderType[];
export const STOP_TRIGGERS = ['last', 'mark'] as const satisfies readonly StopTrigger[];
export const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'GTD'] as const satisfies readonly TimeInForce[];
export const SELF_TRADE_PREVENTIONS = [
  'cancel_newest',
  'cancel_oldest',
  'cancel_both',
  'decrement',
] as const satisfies readonly SelfTradePrevention[];

/** Printable ASCII: what every log, file and database keeps as it is. */
export const CLIENT_ORDER_ID = /^[\x21-\x7e]{1,64}$/;

const PERCENT = /^(?!0(?:\.0{1,2})?$)(?:0|[1-9][0-9]?)(?:\.[0-9]{1,2})?$/;

/** The body of `POST /orders`, of its preview, and of each order in a batch. */
@AcceptsFields('orders')
export class PlaceOrderDto {
  /**
   * The market, by its symbol.
   * @example "BTC-USD"
   */
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  market_id: string;

  /**
   * Which side of the book the order takes.
   * @example "buy"
   */
  @ApiProperty()
  @IsIn(SIDES)
  side: Side;

  /**
   * `limit` trades at its price or better; `market` at whatever the book has and rests never;
   * `stop_limit` and `stop` wait as `untriggered` until the price reaches `stop_price`; so does `trailing_stop`, whose
   * stop follows the best price of the last trades at a distance. `stop` and `trailing_stop` then trade like `market`.
   * @example "limit"
   */
  @ApiProperty()
  @IsIn(ORDER_TYPES)
  type: OrderType;

  /**
   * Price of one whole unit of size, in the quote asset: a multiple of the market's `tick_size`.
   * Required for `limit` and `stop_limit`, refused for the other types.
   * @example "60000.00"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  price?: string;

  /**
   * How much, in the base asset (contracts in event markets): a multiple of the market's `lot_size`. Required, but for
   * market orders with a `quote_size`.
   * @example "0.25"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  size?: string;

  /**
   * Only for `market` orders, instead of `size`: how much of the quote asset a purchase may spend, its fee included, or a
   * sale is to bring in before its fee. The order gets the size that the book gives for at most that, in whole lots; one
   * below `min_size` is refused (`size_out_of_range`, or `insufficient_liquidity` where the book has no more).
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  quote_size?: string;

  /**
   * Only for `limit` orders that may rest: how much of the order the book shows at a time (an iceberg). Once that has
   * traded, as much again is shown, at the end of the queue at its price. From the market's `min_size` to `size`, and a
   * hundredth of `size` or more. Previews and quotes count what is hidden, since orders trade with it.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  display_size?: string;

  /**
   * `GTC` rests until it is cancelled, `GTD` until `expires_at`; `IOC` trades what it can at once,
   * `FOK` all of it or nothing.
   * @example "GTC"
   */
  @ApiPropertyOptional({ enum: TIMES_IN_FORCE, default: 'GTC' })
  @IsOptional()
  @IsIn(TIMES_IN_FORCE)
  time_in_force?: TimeInForce;

  /**
   * When a `GTD` order ends, such as `2030-01-01T00:00:00.000Z`; required with it, refused without.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  expires_at?: string;

  /**
   * The caller's own id, unique in the account for good: 1 to 64 printable ASCII characters without
   * spaces. Sending it again answers the order that it made (200); with other terms it is refused
   * with `duplicate_client_order_id` (409).
   */
  @ApiPropertyOptional({ pattern: CLIENT_ORDER_ID.source })
  @IsOptional()
  @Matches(CLIENT_ORDER_ID, {
    message: '$property must be 1 to 64 printable ASCII characters without spaces',
  })
  client_order_id?: string;

  /** Refuses the order (`post_only_would_cross`) where it would trade at once. Only for orders that may rest. */
  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  post_only?: boolean;

  /** Only ever closes a position; what would open one is cancelled. */
  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  reduce_only?: boolean;

  /**
   * The price at which a stop is triggered: at or above it for buys, at or below for sells. Required for `stop` and
   * `stop_limit`, refused for the other types.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  stop_price?: string;

  /**
   * Which price triggers a `stop` or `stop_limit`. `last`: that of any trade. `mark`: the best price at which the order
   * could trade, the best ask for buys, the best bid for sells, after any change of the book; where that side is empty,
   * nothing triggers it.
   */
  @ApiPropertyOptional({ enum: STOP_TRIGGERS, default: 'last' })
  @IsOptional()
  @IsIn(STOP_TRIGGERS)
  trigger?: StopTrigger;

  /**
   * How far a `trailing_stop` follows behind the best price since it was placed, in the quote asset: a multiple of the
   * market's `tick_size`. A sell is triggered where the last price falls by that much from its highest, a buy where it
   * rises by that much from its lowest. `trailing_stop` needs this or `trailing_percent`.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  trailing_offset?: string;

  /**
   * The same as a share of the best price, in percent: from `0.01` to `99.99`, with two decimals at most. Rounded up to
   * whole ticks.
   */
  @ApiPropertyOptional({ pattern: PERCENT.source })
  @IsOptional()
  @Matches(PERCENT, { message: '$property must be from 0.01 to 99.99, with two decimals at most' })
  trailing_percent?: string;

  /** What happens where the order would meet one of the same account. */
  @ApiPropertyOptional({ enum: SELF_TRADE_PREVENTIONS, default: 'cancel_newest' })
  @IsOptional()
  @IsIn(SELF_TRADE_PREVENTIONS)
  self_trade_prevention?: SelfTradePrevention;

  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** Bodies that run against the demo data as they stand. */
export const PLACE_ORDER_EXAMPLES = {
  limit: {
    summary: 'Buy a quarter of a bitcoin at 60,000 dollars or less',
    value: {
      market_id: 'BTC-USD',
      side: 'buy',
      type: 'limit',
      price: '60000.00',
      size: '0.25',
      time_in_force: 'GTC',
    },
  },
  market: {
    summary: 'Sell a tenth of a bitcoin at what the book offers',
    value: { market_id: 'BTC-USD', side: 'sell', type: 'market', size: '0.1' },
  },
  stop_limit: {
    summary: 'Sell once the price has fallen to 55,000 dollars',
    value: {
      market_id: 'BTC-USD',
      side: 'sell',
      type: 'stop_limit',
      stop_price: '55000',
      price: '54900',
      size: '0.1',
    },
  },
  event: {
    summary: 'Bet 40 cents a contract on rain in Lisbon',
    value: {
      market_id: 'RAIN-LISBON',
      side: 'buy',
      type: 'limit',
      price: '0.40',
      size: '100',
      post_only: true,
    },
  },
} as const;
