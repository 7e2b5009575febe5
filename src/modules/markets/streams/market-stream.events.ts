import type { Acknowledgement } from '../../../kit/realtime/socket-gateway.js';
import type { TickerDto } from '../market-data/market.dto.js';
import type { BookLevelsDto, BookUpdateDto, MarketEventEnvelopeDto, TradesDto } from './market-event.dto.js';
import type { SubscribeDto, SubscriptionDto } from './market-stream.dto.js';

/** What each type of event carries. */
export interface MarketEventData {
  /** The best levels of the book, to the depth that is followed. */
  'l2.snapshot': BookLevelsDto;
  /** What changed within that depth since `previous_sequence`. */
  'l2.update': BookUpdateDto;
  /** The latest trades, newest first. */
  'trades.snapshot': TradesDto;
  'trades.new': TradesDto;
  /** The latest figures; those in between may be left out. */
  ticker: TickerDto;
}

export type MarketEventType = keyof MarketEventData;

/** An event of a market. `sequence` is that of its book when the event was made, and never goes back. */
export interface MarketEvent<
  Type extends MarketEventType = MarketEventType,
> extends Readonly<MarketEventEnvelopeDto> {
  readonly type: Type;
  readonly data: MarketEventData[Type];
}

/** What clients of the namespace `/markets` may send. */
export interface MarketClientEvents {
  subscribe(message: SubscribeDto, acknowledge: (answer: Acknowledgement<SubscriptionDto>) => void): void;
  unsubscribe(
    message: SubscriptionDto,
    acknowledge: (answer: Acknowledgement<SubscriptionDto>) => void,
  ): void;
}

/** What they receive. */
export type MarketServerEvents = {
  [Type in MarketEventType]: (event: MarketEvent<Type>) => void;
};
