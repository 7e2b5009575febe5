import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { accountNotFound } from '../../accounts/access/account-access.service.js';
import { UserGroups } from '../../users/user-groups.js';
import type { OrderOwner } from './order-owner.js';
import { OwnerCountries } from './owner-countries.js';

/** Tells whose accounts are, from memory: what it does not hold is read once, with the first order of an account. */
@Injectable()
export class OrderOwners {
  constructor(
    private readonly core: CoreService,
    private readonly countries: OwnerCountries,
    private readonly groups: UserGroups,
  ) {}

  /** Throws `account_not_found` (404), also for accounts of the service itself. */
  async of(accountId: number): Promise<OrderOwner> {
    const account = await this.core.account(accountId);
    if (account === undefined || account.owner === null) throw accountNotFound();
    const { owner: user, kycLevel: level } = account;
    const country = await this.countries.of(user);
    const groups = await this.groups.of(user);
    return { user, account: ACCOUNT_IDS.format(accountId), level, country, groups };
  }
}
