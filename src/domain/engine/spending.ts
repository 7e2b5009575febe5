/** Market orders by how much of the quote asset they may spend, or are to bring in. */
import type { Budget } from '../matching/match-plan.js';
import { mulDiv, UNITS_PER_ONE } from '../money/amount.js';
import type { Order } from './state.js';

/**
 * The budget of an order's `quoteSize`: the sum of price times size, for purchases with the fee. It is counted in units of
 * 10^-36, in which fees are exact before they are rounded up, so what is spent never passes it.
 */
export class Spending implements Budget {
  private left: bigint;

  constructor(
    private readonly order: Order,
    quoteSize: bigint,
  ) {
    this.left = quoteSize * UNITS_PER_ONE;
  }

  lotsAt(priceTicks: number): number {
    const lots = this.left / this.costOfLot(priceTicks);
    return lots > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(lots);
  }

  spend(priceTicks: number, lots: number): void {
    this.left -= BigInt(lots) * this.costOfLot(priceTicks);
  }

  private costOfLot(priceTicks: number): bigint {
    const { market, side, takerFeeRate } = this.order;
    const notional = market.notional(priceTicks, 1);
    if (side === 'sell' || takerFeeRate === 0n) return notional * UNITS_PER_ONE;
    const isOfVariance = market.definition.feeBase === 'variance';
    // Rounded up where the base of many lots would be rounded down: then it is never less than theirs.
    const base = isOfVariance
      ? mulDiv(notional, UNITS_PER_ONE - market.price(priceTicks), UNITS_PER_ONE, 'up')
      : notional;
    return notional * UNITS_PER_ONE + takerFeeRate * base;
  }
}
