import { LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';

/**
 * Refusals that another attempt may not meet: somebody else has just found out that the money is not there, and that was
 * their transfer; or what the destination takes changed at the same moment.
 */
export const PASSING: ReadonlySet<string> = new Set(['idempotency_key_reused', 'self_limits_changed']);

/** It says nothing of a limit that may be somebody else's. */
export function beyondLimit(): ApiError {
  return new ApiError(LIMIT_EXCEEDED, 'The destination takes less of this asset for the time being.');
}
