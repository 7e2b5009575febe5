import { Injectable } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import type { ExportingOwner } from '../../kit/personal-data/personal-data.js';
import { principalKeyOf, type UserEntity } from './user.entity.js';
import { ACCOUNT_IDS } from '../core-access/ids.js';

/** Users as the owners of what is exported. */
@Injectable()
export class DataOwners {
  constructor(private readonly core: CoreService) {}

  async of({ userId, username }: Pick<UserEntity, 'userId' | 'username'>): Promise<ExportingOwner> {
    const key = principalKeyOf({ userId });
    const accounts = [...(await this.core.accountsOf(key))].sort((a, b) => a.accountId - b.accountId);
    const trading = accounts.filter(({ kind }) => kind === 'trading');
    const idsOf = (some: typeof accounts): string[] =>
      some.map(({ accountId }) => ACCOUNT_IDS.format(accountId));
    return {
      userId,
      username,
      key,
      accountIds: idsOf(accounts),
      tradingAccountIds: idsOf(trading),
      principal: {
        kind: 'user',
        key,
        id: username,
        accountOwner: key,
        accountId: trading[0]?.accountId ?? null,
        scopes: new Set(),
      },
    };
  }
}
