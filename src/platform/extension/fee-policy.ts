import type { PlaceOrder } from '../../domain/engine/commands.js';
import type { MarketDefinition } from '../../domain/engine/types.js';

/** An order that is about to be queued, in the engine's own counts (ticks, lots, milliseconds). */
export type ProposedOrder = Omit<PlaceOrder, 'type' | 'feeRates'>;

/** Rates in [0, 1) as plain decimals, such as `"0.001"`. */
export interface FeeRateOverride {
  readonly maker: string;
  readonly taker: string;
}

/**
 * Extension point: which fee rates an order trades at. Asked before an order is queued, so it may look
 * things up; what it says travels in the command and is what a replay uses. What it throws refuses the
 * order as any failure would; an `ApiError` is answered as it is. Of a quote it is asked once, about the order
 * that accepting places: the rates that were quoted are those that are charged.
 */
export abstract class FeePolicy {
  /** The order's rates; null for the market's own. */
  abstract ratesFor(
    order: ProposedOrder,
    market: MarketDefinition,
  ): FeeRateOverride | null | Promise<FeeRateOverride | null>;
}

/** The default: every order trades at its market's own rates. */
export class MarketFees extends FeePolicy {
  override ratesFor(): null {
    return null;
  }
}
