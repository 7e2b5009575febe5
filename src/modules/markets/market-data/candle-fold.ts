import type { ClientBase } from 'pg';
import type { CommittedBatch } from '../../../core/core.types.js';
import { arraysOf, unnested } from '../../../core/projection/pg-array.js';
import { declareColumns } from '../../../core/tables/values.js';
import type { Trade } from '../../../domain/engine/types.js';
import { INTERVAL_SECONDS } from './candle.dto.js';
import type { MarketEvents, MarketFold, StoredEvents } from './market-fold.js';

/** How many stored trades one step reads. */
const STEP_TRADES = 8_000;
/** Before the name of a market. */
export const CANDLES_CURSOR = 'candles:';

const INTERVALS = Object.values(INTERVAL_SECONDS);

const TRADES = `
  SELECT trade_id, price_ticks, size_lots, executed_at FROM trades
  WHERE market_id = $1 AND trade_id > $2 AND trade_id <= $3 ORDER BY trade_id LIMIT ${STEP_TRADES}`;

/** What candles take of a trade. */
export type CandleTrade = Pick<Trade, 'tradeId' | 'priceTicks' | 'sizeLots' | 'executedAtMs'>;

/** What the trades of a step add to one candle. */
interface Candle {
  readonly marketId: string;
  readonly seconds: number;
  readonly startMs: number;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  /** A bigint, since the lots of many trades may pass the safe integers though each trade's do not. */
  volumeLots: bigint;
}

const candle = declareColumns<Candle>();
const COLUMNS = [
  candle.text('market_id', (row) => row.marketId),
  candle.integer('interval_seconds', (row) => row.seconds),
  candle.time('start', (row) => row.startMs),
  candle.integer('open_ticks', (row) => row.openTicks),
  candle.integer('high_ticks', (row) => row.highTicks),
  candle.integer('low_ticks', (row) => row.lowTicks),
  candle.integer('close_ticks', (row) => row.closeTicks),
  candle.numeric('volume_lots', (row) => row.volumeLots),
];
const ADD = `
  INSERT INTO candles AS c (${COLUMNS.map(({ name }) => name).join(', ')})
  SELECT ${unnested(COLUMNS, 1)}
  ON CONFLICT (market_id, interval_seconds, start) DO UPDATE SET
    high_ticks = greatest(c.high_ticks, excluded.high_ticks),
    low_ticks = least(c.low_ticks, excluded.low_ticks),
    close_ticks = excluded.close_ticks,
    volume_lots = c.volume_lots + excluded.volume_lots`;

/** Makes candles of every interval of the trades. */
export const CANDLE_FOLD: MarketFold<CandleTrade> = {
  cursor: CANDLES_CURSOR,

  sequenceOf: ({ tradeId }) => tradeId,

  *heard({ trades }: CommittedBatch) {
    for (const trade of trades) yield [trade.marketId, trade] as const;
  },

  async stored(client, marketId, after, until): Promise<StoredEvents<CandleTrade>> {
    const { rows } = await client.query<{
      trade_id: string;
      price_ticks: string;
      size_lots: string;
      executed_at: Date;
    }>(TRADES, [marketId, after, until]);
    const events = rows.map((row) => ({
      tradeId: Number(row.trade_id),
      priceTicks: Number(row.price_ticks),
      sizeLots: Number(row.size_lots),
      executedAtMs: row.executed_at.getTime(),
    }));
    return { events, isEnd: events.length < STEP_TRADES };
  },

  async add(client: ClientBase, markets: readonly MarketEvents<CandleTrade>[]): Promise<void> {
    await client.query(ADD, arraysOf(COLUMNS, markets.flatMap(candlesOf)));
  },
};

function candlesOf({ marketId, events }: MarketEvents<CandleTrade>): Candle[] {
  const candles: Candle[] = [];
  for (const seconds of INTERVALS) {
    const lengthMs = seconds * 1_000;
    // Time does not go back within a market, so that each candle is done when the next one begins.
    let last: Candle | undefined;
    for (const { priceTicks, sizeLots, executedAtMs } of events) {
      const startMs = executedAtMs - (executedAtMs % lengthMs);
      if (last?.startMs !== startMs) {
        last = {
          marketId,
          seconds,
          startMs,
          openTicks: priceTicks,
          highTicks: priceTicks,
          lowTicks: priceTicks,
          closeTicks: priceTicks,
          volumeLots: 0n,
        };
        candles.push(last);
      }
      last.highTicks = Math.max(last.highTicks, priceTicks);
      last.lowTicks = Math.min(last.lowTicks, priceTicks);
      last.closeTicks = priceTicks;
      last.volumeLots += BigInt(sizeLots);
    }
  }
  return candles;
}
