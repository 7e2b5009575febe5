import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { NOBODY } from '../../../core/view/commit-listeners.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import type { Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { Broadcast } from '../../../kit/realtime/broadcast.js';
import { type EncodedEvent, encodeEvent } from '../../../kit/realtime/encoded-event.js';
import { CommitGaps } from '../market-data/commit-gaps.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toLevelDto } from '../market-data/orderbook.dto.js';
import { toTradeDto, type TradeDto } from '../market-data/trade.dto.js';
import { TradeHistoryService } from '../market-data/trade-history.service.js';
import { checksumOfBook, encodeBook } from './market-encoding.js';
import { type MarketEvent, type MarketEventData, type MarketEventType } from './market-stream.events.js';
import { MarketSubscription } from './market-subscription.js';
import { MARKET_CHANNELS, type MarketChannel, type MarketTopic, topicNameOf } from './market-topic.js';
import { SubscribedBook } from './subscribed-book.js';

/** How many trades a snapshot has. */
const RECENT_TRADES = 50;
/** The minimum interval between tickers of one market; those in between are dropped. */
const TICKER_EVERY_MS = 100;
/**
 * How long a market rests for each of its subscriptions after it has sent something: sending to one takes some
 * microseconds, and sending every commit to thousands would leave nothing for orders.
 */
const REST_PER_SUBSCRIPTION_MS = 0.05;
/** A market with so few subscriptions does not rest. */
const SUBSCRIPTIONS_WITHOUT_REST_MAX = 40;

/** The state of a market while it has subscriptions. */
class SubscribedMarket {
  readonly subscriptions: Readonly<Record<MarketChannel, Set<MarketSubscription>>> = {
    l2: new Set(),
    trades: new Set(),
    ticker: new Set(),
  };
  /** By depth; only depths that have subscriptions. */
  readonly books = new Map<number, SubscribedBook>();
  /** Newest first, as far as they were sent; null until they were read. */
  recentTrades: TradeDto[] | null = null;
  /** Committed and not sent yet. */
  readonly waitingTrades: TradeDto[] = [];
  readingTrades: Promise<void> | null = null;
  tickerTimer: NodeJS.Timeout | undefined;
  sendTimer: NodeJS.Timeout | undefined;
  restsUntilMs = 0;

  get isSubscribed(): boolean {
    return MARKET_CHANNELS.some((channel) => this.has(channel));
  }

  has(channel: MarketChannel): boolean {
    return this.subscriptions[channel].size > 0;
  }

  stop(): void {
    clearTimeout(this.tickerTimer);
    clearTimeout(this.sendTimer);
  }
}

/**
 * Turns commits into the events of markets, for the markets, channels and depths that have subscriptions. Each event
 * is made and encoded once for all of them. A market with many subscriptions sends in longer steps, each of which
 * sums up the commits since the last one.
 *
 * A subscription gets a snapshot and then every event after it.
 */
