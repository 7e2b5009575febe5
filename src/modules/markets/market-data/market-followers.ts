import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { NOBODY } from '../../../core/view/commit-listeners.js';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import type { BookChange, Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { MarketCatalogService } from './market-catalog.service.js';
import type { MarketListener } from './market-data.js';
import { toLevelDto } from './orderbook.dto.js';
import { toTradeDto } from './trade.dto.js';

interface FollowedMarket {
  /** The book's sequence that the listeners know of. */
  sequence: number;
  readonly listeners: Set<MarketListener>;
}

/** Tells listeners in this process of what is committed in the markets that they follow. */
@Injectable()
export class MarketFollowers implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(MarketFollowers.name);
  private readonly markets = new Map<string, FollowedMarket>();
  /** Up to here everything is known, or was read; undefined until somebody follows. */
  private lastSequence: number | undefined;
  private hasHeard = false;
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.core.onCommitted((batch) => this.take(batch), NOBODY);
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** Throws `market_not_found`. */
  follow(marketId: string, listener: MarketListener): () => void {
    const { bookSequence } = this.catalog.view(marketId);
    this.lastSequence ??= this.core.sequence();
    const market = this.markets.get(marketId) ?? { sequence: bookSequence, listeners: new Set() };
    this.markets.set(marketId, market);
    market.listeners.add(listener);
    return () => {
      market.listeners.delete(listener);
      if (market.listeners.size === 0 && this.markets.get(marketId) === market) this.markets.delete(marketId);
    };
  }

  private take(batch: CommittedBatch): void {
    const hasGap = this.missedBefore(batch);
    if (this.markets.size === 0) return;
    if (hasGap) {
      this.restart();
      return;
    }
    for (const change of batch.books) {
      const market = this.markets.get(change.marketId);
      if (market === undefined) continue;
      // A batch may have several changes of one market: each with its own trades.
      const trades = batch.trades.filter(
        ({ marketId, bookSequence }) =>
          marketId === change.marketId &&
          bookSequence > market.sequence &&
          bookSequence <= change.bookSequence,
      );
      this.notifyFollowers(market, change, trades, batch.timeMs);
    }
  }

  /** Whether anything was committed between what is known and this batch. */
  private missedBefore({ firstSequence, lastSequence }: CommittedBatch): boolean {
    const { lastSequence: known, hasHeard } = this;
    if (known === undefined) return false;
    this.lastSequence = lastSequence;
    this.hasHeard = true;
    // A commit is readable before it is published, so the first one may have been read.
    return hasHeard ? firstSequence !== known + 1 : firstSequence > known + 1;
  }

  private notifyFollowers(
    market: FollowedMarket,
    { marketId, bookSequence, bids, asks }: BookChange,
    trades: readonly Trade[],
    timeMs: number,
  ): void {
    // A commit is readable one turn of the event loop before listeners are notified: it was there when this was first followed.
    if (bookSequence <= market.sequence) return;
    const units = unitsOf(this.catalog.view(marketId).definition);
    const change = {
      market_id: marketId,
      previous_sequence: market.sequence,
      sequence: bookSequence,
      timestamp: new Date(timeMs).toISOString(),
      bids: bids.map((level) => toLevelDto(level, units)),
      asks: asks.map((level) => toLevelDto(level, units)),
      trades: trades.map((trade) =>
        toTradeDto({ ...trade, executedAt: new Date(trade.executedAtMs) }, units),
      ),
    };
    market.sequence = bookSequence;
    this.notifyAll(market, (listener) => listener.onChange(change));
  }

  private restart(): void {
    for (const [marketId, market] of this.markets) {
      market.sequence = this.core.market(marketId)?.bookSequence ?? market.sequence;
      this.notifyAll(market, (listener) => listener.onGap());
    }
  }

  /** One that fails keeps no other from what happened. */
  private notifyAll({ listeners }: FollowedMarket, notify: (listener: MarketListener) => void): void {
    for (const listener of [...listeners]) {
      try {
        notify(listener);
      } catch (error) {
        this.logger.error({ err: error, msg: 'a follower of a market failed' });
      }
    }
  }
}
