import type { ScopeRequirement } from '../../../platform/security/scopes.js';

/** The scopes for account subscriptions, required as long as they last. */
export const ACCOUNT_REQUIREMENT = { anyOf: ['account:read'] } as const satisfies ScopeRequirement;
