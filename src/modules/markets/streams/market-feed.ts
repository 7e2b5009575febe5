import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { NOBODY } from '../../../core/commit-listeners.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import type { Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { CommitContinuity } from '../market-data/commit-continuity.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toLevelDto } from '../market-data/orderbook.dto.js';
import { toTradeDto, type TradeDto } from '../market-data/trade.dto.js';
import { TradeHistoryService } from '../market-data/trade-history.service.js';
import { MARKET_CHANNELS, type MarketChannel, type MarketTopic } from './market-channel.js';
import { checksumOfBook, type EncodedMarketEvent, encodeBook, encodeMarketEvent } from './market-encoding.js';
import { type MarketEvent, type MarketEventData, type MarketEventType } from './market-stream.events.js';
import { ToldBook } from './told-book.js';

/** How many trades a snapshot tells. */
const RECENT_TRADES = 50;
/** Tickers of one market follow each other no faster; what lies between is left out. */
const TICKER_EVERY_MS = 100;
/**
 * How long a market rests for each of its watchers after it has told them something: to tell one takes some
 * microseconds, and telling thousands of every commit would leave nothing for orders.
 */
const REST_PER_WATCHER_MS = 0.05;
/** So few are told at once. */
const WATCHERS_TOLD_AT_ONCE = 40;

/** Hears everything that happens in the topics that somebody watches. */
export interface MarketOutlet {
  /** The next event of a topic, for everyone who has had its snapshot. */
  publish(topic: MarketTopic, event: MarketEvent): void;
  /** Commits were missed, so everyone who follows the topic needs its snapshot again. */
  restart(topic: MarketTopic): void;
}

/** Somebody's wish to be told of a topic. */
export interface MarketWatch {
  /** Resolves once the snapshot can be made at once. */
  readonly ready: Promise<void>;
  /** Takes the wish back; whoever does so twice does no harm. */
  end(): void;
}

/** What is kept of a market while somebody watches it. */
class WatchedMarket {
  readonly watchers: Record<MarketChannel, number> = { l2: 0, trades: 0, ticker: 0 };
  /** By depth; only depths that somebody follows. */
  readonly books = new Map<number, ToldBook>();
  /** Newest first, as far as they have been told; null until they were read. */
  recentTrades: TradeDto[] | null = null;
  /** Committed and not told yet. */
  readonly waitingTrades: TradeDto[] = [];
  readingTrades: Promise<void> | null = null;
  tickerTimer: NodeJS.Timeout | undefined;
  tellTimer: NodeJS.Timeout | undefined;
  restsUntilMs = 0;

  get isWatched(): boolean {
    return MARKET_CHANNELS.some((channel) => this.watchers[channel] > 0);
  }

  stop(): void {
    clearTimeout(this.tickerTimer);
    clearTimeout(this.tellTimer);
  }
}

/**
 * Turns commits into the events of market streams, for the markets, channels and depths that somebody watches.
 * Whatever is told is made once, whoever watches: the outlets encode it once and send it to all. A market that
 * many watch is told of in longer steps, each of which tells what the commits since the last one came to.
 *
 * A watcher is told a snapshot and then every event after it.
 */
