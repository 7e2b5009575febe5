import { Inject, Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { PG_POOL } from '../../../platform/database/pg-pool.js';
import { INTERVAL_SECONDS } from './candle.dto.js';
import { MarketProjection } from './market-projection.js';

/** How many trades one step folds into candles. */
const STEP_TRADES = 5_000;
/** So much is caught up in seconds. */
const TRADES_BEHIND_MAX = 500_000;

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
    WHERE market_id = $1 AND trade_id > (SELECT sequence FROM cursor) AND trade_id <= coalesce($4, trade_id)
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

/** Before the name of a market. */
export const CANDLES_CURSOR = 'candles:';

/** Folds the next trades of a market, those up to a sequence if one is given; answers how many there were. */
async function fold(client: Pool | ClientBase, marketId: string, until: number | null): Promise<number> {
  const name = CANDLES_CURSOR + marketId;
  const parameters = [marketId, name, Object.values(INTERVAL_SECONDS), until];
  let { rows } = await client.query<{ cursors: number; trades: number }>(FOLD, parameters);
  if (rows[0]!.cursors === 0) {
    await client.query('INSERT INTO journal_cursors (name, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING', [
      name,
    ]);
    ({ rows } = await client.query(FOLD, parameters));
  }
  return rows[0]!.trades;
}

/** Makes the candles of a market up to a sequence from nothing, where none are stored. */
export async function remakeCandles(client: ClientBase, marketId: string, until: number): Promise<void> {
  while ((await fold(client, marketId, until)) === STEP_TRADES);
}

/** Keeps the candles of every interval up with the trades. */
@Injectable()
export class CandleProjection extends MarketProjection {
  constructor(
    core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {
    super(core, 'Candles', STEP_TRADES, TRADES_BEHIND_MAX);
  }

  protected fold(marketId: string): Promise<number> {
    return fold(this.pool, marketId, null);
  }
}
