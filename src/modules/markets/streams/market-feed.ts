import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import type { BookChange, BookLevel, Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { CommitContinuity } from '../market-data/commit-continuity.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { checksumOf, CHECKSUM_LEVELS, type LevelDto, toLevelDto } from '../market-data/orderbook.dto.js';
import { toTradeDto, type TradeDto } from '../market-data/trade.dto.js';
import { TradeHistoryService } from '../market-data/trade-history.service.js';
import { MARKET_CHANNELS, type MarketChannel } from './market-channel.js';
import { type MarketEvent, type MarketEventData, type MarketEventType } from './market-stream.events.js';

/** How many trades a snapshot tells. */
const RECENT_TRADES = 50;
/** Tickers of one market follow each other no faster; what lies between is left out. */
const TICKER_EVERY_MS = 100;

/** Hears everything that happens in the channels that somebody watches. */
export interface MarketOutlet {
  /** The next event of a channel, for everyone who has had its snapshot. */
  publish(channel: MarketChannel, event: MarketEvent): void;
  /** Commits were missed, so everyone who follows the channel needs its snapshot again. */
  restart(marketId: string, channel: MarketChannel): void;
}

/** What is kept of a market while somebody watches it. */
class WatchedMarket {
  readonly watchers: Record<MarketChannel, number> = { l2: 0, trades: 0, ticker: 0 };
  /** Newest first; null until they were read. Trades committed meanwhile wait. */
  recentTrades: TradeDto[] | null = null;
  readonly waitingTrades: TradeDto[] = [];
  readingTrades: Promise<void> | null = null;
  tickerTimer: NodeJS.Timeout | undefined;

  get isWatched(): boolean {
    return MARKET_CHANNELS.some((channel) => this.watchers[channel] > 0);
  }
}

/**
 * Turns commits into the events of market streams, for the markets and channels that somebody watches. One
 * commit makes one event of a channel, whoever watches: the outlets encode it once and send it to all.
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
    this.unsubscribe = this.core.onCommitted((batch) => this.follow(batch));
  }

  onModuleDestroy(): void {
    this.unsubscribe();
    for (const { tickerTimer } of this.watched.values()) clearTimeout(tickerTimer);
  }

  addOutlet(outlet: MarketOutlet): void {
    this.outlets.push(outlet);
  }

  /**
   * Counts one more watcher of a channel, once the snapshot can be made at once. Every call is answered by one
   * of `unwatch`. Throws `market_not_found`.
   */
  async watch(marketId: string, channel: MarketChannel): Promise<void> {
    const view = this.catalog.view(marketId);
    const market = this.watched.get(marketId) ?? new WatchedMarket();
    this.watched.set(marketId, market);
    market.watchers[channel]++;
    try {
      if (channel === 'trades') await this.prepareTrades(marketId, market);
      // The day's figures are read once, and from then on follow the commits.
      if (channel === 'ticker') await this.catalog.describe(view);
    } catch (error) {
      this.unwatch(marketId, channel);
      throw error;
    }
  }

  unwatch(marketId: string, channel: MarketChannel): void {
    const market = this.watched.get(marketId);
    if (market === undefined) return;
    market.watchers[channel]--;
    if (market.isWatched) return;
    clearTimeout(market.tickerTimer);
    this.watched.delete(marketId);
  }

  /**
   * Where a watched channel stands now. Send it and begin to follow without waiting for anything: then every
   * later event follows it, and none that it includes.
   */
  async snapshot(marketId: string, channel: MarketChannel): Promise<MarketEvent> {
    if (channel === 'ticker') return this.ticker(marketId);
    await this.commitsTold();
    return channel === 'l2' ? this.bookSnapshot(marketId) : this.tradesSnapshot(marketId);
  }

  /**
   * What can be read is told to those who follow commits a turn of the event loop later. Once both agree they
   * do until the database says that the next batch is durable, which nothing does in the same turn.
   */
  private async commitsTold(): Promise<void> {
    while (!this.core.isTold) await new Promise((resolve) => setImmediate(resolve));
  }

  private bookSnapshot(marketId: string): MarketEvent {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const book = this.core.book(marketId, Number.MAX_SAFE_INTEGER)!;
    const bids = book.bids.map((level) => toLevelDto(level, units));
    const asks = book.asks.map((level) => toLevelDto(level, units));
    return this.event('l2.snapshot', marketId, { bids, asks, checksum: checksumOf(bids, asks) });
  }

  private tradesSnapshot(marketId: string): MarketEvent {
    return this.event('trades.snapshot', marketId, {
      trades: this.watched.get(marketId)?.recentTrades ?? [],
    });
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
    for (const [marketId, changes] of groupBy(batch.books)) {
      const market = this.watched.get(marketId);
      if (market === undefined) continue;
      if (market.watchers.l2 > 0) this.publishBook(marketId, changes);
      if (market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
    }
    for (const [marketId, trades] of groupBy(batch.trades)) {
      const market = this.watched.get(marketId);
      if (market !== undefined && market.watchers.trades > 0) this.publishTrades(marketId, market, trades);
    }
    for (const marketId of batch.marketIds) {
      const market = this.watched.get(marketId);
      if (market !== undefined && market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
    }
  }

  /** One event for all that a commit changed: of each level only what it came to. */
  private publishBook(marketId: string, changes: readonly BookChange[]): void {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const levels = (sides: readonly (readonly BookLevel[])[]): LevelDto[] =>
      [...new Map(sides.flat().map((level) => [level[0], level])).values()].map((level) =>
        toLevelDto(level, units),
      );
    const top = this.core.book(marketId, CHECKSUM_LEVELS)!;
    this.publish(
      'l2',
      this.event('l2.update', marketId, {
        previous_sequence: changes[0]!.bookSequence - 1,
        bids: levels(changes.map(({ bids }) => bids)),
        asks: levels(changes.map(({ asks }) => asks)),
        checksum: checksumOf(
          top.bids.map((level) => toLevelDto(level, units)),
          top.asks.map((level) => toLevelDto(level, units)),
        ),
      }),
    );
  }

  private publishTrades(marketId: string, market: WatchedMarket, committed: readonly Trade[]): void {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const trades = committed.map((trade) =>
      toTradeDto({ ...trade, executedAt: new Date(trade.executedAtMs) }, units),
    );
    if (market.recentTrades === null) {
      market.waitingTrades.push(...trades);
      return;
    }
    // What was read from the table may be ahead of what is told: a commit is there before its answer is here.
    const news = tradesAfter(market.recentTrades[0], trades);
    if (news.length === 0) return;
    market.recentTrades = [...news.toReversed(), ...market.recentTrades].slice(0, RECENT_TRADES);
    this.publish('trades', this.event('trades.new', marketId, { trades: news }));
  }

  private scheduleTicker(marketId: string, market: WatchedMarket): void {
    market.tickerTimer ??= setTimeout(() => {
      market.tickerTimer = undefined;
      this.ticker(marketId)
        .then((event) => this.publish('ticker', event))
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

  private restart(): void {
    for (const [marketId, market] of this.watched) {
      for (const outlet of this.outlets) outlet.restart(marketId, 'l2');
      if (market.watchers.ticker > 0) this.scheduleTicker(marketId, market);
      if (market.watchers.trades === 0) continue;
      market.recentTrades = null;
      this.prepareTrades(marketId, market)
        .then(() => {
          for (const outlet of this.outlets) outlet.restart(marketId, 'trades');
        })
        .catch((error: unknown) => {
          this.logger.warn({ err: error, msg: `trades of ${marketId} could not be taken up again` });
        });
    }
  }

  private publish(channel: MarketChannel, event: MarketEvent): void {
    for (const outlet of this.outlets) outlet.publish(channel, event);
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

function groupBy<Item extends { readonly marketId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.marketId);
    if (group === undefined) groups.set(item.marketId, [item]);
    else group.push(item);
  }
  return groups;
}