@Injectable()
export class MarketFeed implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(MarketFeed.name);
  private readonly outlets: MarketOutlet[] = [];
  private readonly watched = new Map<string, WatchedMarket>();
  private readonly continuity = new CommitContinuity();
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly history: TradeHistoryService,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => this.follow(batch), NOBODY);
  }

  onModuleDestroy(): void {
    this.unsubscribe();
    for (const market of this.watched.values()) market.stop();
  }

  addOutlet(outlet: MarketOutlet): void {
    this.outlets.push(outlet);
  }

  /** Counts one more watcher of a topic, until it is ended. Throws `market_not_found`. */
  watch(topic: MarketTopic): MarketWatch {
    const { marketId, channel, depth } = topic;
    this.catalog.view(marketId);
    const market = this.watched.get(marketId) ?? new WatchedMarket();
    if (channel === 'l2') {
      const told = market.books.get(depth) ?? new ToldBook(depth, this.core.book(marketId, depth)!);
      market.books.set(depth, told);
      told.followers++;
    }
    this.watched.set(marketId, market);
    market.watchers[channel]++;
    let isEnded = false;
    return {
      ready: this.prepare(topic, market),
      end: () => {
        if (!isEnded) this.unwatch(topic, market);
        isEnded = true;
      },
    };
  }

  /**
   * Hands over where a watched topic stands, as its watchers were last told. Who begins to follow before it
   * returns from `receive` gets every later event, and none that the snapshot includes.
   */
  async snapshot(topic: MarketTopic, receive: (snapshot: EncodedMarketEvent) => void): Promise<void> {
    const { marketId, channel, depth } = topic;
    if (channel === 'ticker') {
      receive(encodeMarketEvent(await this.ticker(marketId)));
      return;
    }
    if (channel === 'trades') await this.commitsTold();
    const market = this.watched.get(marketId);
    if (market === undefined) return;
    if (channel === 'trades') receive(encodeMarketEvent(this.tradesSnapshot(marketId, market)));
    else {
      const told = market.books.get(depth);
      if (told !== undefined) receive(this.bookSnapshot(marketId, told));
    }
  }

  private unwatch({ channel, depth, marketId }: MarketTopic, market: WatchedMarket): void {
    const told = channel === 'l2' ? market.books.get(depth) : undefined;
    if (told !== undefined && --told.followers === 0) market.books.delete(depth);
    market.watchers[channel]--;
    if (market.isWatched) return;
    market.stop();
    this.watched.delete(marketId);
  }

  private async prepare({ channel, marketId }: MarketTopic, market: WatchedMarket): Promise<void> {
    if (channel === 'trades') await this.prepareTrades(marketId, market);
    // The day's figures are read once, and from then on follow the commits.
    if (channel === 'ticker') await this.catalog.describe(this.catalog.view(marketId));
  }

  /**
   * What can be read is told to those who follow commits a turn of the event loop later. Once both agree they
   * do until the database says that the next batch is durable, which nothing does in the same turn.
   */
  private async commitsTold(): Promise<void> {
    while (!this.core.isTold) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Made once for all who ask before the book moves on. */
  private bookSnapshot(marketId: string, told: ToldBook): EncodedMarketEvent {
    const { book } = told;
    told.snapshotJson ??= encodeBook(book, unitsOf(this.catalog.view(marketId).definition));
    return { type: 'l2.snapshot', sequence: book.bookSequence, json: told.snapshotJson };
  }

  private tradesSnapshot(marketId: string, { recentTrades }: WatchedMarket): MarketEvent {
    return this.event('trades.snapshot', marketId, { trades: recentTrades ?? [] });
  }

  private async ticker(marketId: string): Promise<MarketEvent> {
    const { ticker } = await this.catalog.get(marketId);
    return this.event('ticker', marketId, ticker);
  }

  private follow(batch: CommittedBatch): void {
    if (this.watched.size === 0) {
      this.continuity.missedBefore(batch);
      return;
    }
    if (this.continuity.missedBefore(batch)) {
      this.restart();
      return;
    }
    for (const trade of batch.trades) this.takeTrade(trade);
    const marketIds = [...batch.books, ...batch.trades].map(({ marketId }) => marketId);
    for (const marketId of new Set(marketIds)) {
      const market = this.watched.get(marketId);
      if (market === undefined) continue;
      if (market.watchers.l2 + market.watchers.trades > 0) this.tellSoon(marketId, market);
      if (market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
    }
    for (const marketId of batch.marketIds) {
      const market = this.watched.get(marketId);
      if (market !== undefined && market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
    }
  }

  private takeTrade(trade: Trade): void {
    const market = this.watched.get(trade.marketId);
    if (market === undefined || market.watchers.trades === 0) return;
    const units = unitsOf(this.catalog.view(trade.marketId).definition);
    market.waitingTrades.push(toTradeDto({ ...trade, executedAt: new Date(trade.executedAtMs) }, units));
  }

  /** At once, unless the market still rests from what it told before. */
  private tellSoon(marketId: string, market: WatchedMarket): void {
    const waitMs = market.restsUntilMs - performance.now();
    if (waitMs <= 0) this.tell(marketId, market);
    else market.tellTimer ??= setTimeout(() => this.tell(marketId, market), waitMs);
  }

  /** All that was committed since the last time, in one event of each topic. */
  private tell(marketId: string, market: WatchedMarket): void {
    clearTimeout(market.tellTimer);
    market.tellTimer = undefined;
    const watchers = market.watchers.l2 + market.watchers.trades;
    const restMs = watchers > WATCHERS_TOLD_AT_ONCE ? watchers * REST_PER_WATCHER_MS : 0;
    market.restsUntilMs = performance.now() + restMs;
    try {
      if (market.watchers.l2 > 0) this.publishBooks(marketId, market);
      if (market.watchers.trades > 0) this.publishTrades(marketId, market);
    } catch (error) {
      // What was not told is told with what comes next.
      this.logger.warn({ err: error, msg: `nothing could be told of ${marketId}` });
    }
  }

  private publishBooks(marketId: string, { books }: WatchedMarket): void {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const book = this.core.book(marketId, Math.max(...books.keys()))!;
    for (const [depth, told] of books) {
      const change = told.advance(book);
      if (change === undefined) continue;
      const event = this.event('l2.update', marketId, {
        previous_sequence: change.previousSequence,
        bids: change.bids.map((level) => toLevelDto(level, units)),
        asks: change.asks.map((level) => toLevelDto(level, units)),
        checksum: checksumOfBook(told.book, units),
      });
      this.publish({ marketId, channel: 'l2', depth }, event);
    }
  }

  private publishTrades(marketId: string, market: WatchedMarket): void {
    if (market.recentTrades === null) return;
    // What was read from the table may be ahead of what is told: a commit is there before its answer is here.
    const news = tradesAfter(market.recentTrades[0], market.waitingTrades.splice(0));
    if (news.length === 0) return;
    market.recentTrades = [...news.toReversed(), ...market.recentTrades].slice(0, RECENT_TRADES);
    this.publish(
      { marketId, channel: 'trades', depth: 0 },
      this.event('trades.new', marketId, { trades: news }),
    );
  }

  private scheduleTicker(marketId: string, market: WatchedMarket): void {
    market.tickerTimer ??= setTimeout(() => {
      market.tickerTimer = undefined;
      this.ticker(marketId)
        .then((event) => this.publish({ marketId, channel: 'ticker', depth: 0 }, event))
        .catch((error: unknown) => this.logger.warn({ err: error, msg: `no ticker of ${marketId}` }));
    }, TICKER_EVERY_MS);
  }

  /** The latest trades, read once for all who ask for them at the same time. */
  private async prepareTrades(marketId: string, market: WatchedMarket): Promise<void> {
    if (market.recentTrades !== null) return;
    market.readingTrades ??= this.readTrades(marketId, market).finally(() => {
      market.readingTrades = null;
    });
    await market.readingTrades;
  }

  /** Reads the latest trades, and joins those that were committed while they were read. */
  private async readTrades(marketId: string, market: WatchedMarket): Promise<void> {
    const { data } = await this.history.listTrades(marketId, { limit: RECENT_TRADES });
    const newer = tradesAfter(data[0], market.waitingTrades).toReversed();
    market.recentTrades = [...newer, ...data].slice(0, RECENT_TRADES);
    market.waitingTrades.length = 0;
  }

  /** Books tell what they came to, however that came about; trades must be read again. */
  private restart(): void {
    for (const [marketId, market] of this.watched) {
      if (market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
      if (market.watchers.trades > 0) {
        market.recentTrades = null;
        this.prepareTrades(marketId, market)
          .then(() => {
            for (const outlet of this.outlets) outlet.restart({ marketId, channel: 'trades', depth: 0 });
          })
          .catch((error: unknown) => {
            this.logger.warn({ err: error, msg: `trades of ${marketId} could not be taken up again` });
          });
      }
      if (market.watchers.l2 > 0) this.tellSoon(marketId, market);
    }
  }

  private publish(topic: MarketTopic, event: MarketEvent): void {
    for (const outlet of this.outlets) outlet.publish(topic, event);
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
