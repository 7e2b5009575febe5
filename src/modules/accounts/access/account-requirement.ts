import type { ScopeRequirement } from '../../../kit/security/scope.js';
import { ACCOUNT_READ } from '../scopes.js';

/** The scopes for reading one's accounts, and for subscriptions to them as long as these last. */
export const ACCOUNT_REQUIREMENT = { anyOf: [ACCOUNT_READ] } satisfies ScopeRequirement;
