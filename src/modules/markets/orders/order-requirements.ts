import type { ScopeRequirement } from '../../../kit/security/scopes.js';

/** The scopes for acts on orders, and for their previews. */
export const TRADE_REQUIREMENT = { anyOf: ['markets:trade'] } as const satisfies ScopeRequirement;

/** The scopes for reading one's own orders and fills. */
export const READ_TRADING_REQUIREMENT = {
  anyOf: ['markets:trade', 'account:read'],
} as const satisfies ScopeRequirement;
