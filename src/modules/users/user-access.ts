/** Access rules for users. */
import { FORBIDDEN, NOT_FOUND } from '../../kit/http/error-codes.js';
import type { Principal } from '../../kit/security/principal.js';
import { requireStepUp } from '../../kit/security/step-up.js';
import { ApiError } from '../../kit/http/errors.js';
import type { FieldReader } from '../../kit/http/fielded.js';
import { insufficientScope } from '../../kit/security/challenges.js';
import {
  OPERATOR_COMPLIANCE,
  OPERATOR_SECURITY,
  OPERATOR_SUPPORT,
  operators,
} from '../../kit/security/operator-roles.js';
import { ADMIN, grants } from '../../kit/security/scope.js';
import { rolesOf, type OperatorStanding } from './operator-standing.js';

/** For how long a log-in by the query counts, where it may. */
const QUERY_LOG_IN_STANDS_FOR_MS = 5 * 60_000;

/** Operators who see a user as the user does. */
export const SEES_USERS = operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_SECURITY);

/** Operators who make, change and close users. */
export const CHANGES_USERS = operators(OPERATOR_SUPPORT, OPERATOR_SECURITY);

export function changesUsers({ scopes }: Principal): boolean {
  return grants(scopes, CHANGES_USERS);
}

/**
 * Throws `insufficient_scope` (403) for who would get at the log-in of an operator with roles that they lack themselves:
 * they could give themselves those roles by it.
 */
export function requireRolesOf({ scopes }: Principal, user: OperatorStanding): void {
  if (scopes.has(ADMIN.name) || rolesOf(user).every((role) => scopes.has(role))) return;
  throw insufficientScope({ anyOf: [ADMIN] });
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

/** As whom a caller of the routes of users sees the fields that plugins add to them. */
export function readerOf({ scopes }: Principal): FieldReader {
  return grants(scopes, SEES_USERS) ? 'operators' : 'owner';
}

/** As whom a caller of the routes of users changes them. */
export function writerOf(principal: Principal): FieldReader {
  return changesUsers(principal) ? 'operators' : 'owner';
}
