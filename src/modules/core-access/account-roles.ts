import { FORBIDDEN, INSUFFICIENT_SCOPE } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';

/** What an account's owner may let others be. */
export const MEMBER_ROLES = ['viewer', 'trader', 'treasurer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export type AccountRole = 'owner' | MemberRole;

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

/** The roles of persons on accounts of others. Bound by the auth module. */
export abstract class AccountRoles {
  /**
   * The roles of a person (see `personOf`), by the ids of the accounts. Those of a locked or closed owner are not among
   * them. Cached for a second at most, so it may be called often.
   */
  abstract rolesOf(person: string): Promise<ReadonlyMap<number, MemberRole>>;

  /** Call it after a change of the person's roles, or of the roles on the person's accounts: they count from then on. */
  abstract forgetAllOf(person: string): void;

  /** Calls the listener when roles may have changed. */
  abstract onChanged(listener: () => void): void;
}
