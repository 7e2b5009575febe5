import { Injectable } from '@nestjs/common';
import { everyItemOf } from '../../kit/personal-data/pages.js';
import type { PersonalSection } from '../../kit/personal-data/personal-data.js';
import { FillsService } from './fills/fills.service.js';
import { MatchedBetsService } from './matched-bets/matched-bets.service.js';
import { QuotesService } from './quotes/quotes.service.js';

/** Exports fills, quotes and bets. They stay when a user is closed: they name nobody. */
@Injectable()
export class ExchangePersonalData {
  readonly sections: readonly PersonalSection[];

  constructor(fills: FillsService, quotes: QuotesService, bets: MatchedBetsService) {
    this.sections = [
      {
        name: 'fills',
        holds: 'every fill of your orders',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) =>
            fills.listOfAccount(principal, id, page),
          ),
      },
      {
        name: 'quotes',
        holds: 'quotes that you asked for, as long as they are kept',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) =>
            quotes.list(principal, { ...page, account_id: id }),
          ),
      },
      {
        name: 'matched_bets',
        holds: 'quotes that you accepted',
        rows: ({ principal, tradingAccountIds }) =>
          everyItemOf('account_id', tradingAccountIds, (id, page) =>
            bets.list(principal, { ...page, account_id: id }),
          ),
      },
    ];
  }
}
