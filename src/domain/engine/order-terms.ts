/** What the terms of an order say of it. */
import type { AdvancedTerms, OrderType } from './types.js';

/** Types that wait for a price. */
export function isStopType(type: OrderType): boolean {
  return type === 'stop' || type === 'stop_limit' || type === 'trailing_stop';
}

/** The terms, or null where the order has none of them. */
export function advancedTerms(terms: AdvancedTerms): AdvancedTerms | null {
  for (const name in terms) if (terms[name as keyof AdvancedTerms] !== null) return terms;
  return null;
}
