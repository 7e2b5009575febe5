import type { ScopeRequirement } from '../../../kit/security/scopes.js';

/** The scopes for reading one's accounts, and for subscriptions to them as long as these last. */
export const ACCOUNT_REQUIREMENT = { anyOf: ['account:read'] } as const satisfies ScopeRequirement;
