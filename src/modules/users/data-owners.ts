import { Injectable } from '@nestjs/common';
import type { ExportingOwner } from '../../kit/personal-data/personal-data.js';
import { UserAccounts } from './user-accounts.js';
import { principalKeyOf, type UserEntity } from './user.entity.js';

/** Users as the owners of what is exported. */
@Injectable()
export class DataOwners {
  constructor(private readonly accounts: UserAccounts) {}

  async of({ userId, username }: Pick<UserEntity, 'userId' | 'username'>): Promise<ExportingOwner> {
    const key = principalKeyOf({ userId });
    const { mainAccountId: accountId, ...exported } = await this.accounts.exportedOf(key);
    return {
      ...exported,
      userId,
      username,
      key,
      principal: {
        kind: 'user',
        key,
        id: username,
        accountOwner: key,
        accountId,
        scopes: new Set(),
      },
    };
  }
}
