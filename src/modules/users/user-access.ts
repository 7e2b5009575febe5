/** Access rules for users. */
import { FORBIDDEN, NOT_FOUND } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import type { FieldReader } from '../../kit/http/fielded.js';
import type { Principal } from '../../kit/security/principal.js';
import { requireStepUp } from '../../kit/security/step-up.js';
import { ADMIN } from '../../kit/security/scope.js';

/** For how long a log-in by the query counts, where it may. */
const QUERY_LOG_IN_STANDS_FOR_MS = 5 * 60_000;

export function isOperator(principal: Principal): boolean {
  return principal.scopes.has(ADMIN.name);
}

/** 403: the caller is known, but this takes users themselves. */
export function loginRequired(): ApiError {
  return new ApiError(FORBIDDEN, 'Log in as a user for this: GET /user/login gives a session token.');
}

/** 404: no such user, or one that the caller cannot see. */
export function userNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such user, or it is not you.');
}

/**
 * As `requireStepUp`, but a log-in by the query counts too, for who has no second factor: the Petstore's clients know no
 * other, and what this is for moves no money.
 */
export function requireRecentLogIn(principal: Principal): void {
  const { login, hasSecondFactor } = principal;
  const isRecent =
    login !== undefined && Math.abs(Date.now() - login.at.getTime()) <= QUERY_LOG_IN_STANDS_FOR_MS;
  if (login?.method === 'query' && isRecent && hasSecondFactor !== true) return;
  requireStepUp(principal);
}

/** As whom a caller of the routes of users sees and changes the fields that plugins add to them. */
export function readerOf(principal: Principal): FieldReader {
  return isOperator(principal) ? 'operators' : 'owner';
}
