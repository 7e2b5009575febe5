/** Profit and loss of a period, from the running totals at its beginning and end. */
import { UNITS_PER_ONE } from '../money/amount.js';
import type { Mark } from './mark.js';
import type { CostMethod, PositionTotals } from './traded-position.js';

/** In units of 10^-18 of one quote asset. */
export interface Pnl {
  /** From closed lots in the period, before fees. */
  readonly realized: bigint;
  /** Of the open position at its end. */
  readonly unrealized: bigint;
  readonly fees: bigint;
  /** Realized and unrealized, less fees. */
  readonly net: bigint;
}

export const NO_PNL: Pnl = { realized: 0n, unrealized: 0n, fees: 0n, net: 0n };

export function pnlBetween(
  before: PositionTotals,
  at: PositionTotals,
  method: CostMethod,
  unrealized: bigint,
): Pnl {
  const realized = at[method].realizedPnl - before[method].realizedPnl;
  const fees = at.fees - before.fees;
  return { realized, unrealized, fees, net: realized + unrealized - fees };
}

/** The profit of closing the position at the mark; zero if flat. */
export function unrealizedAt(at: PositionTotals, method: CostMethod, lotSize: bigint, mark: Mark): bigint {
  if (at.sizeLots === 0) return 0n;
  if (mark.price === null) throw new Error('an open position has no mark');
  const value = (BigInt(Math.abs(at.sizeLots)) * lotSize * mark.price) / UNITS_PER_ONE;
  const { costBasis } = at[method];
  return at.sizeLots > 0 ? value - costBasis : costBasis - value;
}

export function addPnl(a: Pnl, b: Pnl): Pnl {
  return {
    realized: a.realized + b.realized,
    unrealized: a.unrealized + b.unrealized,
    fees: a.fees + b.fees,
    net: a.net + b.net,
  };
}
