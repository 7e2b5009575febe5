import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { MARKET_ID } from '../../../domain/market/market-id.js';
import type { ChangeMarket, CreateMarket, SetMarketStatus } from '../../../domain/engine/commands.js';
import type { FeeBase, MarketKind } from '../../../domain/engine/types.js';
import type { FieldChanges } from '../../../domain/fields.js';
import { AcceptsFields, ShowsFields } from '../../../kit/fields/field-marks.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { IsUtcTime, parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { NullMeansSomething } from '../../../kit/http/validation/null-means-something.js';
import { MARKET_KINDS, MarketDto } from '../market-data/market.dto.js';

const FEE_BASES = ['notional', 'variance'] as const satisfies readonly FeeBase[];
const TARGET_STATUSES = [
  'open',
  'halted',
  'closed',
  'settled',
] as const satisfies readonly SetMarketStatus['status'][];

/** A market whose settlement waits for a second operator. */
@ShowsFields('markets', 'operators')
export class ProposedMarketDto extends MarketDto {
  /**
   * The approval that waits for another operator: see `GET /admin/approvals/{approval_id}`.
   * @example "apv_00000000001"
   */
  approval_id: string;
}

/** The body of `POST /admin/markets`. */
@AcceptsFields('markets', 'operators')
export class CreateMarketDto {
  /**
   * The market's symbol: 1 to 64 of A–Z, 0–9, dot, underscore and hyphen.
   * @example "BTC-EUR"
   */
  @Matches(MARKET_ID, {
    message: '$property must be 1 to 64 of A-Z, 0-9, dot, underscore and hyphen',
  })
  market_id: string;

  /**
   * `spot` trades one asset for another, `event` contracts that settle between 0 and 1.
   * @example "spot"
   */
  @IsIn(MARKET_KINDS)
  kind: MarketKind;

  /**
   * The asset that is traded; needed for `spot`, refused for `event`.
   * @example "BTC"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(16)
  base_asset?: string;

  /**
   * The asset that prices and fees are in.
   * @example "EUR"
   */
  @IsString()
  @MaxLength(16)
  quote_asset: string;

  /**
   * Every price is a multiple of it. Ticks and lots have at most 18 decimals together.
   * @example "0.01"
   */
  @IsPlainDecimal({ positive: true })
  tick_size: string;

  /**
   * Every size is a multiple of it.
   * @example "0.00000001"
   */
  @IsPlainDecimal({ positive: true })
  lot_size: string;

  /**
   * For people; the market's id where it is left out.
   * @example "Bitcoin / Euro"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(200)
  title?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(4_000)
  description?: string;

  /** @example "crypto" */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  category?: string;

  /** Least size of an order; one lot where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  min_size?: string;

  /** Largest size of an order; times `price_max` it stays below 10^18. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  max_size?: string;

  /** Least price times size of an order, in the quote asset; none where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  min_notional?: string;

  /** Lowest price of an order; one tick where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  price_min?: string;

  /** Highest price of an order; below 1 in event markets. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  price_max?: string;

  /**
   * How far from the best price of the book a market order, or a stop without a limit, trades, in percent of it: 0.01 to 100,
   * in hundredths. `null` for any price; 20 on spot markets and null on event markets where it is left out.
   * @example "20"
   */
  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @NullMeansSomething()
  @IsPlainDecimal({ positive: true })
  market_order_band?: string | null;

  /**
   * Share of the fee base that a resting order pays, below 1; 0 where it is left out.
   * @example "0.001"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  maker_fee_rate?: string;

  /**
   * Share of the fee base that an incoming order pays, below 1; 0 where it is left out.
   * @example "0.002"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  taker_fee_rate?: string;

  /** What fee rates are multiplied with: price times size, or in event markets p·(1−p)·size (`variance`). */
  @ApiPropertyOptional({ enum: FEE_BASES, default: 'notional' })
  @IsOptional()
  @IsIn(FEE_BASES)
  fee_base?: FeeBase;

