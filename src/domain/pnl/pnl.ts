/** Profit and loss of a period, from the running totals at its beginning and end. */
import { UNITS_PER_ONE } from '../money/amount.js';
import type { Mark } from './mark.js';
import type { CostMethod, PositionTotals } from './traded-position.js';

/** In units of 10^-18 of one quote asset. */
export interface Pnl {
  /** From closed lots in the period, before fees. */
  readonly realized: bigint;
  /** Of the open position at its end; null where it cannot be valued. */
  readonly unrealized: bigint | null;
  readonly fees: bigint;
  /** Realized and unrealized, less fees; null where unrealized is. */
  readonly net: bigint | null;
}

export const NO_PNL: Pnl = { realized: 0n, unrealized: 0n, fees: 0n, net: 0n };

export function pnlBetween(
  before: PositionTotals,
  at: PositionTotals,
  method: CostMethod,
  unrealized: bigint | null,
): Pnl {
  const realized = at[method].realizedPnl - before[method].realizedPnl;
  const fees = at.fees - before.fees;
  return { realized, unrealized, fees, net: unrealized === null ? null : realized + unrealized - fees };
}

/**
 * The profit of closing the position at the mark; zero if flat. Null without a mark: a split opens positions in markets that
 * may never have traded.
 */
export function unrealizedAt(
  at: PositionTotals,
  method: CostMethod,
  lotSize: bigint,
  mark: Mark,
): bigint | null {
  if (at.sizeLots === 0) return 0n;
  if (mark.price === null) return null;
  const value = (BigInt(Math.abs(at.sizeLots)) * lotSize * mark.price) / UNITS_PER_ONE;
  const { costBasis } = at[method];
  return at.sizeLots > 0 ? value - costBasis : costBasis - value;
}

export function addPnl(a: Pnl, b: Pnl): Pnl {
  return {
    realized: a.realized + b.realized,
    unrealized: sumOf(a.unrealized, b.unrealized),
    fees: a.fees + b.fees,
    net: sumOf(a.net, b.net),
  };
}

/** What cannot be told of a part cannot be told of the whole. */
function sumOf(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}
