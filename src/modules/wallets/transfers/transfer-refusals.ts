import { ApiError } from '../../../kit/http/errors.js';

/**
 * Refusals that another attempt may not meet: somebody else has just found out that the money is not there, and that was
 * their transfer; or what the destination takes changed at the same moment.
 */
export const PASSING: ReadonlySet<string> = new Set(['idempotency_key_reused', 'self_limits_changed']);

/** It says nothing of a limit that may be somebody else's. */
export function beyondLimit(): ApiError {
  return new ApiError('limit_exceeded', 'The destination takes less of this asset for the time being.');
}

export function transferNotFound(): ApiError {
  return new ApiError('not_found', 'There is no such transfer of this wallet or account.');
}

export function notPending(): ApiError {
  return new ApiError('transfer_not_pending', 'The transfer is on its way, or has ended. Read it to see.');
}
