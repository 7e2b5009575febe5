/** Access rules for users. */
import { ApiError } from '../../platform/http/errors.js';
import type { Principal } from '../../platform/security/principal.js';

export function isOperator(principal: Principal): boolean {
  return principal.scopes.has('admin');
}

/** 403: the caller is known, but this takes users themselves. */
export function loginRequired(): ApiError {
  return new ApiError('forbidden', 'Log in as a user for this: GET /user/login gives a session token.');
}

/** 404: no such user, or one that the caller cannot see. */
export function userNotFound(): ApiError {
  return new ApiError('not_found', 'There is no such user, or it is not you.');
}