  /** When the market opens by itself; it opens at once where this is left out or past. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  opens_at?: string;

  /** When the market closes by itself, and its resting orders are cancelled. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  closes_at?: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The body of `PATCH /admin/markets/{market_id}`: a status, or any of the others; what is left out stays as it is. */
@AcceptsFields('markets', 'operators')
export class UpdateMarketDto {
  /**
   * Halted markets take cancels only; closing cancels what rests; settling pays every position out. Not together with
   * anything but `settlement_value`.
   * @example "halted"
   */
  @ApiPropertyOptional({ enum: TARGET_STATUSES })
  @IsOptional()
  @IsIn(TARGET_STATUSES)
  status?: SetMarketStatus['status'];

  /** What one contract pays, 0 to 1 of the quote asset; needed with `settled`, refused otherwise. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  settlement_value?: string;

  /** For people. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  title?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(4_000)
  description?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  category?: string;

  /** Least size of an order to come. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal({ positive: true })
  min_size?: string;

  /** Largest size of an order to come; times `price_max` it stays below 10^18. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal({ positive: true })
  max_size?: string;

  /** Least price times size of an order to come, in the quote asset. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  min_notional?: string;

  /** Lowest price of an order to come. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal({ positive: true })
  price_min?: string;

  /** Highest price of an order to come; below 1 in event markets. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal({ positive: true })
  price_max?: string;

  /** How far from the best price an order to come without a limit trades, in percent; `null` for any price. */
  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @NullMeansSomething()
  @IsPlainDecimal({ positive: true })
  market_order_band?: string | null;

  /** Of orders to come, while they rest; those that are open keep theirs. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  maker_fee_rate?: string;

  /** Of orders to come, as they come in; those that are open keep theirs. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  taker_fee_rate?: string;

  /** When the market closes by itself, which must be ahead; `null` where it shall not. */
  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @NullMeansSomething()
  @IsUtcTime()
  closes_at?: string | null;

  /** Those that plugins have declared; null removes a value. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** What the body changes besides the status; undefined if nothing. */
export function toChangeMarket(marketId: string, body: UpdateMarketDto): ChangeMarket | undefined {
  const terms = {
    title: body.title,
    description: body.description,
    category: body.category,
    minSize: body.min_size,
    maxSize: body.max_size,
    minNotional: body.min_notional,
    priceMin: body.price_min,
    priceMax: body.price_max,
    makerFeeRate: body.maker_fee_rate,
    takerFeeRate: body.taker_fee_rate,
  };
  const given = Object.entries(terms).filter(([, value]) => value != null);
  const closing = body.closes_at === undefined ? {} : { closesAtMs: timeOrNull(body.closes_at) };
  const band = body.market_order_band === undefined ? {} : { marketOrderBand: body.market_order_band };
  const changes = { ...(Object.fromEntries(given) as Partial<typeof terms>), ...closing, ...band };
  return Object.keys(changes).length === 0 ? undefined : { type: 'change_market', marketId, ...changes };
}

/** In percent. */
const SPOT_BAND = '20';

export function toCreateMarket(body: CreateMarketDto): CreateMarket {
  return {
    type: 'create_market',
    marketId: body.market_id,
    kind: body.kind,
    title: body.title ?? body.market_id,
    description: body.description ?? '',
    category: body.category ?? '',
    baseAsset: body.base_asset ?? null,
    quoteAsset: body.quote_asset,
    tickSize: body.tick_size,
    lotSize: body.lot_size,
    minSize: body.min_size ?? null,
    maxSize: body.max_size ?? null,
    minNotional: body.min_notional ?? null,
    priceMin: body.price_min ?? null,
    priceMax: body.price_max ?? null,
    makerFeeRate: body.maker_fee_rate ?? null,
    takerFeeRate: body.taker_fee_rate ?? null,
    feeBase: body.fee_base ?? null,
    opensAtMs: timeOrNull(body.opens_at),
    closesAtMs: timeOrNull(body.closes_at),
    marketOrderBand:
      body.market_order_band === undefined && body.kind === 'spot'
        ? SPOT_BAND
        : (body.market_order_band ?? null),
  };
}

function timeOrNull(text: string | null | undefined): number | null {
  return text == null ? null : parseUtcTime(text)!;
}
