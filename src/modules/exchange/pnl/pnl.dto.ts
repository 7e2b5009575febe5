import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { formatAmount } from '../../../domain/money/amount.js';
import { MARK_SOURCES, type Mark, type MarkSource } from '../../../domain/pnl/mark.js';
import type { Pnl } from '../../../domain/pnl/pnl.js';
import { COST_METHODS, type CostMethod } from '../../../domain/pnl/traded-position.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';

export const PNL_GROUPINGS = ['market', 'day'] as const;
export type PnlGrouping = (typeof PNL_GROUPINGS)[number];

export class PnlQueryDto extends IntersectionType(PointInTimeQueryDto, PeriodQueryDto) {
  /** One group for each market, or for each UTC day and market with a fill on it. */
  @ApiPropertyOptional({ enum: PNL_GROUPINGS, default: 'market' })
  @IsOptional()
  @IsIn(PNL_GROUPINGS)
  group_by: PnlGrouping = 'market';

  /** What a partial close costs: the average of all that is open, or the oldest lots first. */
  @ApiPropertyOptional({ enum: COST_METHODS, default: 'average_cost' })
  @IsOptional()
  @IsIn(COST_METHODS)
  method: CostMethod = 'average_cost';
}

/** At which price an open position is valued. */
export class MarkDto {
  /**
   * Null where the position is flat, or there is no price at all.
   * @example "60000"
   */
  price: string | null;
  /**
   * Where the price comes from: the side of the live book at which the position could be left; the last
   * trade before the moment, where that side is empty or the moment is past; the value at which what was
   * held is settled; `none` where the position is flat, and where there is no price at all: a split opens positions in
   * markets that may never have traded.
   */
  @ApiProperty({ enum: MARK_SOURCES })
  source: MarkSource;
}

export function toMarkDto({ price, source }: Mark): MarkDto {
  return { price: price === null ? null : formatAmount(price), source };
}

/** Profit and loss in one asset. */
export class PnlFiguresDto {
  /**
   * Gains and losses of what was closed in the period, before fees.
   * @example "125.5"
   */
  realized_pnl: string;
  /**
   * What closing at the mark would add, before fees, as at the period's end; null where an open position has no mark.
   * @example "-10"
   */
  unrealized_pnl: string | null;
  /**
   * Paid in the period.
   * @example "1.2"
   */
  fees: string;
  /**
   * Realized and unrealized, less fees; null where unrealized is.
   * @example "114.3"
   */
  net_pnl: string | null;
}

export class PnlTotalDto extends PnlFiguresDto {
  /**
   * The quote asset of the markets that it sums up.
   * @example "USD"
   */
  asset: string;
}

export class PnlGroupDto extends PnlTotalDto {
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * The UTC day; null where groups are markets.
   * @example "2026-11-21"
   */
  @ApiProperty({ type: String, format: 'date', nullable: true })
  day: string | null;
  /**
   * The signed position at the group's end.
   * @example "0.25"
   */
  position_size: string;
  /**
   * What that was entered at, by the method.
   * @example "15000"
   */
  cost_basis: string;
  mark: MarkDto;
  /**
   * The fills behind it, as a path: their `realized_pnl` (`realized_pnl_fifo`) and `fee` add up to the group's.
   * @example "/markets/BTC-USD/fills?account_id=acc_00000000005&at_sequence=1234"
   */
  fills: string;
}

/** The columns of the list as CSV. */
export const PNL_COLUMNS = [
  'market_id',
  'day',
  'asset',
  'realized_pnl',
  'unrealized_pnl',
  'fees',
  'net_pnl',
  'position_size',
  'cost_basis',
  'mark.price',
  'mark.source',
  'fills',
] as const satisfies readonly CsvColumn<PnlGroupDto>[];

export class PnlDto {
  /** @example "acc_00000000005" */
  account_id: string;
  @ApiProperty({ enum: COST_METHODS })
  method: CostMethod;
  @ApiProperty({ enum: PNL_GROUPINGS })
  group_by: PnlGrouping;
  /** Null where the period has no beginning. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  from: string | null;
  /** Null where the period ends at `as_of`. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  to: string | null;
  /** The moment of all figures, RFC 3339, UTC. */
  @ApiProperty({ type: String, format: 'date-time' })
  as_of: string;
  /** The last place in the global ledger sequence that the figures include. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
  /** The asset of the four figures that follow; null, as they are, where markets of several quote assets have a part in the period. */
  asset: string | null;
  /** @example "125.5" */
  realized_pnl: string | null;
  /** @example "-10" */
  unrealized_pnl: string | null;
  /** @example "1.2" */
  fees: string | null;
  /** @example "114.3" */
  net_pnl: string | null;
  /** One for each quote asset, in their order: different assets are never added up. */
  totals: PnlTotalDto[];
  /**
   * One page, by market in their order, by day newest first; it may be shorter than its limit and still have a
   * next one. Grouped by market they add up to the totals. Of days, realized and fees do; unrealized is as at
   * each day's end.
   */
  groups: PnlGroupDto[];
  /** Null on the last page. */
  next_cursor: string | null;
}

export function toPnlFigures({ realized, unrealized, fees, net }: Pnl): PnlFiguresDto {
  return {
    realized_pnl: formatAmount(realized),
    unrealized_pnl: unrealized === null ? null : formatAmount(unrealized),
    fees: formatAmount(fees),
    net_pnl: net === null ? null : formatAmount(net),
  };
}
