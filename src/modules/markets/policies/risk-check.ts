import type { MarketDefinition } from '../../../domain/engine/types.js';
import type { ProposedOrder } from './fee-policy.js';
import type { OrderContext } from './order-owner.js';

export type RiskVerdict =
  | { readonly accepted: true }
  /** `message` says what to do, for the person who placed the order; answered as 422 `risk_refused`. */
  | { readonly accepted: false; readonly message: string };

/**
 * Extension point: one of the house's own checks of an order before it is queued. All checks of all plugins see every
 * order; of those that refuse, the first in the order of `PLUGINS` answers. It need not check funds, ticks and market
 * rules: the engine does, and may refuse an order that this accepts. It should do no I/O: what it goes by is in `owner`,
 * or in a `SharedCache`. An amendment is reviewed as the order that it makes, a quote twice, as the order that its
 * acceptance places: when it is made and when it is accepted. Any error refuses the order; an `ApiError` is sent as it is.
 */
export abstract class RiskCheck {
  abstract review(
    order: ProposedOrder,
    market: MarketDefinition,
    context: OrderContext,
  ): RiskVerdict | Promise<RiskVerdict>;
}
