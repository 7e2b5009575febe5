import { LIMIT_EXCEEDED, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { TRANSFER_NOT_PENDING } from '../errors.js';

/**
 * Refusals that another attempt may not meet: somebody else has just found out that the money is not there, and that was
 * their transfer; or what the destination takes changed at the same moment.
 */
export const PASSING: ReadonlySet<string> = new Set(['idempotency_key_reused', 'self_limits_changed']);

/** It says nothing of a limit that may be somebody else's. */
export function beyondLimit(): ApiError {
  return new ApiError(LIMIT_EXCEEDED, 'The destination takes less of this asset for the time being.');
}

export function transferNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such transfer of this wallet or account.');
}

export function notPending(): ApiError {
  return new ApiError(TRANSFER_NOT_PENDING, 'The transfer is on its way, or has ended. Read it to see.');
}
