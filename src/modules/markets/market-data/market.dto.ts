import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { BookView, MarketView } from '../../../core/core.types.js';
import { bandText } from '../../../domain/engine/market-terms.js';
import type { MarketKind, MarketStatus } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { FieldValues } from '../../../domain/fields.js';
import { FiltersByFields, ShowsFields } from '../../../kit/fields/field-marks.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import type { WindowSummary } from './rolling-window.js';

export const MARKET_KINDS = ['spot', 'event'] as const satisfies readonly MarketKind[];
export const MARKET_STATUSES = [
  'scheduled',
  'open',
  'halted',
  'closed',
  'settling',
  'settled',
] as const satisfies readonly MarketStatus[];

/** The filters of `GET /markets`. */
@FiltersByFields('markets')
export class ListMarketsQueryDto extends PageQueryDto {
  /**
   * Text that the id, title, description or category contains, in any case of letters.
   * @example "btc"
   */
  @QueryText(100, 'Text that the id, title, description or category contains, in any case of letters.')
  q?: string;

  @ApiPropertyOptional({ enum: MARKET_KINDS })
  @IsOptional()
  @IsIn(MARKET_KINDS)
  kind?: MarketKind;

  @ApiPropertyOptional({ enum: MARKET_STATUSES })
  @IsOptional()
  @IsIn(MARKET_STATUSES)
  status?: MarketStatus;

  /** Exactly this category. */
  @QueryText(64, 'Exactly this category.')
  category?: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldValues;
}

/** What a market is doing now. Prices are in the quote asset, sizes in the base asset or contracts. */
export class TickerDto {
  /** Null where nobody buys. */
  best_bid: string | null;
  /** Null where nobody sells. */
  best_ask: string | null;
  /** Null before the first trade. */
  last_price: string | null;
  /**
   * Size traded in the last 24 hours: the running minute and the 1,439 before it.
   * @example "0"
   */
  volume_24h: string;
  /** Highest price of the same time; null where nothing was traded. */
  high_24h: string | null;
  low_24h: string | null;
  /** Contracts in existence; null on spot markets, which have none. */
  open_interest: string | null;
}

/** A market: what it trades, by which rules, and what it is doing now. */
@ShowsFields('markets')
export class MarketDto {
  /** @example "BTC-USD" */
  market_id: string;
  /** `spot` trades the base asset for the quote asset, `event` contracts that settle between 0 and 1. */
  kind: MarketKind;
  /** @example "Bitcoin / US dollar" */
  title: string;
  description: string;
  category: string;
  /** @example "open" */
  status: MarketStatus;
  /**
   * Null on event markets.
   * @example "BTC"
   */
  base_asset: string | null;
  /** @example "USD" */
  quote_asset: string;
  /**
   * Every price is a multiple of it.
   * @example "0.01"
   */
  tick_size: string;
  /**
   * Every size is a multiple of it.
   * @example "0.00000001"
   */
  lot_size: string;
  min_size: string;
  max_size: string;
  /** Least price times size of an order, in the quote asset. */
  min_notional: string;
  price_min: string;
  price_max: string;
  /**
   * How far from the best price of the book a market order, or a stop without a limit, trades, in percent of it: what is left
   * is cancelled (`band_reached`). Null = any price.
   * @example "20"
   */
  market_order_band: string | null;
  /**
   * Share of the fee base that a resting order pays.
   * @example "0"
   */
  maker_fee_rate: string;
  /** @example "0" */
  taker_fee_rate: string;
  /** RFC 3339, UTC; null where the market was open from the start. */
  opens_at: string | null;
  /** Null where no end is planned. */
  closes_at: string | null;
  /** What one contract paid, 0 to 1 of the quote asset; null before settlement. */
  settlement_value: string | null;
  settled_at: string | null;
  /** The event group in which its outcome excludes those of others; null where it stands alone. */
  event_group_id: string | null;
  ticker: TickerDto;
}

/** `top` is the market's book to a depth of one. */
export function toMarketDto(market: MarketView, top: BookView | undefined, day: WindowSummary): MarketDto {
  const { definition } = market;
  const units = unitsOf(definition);
  const price = (ticks: number | null | undefined): string | null =>
    ticks == null ? null : units.price.format(ticks);
  return {
    market_id: definition.marketId,
    kind: definition.kind,
    title: definition.title,
    description: definition.description,
    category: definition.category,
    status: market.status,
    base_asset: definition.baseAsset,
    quote_asset: definition.quoteAsset,
    tick_size: formatAmount(definition.tickSize),
    lot_size: formatAmount(definition.lotSize),
    min_size: units.size.format(definition.minSizeLots),
    max_size: units.size.format(definition.maxSizeLots),
    min_notional: formatAmount(definition.minNotional),
    price_min: units.price.format(definition.priceMinTicks),
    price_max: units.price.format(definition.priceMaxTicks),
    market_order_band: bandText(definition),
    maker_fee_rate: formatAmount(definition.makerFeeRate),
    taker_fee_rate: formatAmount(definition.takerFeeRate),
    opens_at: timeOrNull(definition.opensAtMs),
    closes_at: timeOrNull(definition.closesAtMs),
    settlement_value: market.settlementValue === null ? null : formatAmount(market.settlementValue),
    settled_at: timeOrNull(market.settledAtMs),
    event_group_id: market.groupId,
    ticker: {
      best_bid: price(top?.bids[0]?.[0]),
      best_ask: price(top?.asks[0]?.[0]),
      last_price: price(market.lastPriceTicks),
      volume_24h: formatAmount(day.volumeLots * definition.lotSize),
      high_24h: price(day.highTicks),
      low_24h: price(day.lowTicks),
      open_interest: definition.kind === 'event' ? units.size.format(market.openInterestLots) : null,
    },
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
