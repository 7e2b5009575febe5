import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { PG_POOL } from '../../../platform/database/pg-pool.js';
import { ApiError } from '../../../platform/http/errors.js';
import { INTERVAL_SECONDS } from './candle.dto.js';
import { CommitContinuity } from './commit-continuity.js';

/** How many trades one step folds into candles. */
const STEP_TRADES = 5_000;
/** How many steps a reader waits for before it is told to come back. */
const STEPS_PER_READ_MAX = 10;

/**
 * Folds the next trades of a market into candles of every interval and moves the market's cursor, in
 * one statement: the cursor's row lock makes two of them take turns, and a crash between the two halves
 * cannot happen.
 */
const FOLD = `
  WITH cursor AS (
    SELECT sequence FROM journal_cursors WHERE name = $2 FOR UPDATE
  ), taken AS (
    SELECT trade_id, price_ticks, size_lots, executed_at
    FROM trades
    WHERE market_id = $1 AND trade_id > (SELECT sequence FROM cursor)
    ORDER BY trade_id
    LIMIT ${STEP_TRADES}
  ), folded AS (
    SELECT seconds, date_bin(make_interval(secs => seconds), executed_at, 'epoch') AS start,
      (array_agg(price_ticks ORDER BY trade_id))[1] AS open,
      max(price_ticks) AS high, min(price_ticks) AS low,
      (array_agg(price_ticks ORDER BY trade_id DESC))[1] AS close,
      sum(size_lots) AS volume
    FROM taken CROSS JOIN unnest($3::integer[]) AS seconds
    GROUP BY 1, 2
  ), stored AS (
    INSERT INTO candles AS c
      (market_id, interval_seconds, start, open_ticks, high_ticks, low_ticks, close_ticks, volume_lots)
    SELECT $1, seconds, start, open, high, low, close, volume FROM folded
    ON CONFLICT (market_id, interval_seconds, start) DO UPDATE SET
      high_ticks = greatest(c.high_ticks, excluded.high_ticks),
      low_ticks = least(c.low_ticks, excluded.low_ticks),
      close_ticks = excluded.close_ticks,
      volume_lots = c.volume_lots + excluded.volume_lots
  ), moved AS (
    UPDATE journal_cursors SET sequence = (SELECT max(trade_id) FROM taken)
    WHERE name = $2 AND EXISTS (SELECT 1 FROM taken)
  )
  SELECT (SELECT count(*)::integer FROM cursor) AS cursors, (SELECT count(*)::integer FROM taken) AS trades`;

/** What is known of trades that no candle has yet. */
interface Backlog {
  /** Trades committed since the last step began; only those that this process saw. */
  seen: number;
  /** Whether the last step found the end; before, there may be trades that this process was not told of. */
  isComplete: boolean;
  running: Promise<boolean> | null;
}

/**
 * Keeps the candles up with the trades. Each market has a durable cursor, so work is done once across
 * restarts; whoever reads candles has them caught up first, and a market that trades much is caught up
 * on the way, so that no reader finds a long queue.
 */
@Injectable()
export class CandleProjection implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(CandleProjection.name);
  private readonly backlogs = new Map<string, Backlog>();
  private readonly continuity = new CommitContinuity();
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => this.count(batch));
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await Promise.allSettled([...this.backlogs.values()].flatMap((backlog) => backlog.running ?? []));
  }

  /** Resolves once every trade committed before the call is in the candles. Throws `temporarily_unavailable`. */
  async catchUp(marketId: string): Promise<void> {
    const backlog = this.backlogOf(marketId);
    if (backlog.isComplete && backlog.seen === 0) return;
    // A step that is running may have begun before the trade that the caller knows of; later ones see it.
    await backlog.running;
    for (let step = 0; step < STEPS_PER_READ_MAX; step++) {
      if (await this.step(marketId, backlog)) return;
    }
    throw new ApiError(
      'temporarily_unavailable',
      'Candles of this market are being rebuilt. Try again in a few seconds.',
      {
        headers: { 'Retry-After': '2' },
      },
    );
  }

  private count(batch: CommittedBatch): void {
    if (this.continuity.missedBefore(batch)) {
      // Counted as one at least, so that the next reader looks for itself.
      for (const backlog of this.backlogs.values()) backlog.seen++;
    }
    for (const trade of batch.trades) {
      const backlog = this.backlogOf(trade.marketId);
      backlog.seen++;
      if (backlog.seen >= STEP_TRADES && backlog.running === null) {
        this.step(trade.marketId, backlog).catch((error: unknown) => {
          this.logger.warn(`candles of ${trade.marketId} will be caught up later: ${String(error)}`);
        });
      }
    }
  }

  /** One step, or the one that is running; tells whether it reached the last trade. */
  private step(marketId: string, backlog: Backlog): Promise<boolean> {
    backlog.running ??= this.fold(marketId, backlog).finally(() => {
      backlog.running = null;
    });
    return backlog.running;
  }

  private async fold(marketId: string, backlog: Backlog): Promise<boolean> {
    const seenBefore = backlog.seen;
    const name = `candles:${marketId}`;
    const parameters = [marketId, name, Object.values(INTERVAL_SECONDS)];
    let { rows } = await this.pool.query<{ cursors: number; trades: number }>(FOLD, parameters);
    if (rows[0]!.cursors === 0) {
      await this.pool.query(
        'INSERT INTO journal_cursors (name, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
        [name],
      );
      ({ rows } = await this.pool.query(FOLD, parameters));
    }
    const { trades } = rows[0]!;
    const reachedEnd = trades < STEP_TRADES;
    backlog.isComplete = reachedEnd;
    // Trades that arrived meanwhile may be in already: counting them again costs one empty step.
    backlog.seen -= reachedEnd ? seenBefore : Math.min(trades, seenBefore);
    return reachedEnd;
  }

  private backlogOf(marketId: string): Backlog {
    let backlog = this.backlogs.get(marketId);
    if (backlog === undefined) {
      backlog = { seen: 0, isComplete: false, running: null };
      this.backlogs.set(marketId, backlog);
    }
    return backlog;
  }
}
