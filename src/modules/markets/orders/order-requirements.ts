import type { ScopeRequirement } from '../../../kit/security/scope.js';
import { MARKETS_TRADE } from '../names/scopes.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

/** The scopes for acts on orders, and for their previews. */
export const TRADE_REQUIREMENT = { anyOf: [MARKETS_TRADE] } satisfies ScopeRequirement;

/** The scopes for reading one's own orders and fills. */
export const READ_TRADING_REQUIREMENT = {
  anyOf: [MARKETS_TRADE, ACCOUNT_READ],
} satisfies ScopeRequirement;
