import type { MarketKind, MarketStatus } from '../../../domain/engine/types.js';
import type { Page } from '../../../kit/http/pagination.js';
import type { CandleDto, CandleInterval } from './candle.dto.js';
import type { MarketDto } from './market.dto.js';
import type { LevelDto, OrderbookDto } from './orderbook.dto.js';
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

/** The beginning of a part of a market's history, oldest first. */
export interface FirstSelection {
  /** From this time on, RFC 3339 in UTC. */
  readonly from?: string;
  /** Before this time. */
  readonly to?: string;
  /** How many items at most: 1 to 200, 50 where it is left out. */
  readonly limit?: number;
}

export interface FirstTradesSelection extends FirstSelection {
  /** This trade, or the next one after it. */
  readonly from_id?: string;
}

export interface FirstCandlesSelection extends FirstSelection {
  readonly interval?: CandleInterval;
}

/** What one commit changed of a market's book: one or more commands. */
export interface MarketChange {
  readonly market_id: string;
  /** That of the change before. */
  readonly previous_sequence: number;
  /** That of `OrderbookDto`. */
  readonly sequence: number;
  /** When it was committed, RFC 3339, UTC. */
  readonly timestamp: string;
  /** The levels that changed, as they are now; a size of `"0"` for those that are gone. */
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
  /** In the order in which they were made. */
  readonly trades: readonly TradeDto[];
}

/** Gets what happens on a market, after it is durable. Its methods must return at once. */
export interface MarketListener {
  /** Called for every commit that changed the book, in their order. */
  onChange(change: MarketChange): void;
  /** Commits were missed, as while another process began to lead: what was known of the market must be read anew. */
  onGap(): void;
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

  /** The first trades of a part of the history, oldest first. */
  abstract firstTrades(marketId: string, selection?: FirstTradesSelection): Promise<TradeDto[]>;

  /** The first candles of a part of the history, oldest first. */
  abstract firstCandles(marketId: string, selection?: FirstCandlesSelection): Promise<CandleDto[]>;

  /**
   * Tells the listener of every change that is committed after what `orderbook` answers at the call; returns what
   * removes it. Throws `market_not_found`.
   */
  abstract follow(marketId: string, listener: MarketListener): () => void;
}
