import type { MarketDefinition, Side } from '../../domain/engine/types.js';
import { unitsOf } from '../../domain/market/units.js';
import { type Amount, amount, mulDiv, UNITS_PER_ONE } from '../../domain/money/amount.js';

/** To back an outcome is to buy contracts that pay one if it happens; to lay it is to sell them. */
export type BetSide = 'back' | 'lay';

/** A trade on an event market in the words of betting exchanges: amounts of the quote asset, before fees. */
export interface BetTerms {
  /** Decimal odds: payout by stake, rounded down at 10^-18. */
  readonly odds: Amount;
  /** What the side that backs puts up: price times size. */
  readonly stake: Amount;
  /** What this side stands to lose: its stake where it backs, the rest of the payout where it lays. */
  readonly liability: Amount;
  /** What the side that is right takes: one for each contract, both sides' money together. */
  readonly payout: Amount;
}

export function betSideOf(side: Side): BetSide {
  return side === 'buy' ? 'back' : 'lay';
}

/**
 * The terms of a trade of `lots` for `notional`, which is above zero. They describe a bet of its own, whatever position
 * it opens or closes. Null on spot markets, which have no bets.
 */
export function betTermsOf(
  definition: MarketDefinition,
  { side, sizeLots, notional }: { side: Side; sizeLots: number; notional: Amount },
): BetTerms | null {
  if (definition.kind !== 'event') return null;
  const payout = unitsOf(definition).size.amountOf(sizeLots);
  return {
    odds: amount(mulDiv(payout, UNITS_PER_ONE, notional, 'down')),
    stake: notional,
    liability: side === 'buy' ? notional : amount(payout - notional),
    payout,
  };
}
