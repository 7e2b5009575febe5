import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { everyItem, everyItemOf } from '../../kit/personal-data/pages.js';
import type { DataOwner, PersonalErasure, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AccountMembers } from './accounts/members/account-members.service.js';
import { PositionsService } from './accounts/positions.service.js';
import { OrderHistoryService } from './orders/order-history.service.js';

/** Exports accounts with all that happened in them. It stays when a user is closed: it names nobody. */
@Injectable()
export class MarketsPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    accounts: AccountsService,
    members: AccountMembers,
    positions: PositionsService,
    orders: OrderHistoryService,
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
      {
        name: 'balances',
        holds: 'what is in them now',
        rows: ({ principal, accountIds }) =>
          everyItemOf('account_id', accountIds, (id, page) => accounts.listBalances(principal, id, page)),
      },
      {
        name: 'entries',
        holds: 'every movement of your money',
        rows: ({ principal, accountIds }) =>
          everyItemOf('account_id', accountIds, (id, page) => accounts.listEntries(principal, id, page)),
      },
      {
        name: 'orders',
        holds: 'every order that you placed',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) =>
            orders.list(principal, { ...page, account_id: id }),
          ),
      },
      {
        name: 'positions',
        holds: 'what you hold in each market',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) => positions.list(principal, id, page)),
      },
    ];
    this.erasures = [{ name: 'sub_accounts', due: 'closing', erase: (owner) => this.eraseIntents(owner) }];
  }

  /** What made the accounts, with their names; the accounts themselves are of the ledger. */
  private async eraseIntents({ key }: DataOwner): Promise<void> {
    await this.database.query('DELETE FROM sub_accounts WHERE owner = $1', [key]);
  }
}
