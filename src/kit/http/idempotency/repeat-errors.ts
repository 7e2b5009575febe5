import { KEY_REUSED } from '../../repeated-requests.js';
import { IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED } from '../error-codes.js';
import { ApiError } from '../errors.js';

/** Throws `idempotency_key_reused` (422) unless a key comes with the fingerprint that it had the first time. */
export function requireSameRequest(first: string, again: string): void {
  if (first !== again) throw new ApiError(IDEMPOTENCY_KEY_REUSED, KEY_REUSED.message);
}

/** `idempotency_in_progress` (409). */
export function inProgress(what = 'A request with this Idempotency-Key'): ApiError {
  return new ApiError(IDEMPOTENCY_IN_PROGRESS, `${what} is still running; send it again in a moment.`, {
    headers: { 'Retry-After': '1' },
  });
}
