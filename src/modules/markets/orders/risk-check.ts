import type { MarketDefinition } from '../../../domain/engine/types.js';
import type { ProposedOrder } from '../fees/fee-policy.js';

export type RiskVerdict =
  | { readonly accepted: true }
  /** `message` says what to do, for the person who placed the order; answered as 422 `risk_refused`. */
  | { readonly accepted: false; readonly message: string };

/**
 * Extension point: the house's own check of an order before it is queued. It need not check funds, ticks and market
 * rules: the engine does, and may refuse an order that this accepts. A quote is reviewed twice, as the order that its
 * acceptance places: when it is made and when it is accepted.
 */
export abstract class RiskCheck {
  abstract review(order: ProposedOrder, market: MarketDefinition): RiskVerdict | Promise<RiskVerdict>;
}

const ACCEPTED: RiskVerdict = { accepted: true };

/** The default: no rules beyond the engine's own. */
export class AcceptAll extends RiskCheck {
  override review(): RiskVerdict {
    return ACCEPTED;
  }
}
