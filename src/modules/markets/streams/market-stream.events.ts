import type { Acknowledgement } from '../../../platform/realtime/socket-gateway.js';
import type { LevelDto } from '../market-data/orderbook.dto.js';
import type { TickerDto } from '../market-data/market.dto.js';
import type { TradeDto } from '../market-data/trade.dto.js';
import type { SubscriptionDto } from './market-stream.dto.js';

/** The levels of a book, or those of them that changed; a size of `"0"` removes its level. */
export interface BookLevels {
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
  /** Of the book that this leads to, as `GET /markets/{market_id}/orderbook` tells it. */
  readonly checksum: string;
}

/** What each type of event carries. */
export interface MarketEventData {
  /** The whole book. */
  'l2.snapshot': BookLevels;
  /** What changed since `previous_sequence`. */
  'l2.update': BookLevels & { readonly previous_sequence: number };
  /** The latest trades, newest first. */
  'trades.snapshot': { readonly trades: readonly TradeDto[] };
  'trades.new': { readonly trades: readonly TradeDto[] };
  /** The latest figures; those in between may be left out. */
  ticker: TickerDto;
}

export type MarketEventType = keyof MarketEventData;

/** An event of a market. `sequence` is that of its book when the event was made, and never goes back. */
export interface MarketEvent<Type extends MarketEventType = MarketEventType> {
  readonly type: Type;
  readonly market_id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: MarketEventData[Type];
}

/** What clients of the namespace `/markets` may send. */
export interface MarketClientEvents {
  subscribe(message: SubscriptionDto, acknowledge: (answer: Acknowledgement<SubscriptionDto>) => void): void;
  unsubscribe(
    message: SubscriptionDto,
    acknowledge: (answer: Acknowledgement<SubscriptionDto>) => void,
  ): void;
}

/** What they receive. */
export type MarketServerEvents = {
  [Type in MarketEventType]: (event: MarketEvent<Type>) => void;
};
