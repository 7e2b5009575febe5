import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { MarketUnits } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import type { CandleEntity } from './candle.entity.js';

export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
export type CandleInterval = (typeof CANDLE_INTERVALS)[number];

export const INTERVAL_SECONDS: Readonly<Record<CandleInterval, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
};

/** The query of `GET /markets/{market_id}/candles`; the period is that of their `start`. */
export class ListCandlesQueryDto extends PeriodQueryDto {
  /** How much time each candle covers; intervals begin at whole multiples of their length, in UTC. */
  @ApiPropertyOptional({ enum: CANDLE_INTERVALS, default: '1m' })
  @IsOptional()
  @IsIn(CANDLE_INTERVALS)
  interval: CandleInterval = '1m';
}

/** Trading in one interval; intervals without a trade have no candle. */
export class CandleDto {
  /** When the interval begins, RFC 3339, UTC. */
  start: string;
  /**
   * Price of the first trade, in the quote asset.
   * @example "60000"
   */
  open: string;
  /** @example "60100" */
  high: string;
  /** @example "59900" */
  low: string;
  /**
   * Price of the last trade.
   * @example "60050"
   */
  close: string;
  /**
   * Size traded, in the base asset (contracts in event markets).
   * @example "1.5"
   */
  volume: string;
}

/** The columns of the list as CSV. */
export const CANDLE_COLUMNS = [
  'start',
  'open',
  'high',
  'low',
  'close',
  'volume',
] as const satisfies readonly CsvColumn<CandleDto>[];

export function toCandleDto(candle: CandleEntity, units: MarketUnits): CandleDto {
  return {
    start: candle.start.toISOString(),
    open: units.price.format(Number(candle.openTicks)),
    high: units.price.format(Number(candle.highTicks)),
    low: units.price.format(Number(candle.lowTicks)),
    close: units.price.format(Number(candle.closeTicks)),
    volume: formatAmount(BigInt(candle.volumeLots) * units.size.size),
  };
}
