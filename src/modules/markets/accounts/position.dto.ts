import type { BookView, MarketView } from '../../../core/core.types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { amount, formatAmount } from '../../../domain/money/amount.js';
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
   * short one; the last price where that side of the book is empty; null where the position is flat or
   * there is no price at all.
   */
  mark_price: string | null;
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

/** `top` is the market's book to a depth of one. */
export function toPositionDto(
  position: PositionEntity,
  market: MarketView,
  top: BookView | undefined,
): PositionDto {
  const units = unitsOf(market.definition);
  const { sizeLots, costBasis } = position;
  const average = units.pricePer(costBasis, Math.abs(sizeLots));
  const markTicks = markOf(sizeLots, market, top);
  const value = markTicks === null ? null : units.notional(markTicks, sizeLots);
  const cost = sizeLots < 0 ? -costBasis : costBasis;
  return {
    market_id: position.marketId,
    size: units.size.format(sizeLots),
    average_entry_price: average === null ? null : formatAmount(average),
    cost_basis: formatAmount(costBasis),
    mark_price: markTicks === null ? null : units.price.format(markTicks),
    market_value: value === null ? null : formatAmount(value),
    realized_pnl: formatAmount(position.realizedPnl),
    unrealized_pnl: value === null ? null : formatAmount(amount(value - cost)),
    fees: formatAmount(position.fees),
  };
}

function markOf(sizeLots: number, market: MarketView, top: BookView | undefined): number | null {
  if (sizeLots === 0) return null;
  const exitSide = sizeLots > 0 ? top?.bids : top?.asks;
  return exitSide?.[0]?.[0] ?? market.lastPriceTicks;
}
