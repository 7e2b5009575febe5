import { ApiProperty } from '@nestjs/swagger';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount, UNITS_PER_ONE } from '../../../domain/money/amount.js';
import { MARK_SOURCES, type Mark, type MarkSource } from '../../../domain/pnl/mark.js';
import type { PositionEntity } from './position.entity.js';

/** What an account has traded in one market: not what was deposited or withdrawn. */
export class PositionDto {
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * Signed: above zero long, below zero short.
   * @example "0.25"
   */
  size: string;
  /** Cost basis divided by the size, rounded down at 10^-18; null where the position is flat. */
  average_entry_price: string | null;
  /**
   * What the open size was entered at: price times size, in the quote asset, never negative.
   * @example "15000"
   */
  cost_basis: string;
  /**
   * The price at which the position could be left: the best bid for a long one, the best ask for a
   * short one; the last price where that side of the book is empty, or where the moment is past; null where
   * the position is flat or there is no price at all.
   */
  mark_price: string | null;
  /** Where the mark price comes from; `none` where there is none. */
  @ApiProperty({ enum: MARK_SOURCES })
  mark_source: MarkSource;
  /** Size times mark price, signed like the size; null without a mark price. */
  market_value: string | null;
  /**
   * Gains and losses of what was closed, before fees, in the quote asset.
   * @example "0"
   */
  realized_pnl: string;
  /** What closing at the mark price would add to it, before fees; null without a mark price. */
  unrealized_pnl: string | null;
  /**
   * All fees paid in this market, in the quote asset.
   * @example "0"
   */
  fees: string;
}

/** What of a position is shown, whether it is a row of today or of the past. */
export type PositionFigures = Pick<
  PositionEntity,
  'marketId' | 'sizeLots' | 'costBasis' | 'realizedPnl' | 'fees'
>;

export function toPositionDto(
  position: PositionFigures,
  definition: MarketDefinition,
  mark: Mark,
): PositionDto {
  const units = unitsOf(definition);
  const { sizeLots, costBasis } = position;
  const average = units.pricePer(costBasis, Math.abs(sizeLots));
  const isMarked = sizeLots !== 0 && mark.price !== null;
  const value = isMarked ? (units.size.amountOf(sizeLots) * mark.price) / UNITS_PER_ONE : null;
  const cost = sizeLots < 0 ? -costBasis : costBasis;
  return {
    market_id: position.marketId,
    size: units.size.format(sizeLots),
    average_entry_price: average === null ? null : formatAmount(average),
    cost_basis: formatAmount(costBasis),
    mark_price: isMarked ? formatAmount(mark.price) : null,
    mark_source: isMarked ? mark.source : 'none',
    market_value: value === null ? null : formatAmount(value),
    realized_pnl: formatAmount(position.realizedPnl),
    unrealized_pnl: value === null ? null : formatAmount(value - cost),
    fees: formatAmount(position.fees),
  };
}
