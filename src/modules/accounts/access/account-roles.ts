import type { AccountRecord } from '../../../core/core.types.js';
import { ApiError } from '../../../kit/http/errors.js';
import { FORBIDDEN, INSUFFICIENT_SCOPE } from '../../../kit/http/error-codes.js';

/** What an account's owner may let others be. */
export const MEMBER_ROLES = ['viewer', 'trader', 'treasurer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export type AccountRole = 'owner' | MemberRole;

/** An account, and what the caller is there. */
export interface ReachedAccount {
  readonly account: AccountRecord;
  readonly role: AccountRole;
}

/**
 * What a caller wants of an account: `read` it, `trade` on it, `move` its money to other accounts, or what only its
 * owner does (`manage`), such as letting others in, or payouts to a bank.
 */
export type AccountAct = 'read' | 'trade' | 'move' | 'manage';

const ALLOWED: Record<AccountRole, ReadonlySet<AccountAct>> = {
  owner: new Set(['read', 'trade', 'move', 'manage']),
  viewer: new Set(['read']),
  trader: new Set(['read', 'trade']),
  treasurer: new Set(['read', 'move']),
};

const NEEDED: Record<AccountAct, string> = {
  read: 'a role on it',
  trade: 'the role trader',
  move: 'the role treasurer',
  manage: 'its owner',
};

export function allows(role: AccountRole, act: AccountAct): boolean {
  return ALLOWED[role].has(act);
}

export function roleRequired(role: AccountRole, act: AccountAct): ApiError {
  return new ApiError(FORBIDDEN, `You are ${role} of this account; this takes ${NEEDED[act]}.`);
}

/** What operations say in OpenAPI for which a role may not suffice. */
export const ROLE_REQUIRED = [
  INSUFFICIENT_SCOPE,
  FORBIDDEN.means('an account of somebody else, on which the role of the caller does not allow this.'),
];
