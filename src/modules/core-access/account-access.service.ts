import { Injectable } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import type { AccountRecord } from '../../core/core.types.js';
import { parseId } from '../../domain/ids.js';
import { ApiError } from '../../platform/http/errors.js';
import type { Principal } from '../../platform/security/principal.js';

/** Which accounts a principal acts on. A foreign account answers exactly like one that does not exist. */
@Injectable()
export class AccountAccessService {
  constructor(private readonly core: CoreService) {}

  /** The account of a request that names none. Throws `account_not_found` for principals without money. */
  ownAccountId(principal: Principal): number {
    if (principal.accountId === null) throw accountNotFound();
    return principal.accountId;
  }

  /**
   * The account that `text` names: an id of one of the principal's own, or `me` for the one it uses when
   * it names none. Throws `account_not_found`.
   */
  async accountIdOf(principal: Principal, text: string | null | undefined): Promise<number> {
    if (text == null || text === 'me') return this.ownAccountId(principal);
    const accountId = parseId('acc', text);
    if (accountId === undefined) throw accountNotFound();
    if (!(await this.owns(principal, accountId))) throw accountNotFound();
    return accountId;
  }

  /** Whether the account is one of the principal's own. */
  async owns(principal: Principal, accountId: number): Promise<boolean> {
    if (accountId === principal.accountId) return true;
    const account = await this.core.account(accountId);
    return account?.owner === principal.accountOwner;
  }

  /**
   * Any customer's account, for operators. System accounts (fees, pools, the outside world) are excluded: changing them
   * would break their sums. Throws `account_not_found`.
   */
  async customerAccount(text: string): Promise<AccountRecord & { readonly owner: string }> {
    const accountId = parseId('acc', text);
    const account = accountId === undefined ? undefined : await this.core.account(accountId);
    if (account === undefined || account.owner === null) throw accountNotFound();
    return { ...account, owner: account.owner };
  }

  /** All accounts of the principal, oldest first. */
  async accountsOf(principal: Principal): Promise<readonly AccountRecord[]> {
    return this.core.accountsOf(principal.accountOwner);
  }
}

export function accountNotFound(): ApiError {
  return new ApiError('account_not_found', 'There is no such account. See GET /accounts.');
}