@Injectable()
export class MarketFeed implements OnModuleInit, OnModuleDestroy {
  readonly broadcast = new Broadcast();
  private readonly logger = new Logger(MarketFeed.name);
  private readonly markets = new Map<string, SubscribedMarket>();
  private readonly gaps = new CommitGaps();
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly history: TradeHistoryService,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.core.onCommitted((batch) => this.follow(batch), NOBODY);
  }

  onModuleDestroy(): void {
    this.stopListening();
    for (const market of this.markets.values()) market.stop();
  }

  /** A subscription, which sends nothing until it is connected and shown. Throws `market_not_found`. */
  subscribe(topic: MarketTopic): MarketSubscription {
    const { marketId, channel, depth } = topic;
    this.catalog.view(marketId);
    const market = this.markets.get(marketId) ?? new SubscribedMarket();
    if (channel === 'l2') {
      const book = market.books.get(depth) ?? new SubscribedBook(depth, this.core.book(marketId, depth)!);
      market.books.set(depth, book);
      book.subscribers++;
    }
    this.markets.set(marketId, market);
    const subscription: MarketSubscription = new MarketSubscription(topic, {
      ready: this.prepare(topic, market),
      broadcast: this.broadcast,
      snapshot: (receive) => this.snapshot(topic, receive),
      forget: () => this.forget(subscription, market),
    });
    market.subscriptions[channel].add(subscription);
    return subscription;
  }

  /**
   * Passes on a topic's last sent state. A receiver that joins the broadcast before `receive` returns gets every
   * later event, and none that the snapshot includes.
   */
  private async snapshot(topic: MarketTopic, receive: (snapshot: EncodedEvent) => void): Promise<void> {
    const { marketId, channel, depth } = topic;
    if (channel === 'ticker') {
      receive(encodeEvent(await this.ticker(marketId)));
      return;
    }
    if (channel === 'trades') await this.commitsNotified();
    const market = this.markets.get(marketId);
    if (market === undefined) return;
    if (channel === 'trades') receive(encodeEvent(this.tradesSnapshot(marketId, market)));
    else {
      const book = market.books.get(depth);
      if (book !== undefined) receive(this.bookSnapshot(marketId, book));
    }
  }

  private forget(subscription: MarketSubscription, market: SubscribedMarket): void {
    const { channel, depth, marketId } = subscription.topic;
    const book = channel === 'l2' ? market.books.get(depth) : undefined;
    if (book !== undefined && --book.subscribers === 0) market.books.delete(depth);
    market.subscriptions[channel].delete(subscription);
    if (market.isSubscribed) return;
    market.stop();
    this.markets.delete(marketId);
  }

  private async prepare({ channel, marketId }: MarketTopic, market: SubscribedMarket): Promise<void> {
    if (channel === 'trades') await this.prepareTrades(marketId, market);
    // The day's figures are read once, and from then on follow the commits.
    if (channel === 'ticker') await this.catalog.describe(this.catalog.view(marketId));
  }

  /**
   * Commits become readable one turn of the event loop before listeners are notified. Once both agree, they stay equal for
   * this turn, since no commit completes within it.
   */
  private async commitsNotified(): Promise<void> {
    while (!this.core.hasNotifiedAll) await new Promise((resolve) => setImmediate(resolve));
  }

  private bookSnapshot(marketId: string, sent: SubscribedBook): EncodedEvent {
    const units = unitsOf(this.catalog.view(marketId).definition);
    return (sent.snapshot ??= encodeBook(sent.book, units));
  }

  private tradesSnapshot(marketId: string, { recentTrades }: SubscribedMarket): MarketEvent {
    return this.event('trades.snapshot', marketId, { trades: recentTrades ?? [] });
  }

  private async ticker(marketId: string): Promise<MarketEvent> {
    const { ticker } = await this.catalog.get(marketId);
    return this.event('ticker', marketId, ticker);
  }

  private follow(batch: CommittedBatch): void {
    if (this.markets.size === 0) {
      this.gaps.missedBefore(batch);
      return;
    }
    if (this.gaps.missedBefore(batch)) {
      this.restart();
      return;
    }
    for (const trade of batch.trades) this.takeTrade(trade);
    const marketIds = [...batch.books, ...batch.trades].map(({ marketId }) => marketId);
    for (const marketId of new Set(marketIds)) {
      const market = this.markets.get(marketId);
      if (market === undefined) continue;
      if (market.has('l2') || market.has('trades')) this.sendSoon(marketId, market);
      if (market.has('ticker')) this.scheduleTicker(marketId, market);
    }
    for (const marketId of batch.marketIds) {
      const market = this.markets.get(marketId);
      if (market?.has('ticker') === true) this.scheduleTicker(marketId, market);
    }
  }

  private takeTrade(trade: Trade): void {
    const market = this.markets.get(trade.marketId);
    if (market?.has('trades') !== true) return;
    const units = unitsOf(this.catalog.view(trade.marketId).definition);
    market.waitingTrades.push(toTradeDto({ ...trade, executedAt: new Date(trade.executedAtMs) }, units));
  }

  /** At once, unless the market still rests from what it sent before. */
  private sendSoon(marketId: string, market: SubscribedMarket): void {
    const waitMs = market.restsUntilMs - performance.now();
    if (waitMs <= 0) this.sendChanges(marketId, market);
    else market.sendTimer ??= setTimeout(() => this.sendChanges(marketId, market), waitMs);
  }

  /** All that was committed since the last time, in one event of each topic. */
  private sendChanges(marketId: string, market: SubscribedMarket): void {
    clearTimeout(market.sendTimer);
    market.sendTimer = undefined;
    const { l2, trades } = market.subscriptions;
    const count = l2.size + trades.size;
    const restMs = count > SUBSCRIPTIONS_WITHOUT_REST_MAX ? count * REST_PER_SUBSCRIPTION_MS : 0;
    market.restsUntilMs = performance.now() + restMs;
    try {
      if (l2.size > 0) this.sendBooks(marketId, market);
      if (trades.size > 0) this.sendTrades(marketId, market);
    } catch (error) {
      // The next events include what failed now.
      this.logger.warn({ err: error, msg: `nothing could be sent of ${marketId}` });
    }
  }

  private sendBooks(marketId: string, { books }: SubscribedMarket): void {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const book = this.core.book(marketId, Math.max(...books.keys()))!;
    for (const [depth, sent] of books) {
      const change = sent.advance(book);
      if (change === undefined) continue;
      const event = this.event('l2.update', marketId, {
        previous_sequence: change.previousSequence,
        bids: change.bids.map((level) => toLevelDto(level, units)),
        asks: change.asks.map((level) => toLevelDto(level, units)),
        checksum: checksumOfBook(sent.book, units),
      });
      this.send({ marketId, channel: 'l2', depth }, event);
    }
  }

  private sendTrades(marketId: string, market: SubscribedMarket): void {
    if (market.recentTrades === null) return;
    // The table may be ahead of this process: a commit is readable before its acknowledgement arrives here.
    const news = tradesAfter(market.recentTrades[0], market.waitingTrades.splice(0));
    if (news.length === 0) return;
    market.recentTrades = [...news.toReversed(), ...market.recentTrades].slice(0, RECENT_TRADES);
    this.send(
      { marketId, channel: 'trades', depth: 0 },
      this.event('trades.new', marketId, { trades: news }),
    );
  }

  private scheduleTicker(marketId: string, market: SubscribedMarket): void {
    market.tickerTimer ??= setTimeout(() => {
      market.tickerTimer = undefined;
      this.ticker(marketId)
        .then((event) => this.send({ marketId, channel: 'ticker', depth: 0 }, event))
        .catch((error: unknown) => this.logger.warn({ err: error, msg: `no ticker of ${marketId}` }));
    }, TICKER_EVERY_MS);
  }

  /** The latest trades, read once for all who ask for them at the same time. */
  private async prepareTrades(marketId: string, market: SubscribedMarket): Promise<void> {
    if (market.recentTrades !== null) return;
    market.readingTrades ??= this.readTrades(marketId, market).finally(() => {
      market.readingTrades = null;
    });
    await market.readingTrades;
  }

  /** Reads the latest trades, and joins those that were committed while they were read. */
  private async readTrades(marketId: string, market: SubscribedMarket): Promise<void> {
    const { data } = await this.history.listTrades(marketId, { limit: RECENT_TRADES });
    const newer = tradesAfter(data[0], market.waitingTrades).toReversed();
    market.recentTrades = [...newer, ...data].slice(0, RECENT_TRADES);
    market.waitingTrades.length = 0;
  }

  /** Commits were missed. Subscribers are sent what books came to, however that came about; trades must be read again. */
  private restart(): void {
    for (const [marketId, market] of this.markets) {
      if (market.has('ticker')) this.scheduleTicker(marketId, market);
      if (market.has('trades')) {
        market.recentTrades = null;
        this.prepareTrades(marketId, market)
          .then(() => {
            for (const subscription of market.subscriptions.trades) void subscription.show();
          })
          .catch((error: unknown) => {
            this.logger.warn({ err: error, msg: `trades of ${marketId} could not be taken up again` });
          });
      }
      if (market.has('l2')) this.sendSoon(marketId, market);
    }
  }

  private send(topic: MarketTopic, event: MarketEvent): void {
    this.broadcast.send(topicNameOf(topic), event);
  }

  private event<Type extends MarketEventType>(
    type: Type,
    marketId: string,
    data: MarketEventData[Type],
  ): MarketEvent<Type> {
    const { bookSequence } = this.catalog.view(marketId);
    return {
      type,
      market_id: marketId,
      sequence: bookSequence,
      created_at: new Date().toISOString(),
      data,
    };
  }
}

/** Ids sort as trades were made. */
function tradesAfter(last: TradeDto | undefined, trades: readonly TradeDto[]): TradeDto[] {
  return trades.filter(({ trade_id }) => last === undefined || trade_id > last.trade_id);
}
