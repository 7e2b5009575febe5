import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { AccountRecord } from '../../../core/core.types.js';
import { type ExportedAccounts, UserAccounts } from '../../users/user-accounts.js';
import { ACCOUNT_IDS } from '../ids.js';
import { AccountOpener } from '../opening/account-opener.js';
import { Leftovers } from './leftovers.js';

/** The accounts that come with a user, are exported with it, and must be empty before it closes. */
@Injectable()
export class AccountsOfUsers extends UserAccounts {
  constructor(
    private readonly core: CoreService,
    private readonly opener: AccountOpener,
    private readonly leftovers: Leftovers,
  ) {
    super();
  }

  override ensure(owner: string, name: string): Promise<number> {
    return this.opener.ensure(owner, name);
  }

  override async exportedOf(owner: string): Promise<ExportedAccounts> {
    const accounts = [...(await this.core.accountsOf(owner))].sort((a, b) => a.accountId - b.accountId);
    const trading = accounts.filter(({ kind }) => kind === 'trading');
    return {
      accountIds: idsOf(accounts),
      tradingAccountIds: idsOf(trading),
      mainAccountId: trading[0]?.accountId ?? null,
    };
  }

  override requireEmpty(owner: string): Promise<void> {
    return this.leftovers.requireNone(owner);
  }
}

function idsOf(accounts: readonly AccountRecord[]): string[] {
  return accounts.map(({ accountId }) => ACCOUNT_IDS.format(accountId));
}
