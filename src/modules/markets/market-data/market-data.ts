import type { MarketKind, MarketStatus } from '../../../domain/engine/types.js';
import type { Page } from '../../../platform/http/pagination.js';
import type { CandleDto, CandleInterval } from './candle.dto.js';
import type { MarketDto } from './market.dto.js';
import type { OrderbookDto } from './orderbook.dto.js';
import type { TradeDto } from './trade.dto.js';

/** Which page of a list. */
export interface PageSelection {
  /** How many items at most: 1 to 200, 50 where it is left out. */
  readonly limit?: number;
  /** The `next_cursor` of the page before. */
  readonly cursor?: string;
}

/** Which markets: those that meet every condition. */
export interface MarketSelection extends PageSelection {
  /** Text of 1 to 100 characters that the id, title, description or category contains, in any case of letters. */
  readonly q?: string;
  readonly kind?: MarketKind;
  readonly status?: MarketStatus;
  /** Exactly this category. */
  readonly category?: string;
}

/** Which part of a market's history; times are RFC 3339 in UTC, such as `2026-11-01T12:00:00.000Z`. */
export interface HistorySelection extends PageSelection {
  /** From this time on. */
  readonly from?: string;
  /** Before this time. */
  readonly to?: string;
}

export interface CandleSelection extends HistorySelection {
  /** How much time each candle covers, in whole multiples of it since 1970, UTC; `1m` where it is left out. */
  readonly interval?: CandleInterval;
}

/**
 * Markets, their books and what was traded on them, to read: what the public routes under `/markets` answer, in the same
 * shapes and by the same rules. Injectable everywhere, also in plugins.
 *
 * Prices are in the market's quote asset, sizes and volumes in its base asset, or in contracts on event markets. Both
 * are canonical decimal texts, such as `60000.5`. Times are RFC 3339, UTC.
 *
 * Every method rejects with an `ApiError`: `market_not_found` for a market that there is not, `validation_failed` for a
 * selection that breaks a rule, `invalid_cursor` for a cursor of another list.
 */
export abstract class MarketData {
  /** Markets with their tickers, in order of their ids. */
  abstract markets(selection?: MarketSelection): Promise<Page<MarketDto>>;

  /** One market with its rules and its ticker: best prices, last price, and the figures of the last 24 hours. */
  abstract market(marketId: string): Promise<MarketDto>;

  /** The book as the last committed command left it; `depth` levels of each side, 1 to 1,000. */
  abstract orderbook(marketId: string, depth?: number): Promise<OrderbookDto>;

  /** Trades, newest first. Includes all that were acknowledged before the call. */
  abstract trades(marketId: string, selection?: HistorySelection): Promise<Page<TradeDto>>;

  /**
   * Candles, newest first, the running one included; an interval without a trade has none. `from` and `to` select by
   * `start`. Rejects also with `temporarily_unavailable` while many trades are still to be summed up.
   */
  abstract candles(marketId: string, selection?: CandleSelection): Promise<Page<CandleDto>>;
}
