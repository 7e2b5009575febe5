import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { everyItem, everyItemOf } from '../../kit/personal-data/pages.js';
import type { DataOwner, PersonalErasure, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { AccountsService } from './accounts.service.js';
import { AccountMembers } from './members/account-members.service.js';

/** Exports accounts and their members. Accounts stay when a user is closed: they name nobody. */
@Injectable()
export class AccountsPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    accounts: AccountsService,
    members: AccountMembers,
  ) {
    this.sections = [
      {
        name: 'accounts',
        holds: 'your accounts, those of your wallets too',
        rows: ({ principal }) => everyItem((page) => accounts.list(principal, page)),
      },
      {
        name: 'account_members',
        holds: 'whom you have let into your accounts, or invited',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, async (id) => {
            const { data: rows } = await members.list(principal, id);
            return { data: rows, next_cursor: null };
          }),
      },
    ];
    this.erasures = [{ name: 'sub_accounts', due: 'closing', erase: (owner) => this.eraseIntents(owner) }];
  }

  /** What made the accounts, with their names; the accounts themselves are of the ledger. */
  private async eraseIntents({ key }: DataOwner): Promise<void> {
    await this.database.query('DELETE FROM sub_accounts WHERE owner = $1', [key]);
  }
}
