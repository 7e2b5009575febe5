import {
  serverEvents,
  socketChannel,
  streamChannel,
} from '../../../kit/realtime/asyncapi/event-catalogue.js';
import { TickerDto } from '../market-data/market.dto.js';
import { BookLevelsDto, BookUpdateDto, MarketEventEnvelopeDto, TradesDto } from './market-event.dto.js';
import { SubscribeDto, SubscriptionDto } from './market-stream.dto.js';
import type { MarketClientEvents, MarketServerEvents } from './market-stream.events.js';

const envelope = MarketEventEnvelopeDto;

const EVENTS = serverEvents<MarketServerEvents>({
  'l2.snapshot': {
    summary: 'The best levels of the book, `depth` of each side',
    envelope,
    data: BookLevelsDto,
  },
  'l2.update': {
    summary:
      'What changed of these levels since `previous_sequence`; one that is gone, or no longer among them, has the size `"0"`',
    envelope,
    data: BookUpdateDto,
  },
  'trades.snapshot': { summary: 'The latest trades, newest first', envelope, data: TradesDto },
  'trades.new': { summary: 'Trades that have just been made', envelope, data: TradesDto },
  ticker: { summary: 'The latest figures; those in between may be left out', envelope, data: TickerDto },
});

export const MARKETS_SOCKET = socketChannel<MarketClientEvents, MarketServerEvents>({
  namespace: '/markets',
  title: 'Markets',
  description:
    'Books, trades and tickers of any number of markets. Each subscription begins with a snapshot; of a market that ' +
    'many follow, what several commits changed is told at once. A client that reads too slowly is sent nothing until it has caught up, and then new snapshots.',
  receives: {
    subscribe: { summary: 'Follow channels of a market', message: SubscribeDto, answer: SubscriptionDto },
    unsubscribe: {
      summary: 'Follow channels of a market no longer',
      message: SubscriptionDto,
      answer: SubscriptionDto,
    },
  },
  sends: EVENTS,
});

export const MARKET_STREAM = streamChannel<MarketServerEvents>({
  path: '/markets/{market_id}/stream',
  title: 'One market',
  description:
    'Of each channel a snapshot, then every event; `?depth=` says how much of the book. `id` is the sequence of the book.',
  parameters: { market_id: { description: 'The market.', example: 'BTC-USD' } },
  sends: EVENTS,
});
