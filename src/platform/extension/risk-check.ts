import type { MarketDefinition } from '../../domain/engine/types.js';
import type { ProposedOrder } from './fee-policy.js';

export type RiskVerdict =
  | { readonly accepted: true }
  /** `message` says what to do, for the person who placed the order; answered as 422 `risk_refused`. */
  | { readonly accepted: false; readonly message: string };

/**
 * Extension point: a last look at an order by the house, before it is queued. Funds, ticks and market
 * rules are not its business: the engine checks those, and refuses what this accepts when it must. Quotes are
 * reviewed as the order that accepting them places, when they are made and when they are accepted.
 */
export abstract class RiskCheck {
  abstract review(order: ProposedOrder, market: MarketDefinition): RiskVerdict | Promise<RiskVerdict>;
}

const ACCEPTED: RiskVerdict = { accepted: true };

/** The default: the engine's own rules are all the rules. */
export class AcceptAll extends RiskCheck {
  override review(): RiskVerdict {
    return ACCEPTED;
  }
}
