import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { AccountRecord } from '../../../core/core.types.js';
import { type Awaitable, onceKnown } from '../../../kit/awaitable.js';
import { ApiError } from '../../../kit/http/errors.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { MemberRoles } from './member-roles.js';
import {
  type AccountAct,
  type AccountRole,
  allows,
  type ReachedAccount,
  roleRequired,
} from './account-roles.js';
import { ACCOUNT_IDS } from '../ids.js';
import { REFUSALS } from '../commands/refusals.js';

/** An account, and what the caller is there. */
export interface ReachedAccount {
  readonly account: AccountRecord;
  readonly role: AccountRole;
}

/**
 * The one gate of accounts: which a principal acts on, and how. An account on which it has no role answers exactly like
 * one that does not exist. A key that is bound to one account has a role only there.
 */
@Injectable()
export class AccountAccessService {
  constructor(
    private readonly core: CoreService,
    private readonly roles: MemberRoles,
  ) {}

  /** The account of a request that names none. Throws `account_not_found` for principals without money. */
  ownAccountId(principal: Principal): number {
    if (principal.accountId === null) throw accountNotFound();
    return principal.accountId;
  }

  /**
   * The account that `text` names: an id of one on which the principal has a role, or `me` for the one it uses when it
   * names none. Throws `account_not_found`, and `forbidden` (403) where the role does not allow the act.
   */
  accountIdOf(principal: Principal, text: string | null | undefined, act: AccountAct): Awaitable<number> {
    if (text == null || text === 'me') return this.ownAccountId(principal);
    const accountId = ACCOUNT_IDS.parse(text);
    if (accountId === undefined) throw accountNotFound();
    return onceKnown(this.reaches(principal, accountId, act), (isReached) => {
      if (!isReached) throw accountNotFound();
      return accountId;
    });
  }

  /** As `accountIdOf`, of the principal's own trading accounts alone. Throws `account_not_found`. */
  async ownTradingAccountId(principal: Principal, text: string): Promise<number> {
    const accountId = await this.accountIdOf(principal, text, 'read');
    const account = await this.core.account(accountId);
    if (account?.kind !== 'trading' || account.owner !== principal.accountOwner) throw accountNotFound();
    return accountId;
  }

  /**
   * Whether the principal has a role on the account. Throws `forbidden` (403) where that role does not allow the act.
   */
  reaches(principal: Principal, accountId: number, act: AccountAct): Awaitable<boolean> {
    if (accountId === principal.accountId) return true;
    return onceKnown(this.roleOn(principal, accountId), (role) => {
      if (role === undefined) return false;
      if (!allows(role, act)) throw roleRequired(role, act);
      return true;
    });
  }

  /** What the principal is on the account; undefined where it has nothing to do there. */
  roleOn(principal: Principal, accountId: number): Awaitable<AccountRole | undefined> {
    if (accountId === principal.accountId) return 'owner';
    if (principal.isBoundToAccount === true) return undefined;
    return onceKnown(this.core.account(accountId), (account) => {
      if (account === undefined || account.owner === null) return undefined;
      if (account.owner === principal.accountOwner) return 'owner';
      return this.roles.rolesOf(personOf(principal)).then((roles) => roles.get(accountId));
    });
  }

  /**
   * Any customer's account, for operators. System accounts (fees, pools, the outside world) are excluded: changing them
   * would break their sums. Throws `account_not_found`.
   */
  async customerAccount(text: string): Promise<AccountRecord & { readonly owner: string }> {
    const accountId = ACCOUNT_IDS.parse(text);
    const account = accountId === undefined ? undefined : await this.core.account(accountId);
    if (account === undefined || account.owner === null) throw accountNotFound();
    return { ...account, owner: account.owner };
  }

  /** All accounts of the principal's own, oldest first. */
  async accountsOf(principal: Principal): Promise<readonly AccountRecord[]> {
    const accounts = await this.core.accountsOf(principal.accountOwner);
    if (principal.isBoundToAccount !== true) return accounts;
    return accounts.filter(({ accountId }) => accountId === principal.accountId);
  }

  /** All accounts on which the principal has a role: its own, oldest first, and those of others. */
  async reachedBy(principal: Principal): Promise<readonly ReachedAccount[]> {
    const own = (await this.accountsOf(principal)).map((account) => ({ account, role: 'owner' }) as const);
    if (principal.isBoundToAccount === true) return own;
    const others = await Promise.all(
      [...(await this.roles.rolesOf(personOf(principal)))].map(async ([accountId, role]) => {
        const account = await this.core.account(accountId);
        return account === undefined ? [] : [{ account, role }];
      }),
    );
    return [...own, ...others.flat()];
  }

  /**
   * The ids of the accounts that a request may mean besides the principal's first one, where it names something in an
   * account, such as an order. Whether the principal may do so there is for `reaches` to say.
   */
  async otherAccountIds(principal: Principal): Promise<readonly number[]> {
    const reached = await this.reachedBy(principal);
    return reached.map(({ account }) => account.accountId).filter((id) => id !== principal.accountId);
  }
}

export function accountNotFound(): ApiError {
  return new ApiError(REFUSALS.account_not_found, 'There is no such account. See GET /accounts.');
}
