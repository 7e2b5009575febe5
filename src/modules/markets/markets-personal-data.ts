import { Injectable } from '@nestjs/common';
import { everyItemOf } from '../../kit/personal-data/pages.js';
import type { PersonalSection } from '../../kit/personal-data/personal-data.js';
import { HoldingsService } from './holdings/holdings.service.js';
import { PositionsService } from './holdings/positions.service.js';
import { OrderHistoryService } from './orders/order-history.service.js';

/** Exports what happened in accounts. It stays when a user is closed: it names nobody. */
@Injectable()
export class MarketsPersonalData {
  readonly sections: readonly PersonalSection[];

  constructor(holdings: HoldingsService, positions: PositionsService, orders: OrderHistoryService) {
    this.sections = [
      {
        name: 'balances',
        holds: 'what is in them now',
        rows: ({ principal, accountIds }) =>
          everyItemOf('account_id', accountIds, (id, page) => holdings.listBalances(principal, id, page)),
      },
      {
        name: 'entries',
        holds: 'every movement of your money',
        rows: ({ principal, accountIds }) =>
          everyItemOf('account_id', accountIds, (id, page) => holdings.listEntries(principal, id, page)),
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
  }
}
