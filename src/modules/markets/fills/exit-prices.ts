import type { BookView } from '../../../core/core.types.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import type { Amount } from '../../../domain/money/amount.js';
import type { ExitPrices } from '../../../domain/pnl/mark.js';

/** `top` is the market's book to a depth of one; without it, only the last price is known. */
export function exitPricesOf(
  definition: MarketDefinition,
  lastPriceTicks: number | null,
  top: BookView | undefined,
): ExitPrices {
  const { price } = unitsOf(definition);
  const priceOf = (ticks: number | null): Amount | null => (ticks === null ? null : price.amountOf(ticks));
  return {
    bestBid: priceOf(top?.bids[0]?.[0] ?? null),
    bestAsk: priceOf(top?.asks[0]?.[0] ?? null),
    lastPrice: priceOf(lastPriceTicks),
  };
}
