import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { NOBODY } from '../../../core/view/commit-listeners.js';
import type { CommittedBatch, MarketView } from '../../../core/core.types.js';
import type { Trade } from '../../../domain/engine/types.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { CandleProjection } from './candle-projection.js';
import { INTERVAL_SECONDS } from './candle.dto.js';
import { CommitGaps } from './commit-gaps.js';
import { RollingWindow, type WindowSummary, windowStart } from './rolling-window.js';

/** How many markets' windows are kept; one that is not is read again from its candles. */
const WINDOWS_MAX = 2_000;

/** The day's minutes from the candles, and those of the few trades behind them, in one snapshot. */
const LOAD = `
  WITH tail AS (
    SELECT date_bin('1 minute', executed_at, 'epoch') AS start, price_ticks, size_lots, trade_id
    FROM trades
    WHERE market_id = $1
      AND trade_id > coalesce((SELECT sequence FROM journal_cursors WHERE name = 'candles:' || $1), 0)
  )
  SELECT start, high_ticks AS high, low_ticks AS low, volume_lots AS volume, NULL::bigint AS last_trade
  FROM candles WHERE market_id = $1 AND interval_seconds = $2 AND start >= $3
  UNION ALL
  SELECT start, max(price_ticks), min(price_ticks), sum(size_lots), max(trade_id) FROM tail GROUP BY start
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, sequence FROM journal_cursors WHERE name = 'candles:' || $1
  ORDER BY start NULLS FIRST`;

interface LoadedMinute {
  readonly start: Date | null;
  readonly high: string;
  readonly low: string;
  readonly volume: string;
  readonly last_trade: string | null;
}

/** A window that is read once from the database and follows the commits from then on. */
class MarketWindow {
  private readonly window = new RollingWindow();
  /** Trades that were committed while the window was being read. */
  private waiting: Trade[] | null = [];
  /** The last trade that was read: commits tell of it too, a moment after it can be read. */
  private lastReadTradeId = 0;
  readonly loaded: Promise<void>;

  constructor(load: () => Promise<readonly LoadedMinute[]>) {
    this.loaded = load().then((rows) => this.fill(rows));
  }

  record(trade: Trade): void {
    if (this.waiting !== null) this.waiting.push(trade);
    else if (trade.tradeId > this.lastReadTradeId) {
      this.window.add(trade.executedAtMs, trade.priceTicks, trade.sizeLots);
    }
  }

  summary(nowMs: number): WindowSummary {
    return this.window.summary(nowMs);
  }

  private fill(rows: readonly LoadedMinute[]): void {
    for (const row of rows) {
      this.lastReadTradeId = Math.max(this.lastReadTradeId, Number(row.last_trade));
      if (row.start === null) continue;
      this.window.merge({
        startMs: row.start.getTime(),
        highTicks: Number(row.high),
        lowTicks: Number(row.low),
        volumeLots: BigInt(row.volume),
      });
    }
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const trade of waiting) this.record(trade);
  }
}

/**
 * What each market traded in the last 24 hours. The first to ask for a market has its minutes read
 * from the candles; from then on every commit is added as it happens, and asking costs no query.
 */
@Injectable()
export class TickerService implements OnModuleInit, OnModuleDestroy {
  private readonly windows = new LRUCache<string, MarketWindow>({ max: WINDOWS_MAX });
  private readonly gaps = new CommitGaps();
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly candles: CandleProjection,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    const record = (batch: CommittedBatch): void => {
      if (this.gaps.missedBefore(batch)) this.windows.clear();
      for (const trade of batch.trades) this.windows.peek(trade.marketId)?.record(trade);
    };
    this.unsubscribe = this.core.onCommitted(record, NOBODY);
  }

  onModuleDestroy(): void {
    this.unsubscribe();
  }

  /** Volume, high and low of the last 24 hours, counted in whole minutes. */
  async dayOf(market: MarketView, nowMs: number): Promise<WindowSummary> {
    const { marketId } = market.definition;
    let window = this.windows.get(marketId);
    if (window === undefined) {
      window = new MarketWindow(() => this.load(marketId, nowMs));
      this.windows.set(marketId, window);
      // A window that could not be read is forgotten, so that the next one who asks tries again.
      window.loaded.catch(() => this.windows.delete(marketId));
    }
    await window.loaded;
    return window.summary(nowMs);
  }

  private async load(marketId: string, nowMs: number): Promise<readonly LoadedMinute[]> {
    await this.candles.catchUp(marketId);
    const { rows } = await this.pool.query<LoadedMinute>(LOAD, [
      marketId,
      INTERVAL_SECONDS['1m'],
      new Date(windowStart(nowMs)),
    ]);
    return rows;
  }
}
