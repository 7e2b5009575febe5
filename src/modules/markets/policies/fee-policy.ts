import type { PlaceOrder } from '../../../domain/engine/commands.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import type { OrderContext } from './order-owner.js';

/** An order before it is queued, in the engine's units (ticks, lots, milliseconds). */
export type ProposedOrder = Omit<PlaceOrder, 'type' | 'feeRates'>;

/**
 * Rates below 1 as plain decimals, such as `"0.001"`. A maker's may be negative, a rebate of at most the taker's rate of the
 * same order; a fill pays at most what its own taker is charged.
 */
export interface FeeRateOverride {
  readonly maker: string;
  readonly taker: string;
}

/**
 * Extension point: the fee rates of an order. The policies of all plugins are asked in the order of `PLUGINS` until one
 * answers rates; where none does, the fee schedules decide. It is called before the order is queued; the rates travel in
 * the command, and a replay uses them. Any error refuses the order; an `ApiError` is sent as it is. For a quote it is
 * called once, with the order that an acceptance places: the quoted rates are charged. An amended order keeps its rates.
 */
export abstract class FeePolicy {
  /** The order's rates; null to leave them to the next policy. */
  abstract ratesFor(
    order: ProposedOrder,
    market: MarketDefinition,
    context: OrderContext,
  ): FeeRateOverride | null | Promise<FeeRateOverride | null>;
}
