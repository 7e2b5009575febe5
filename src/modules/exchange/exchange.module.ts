import * as ERROR_CODES from './errors.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LimitsModule } from '../limits/limits.module.js';
import { MarketsModule } from '../markets/markets.module.js';
import { OrderEntity } from '../markets/orders/order.entity.js';
import { FillEntity } from '../markets/fills/fill.entity.js';
import { AccountFeesController } from './fees/account-fees.controller.js';
import { AccountFeesService } from './fees/account-fees.service.js';
import { AccountFillsController } from './fills/account-fills.controller.js';
import { FillsController } from './fills/fills.controller.js';
import { FillsService } from './fills/fills.service.js';
import { MatchedBetEntity } from './matched-bets/matched-bet.entity.js';
import { MatchedBetsController } from './matched-bets/matched-bets.controller.js';
import { MatchedBetsService } from './matched-bets/matched-bets.service.js';
import { PnlController } from './pnl/pnl.controller.js';
import { PnlService } from './pnl/pnl.service.js';
import { QuotePricing } from './quotes/quote-pricing.js';
import { OLD_QUOTES, QuoteWriter } from './quotes/quote-writer.js';
import { QuoteEntity } from './quotes/quote.entity.js';
import { QuotedTermsReader } from './quotes/quoted-terms.js';
import { QuotesController } from './quotes/quotes.controller.js';
import { QuotesService } from './quotes/quotes.service.js';
import { ExchangePersonalData } from './exchange-personal-data.js';
import { FollowedAccounts } from './trading/followed-accounts.js';
import { Trading } from './trading/trading.js';
import { TradingService } from './trading/trading.service.js';
import { port } from '../../kit/module/extension-point.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { MATCHED_BET_IDS, QUOTE_IDS } from './ids.js';
import { QUOTE_LIFETIME_MS } from './quotes/quote-lifetime.js';

/** The Exchange group: quotes, the bets that accepting them makes, fills, fees, and profit and loss. */
@TradepostModule({
  name: 'exchange',
  errorCodes: Object.values(ERROR_CODES),
  settings: [QUOTE_LIFETIME_MS],
  idPrefixes: [QUOTE_IDS, MATCHED_BET_IDS],
  extensionPoints: [port(Trading)],
  implementations: [TradingService],
  purges: [OLD_QUOTES],
  personalData: [ExchangePersonalData],
  entities: [QuoteEntity, MatchedBetEntity],
  imports: [TypeOrmModule.forFeature([OrderEntity, FillEntity]), MarketsModule, LimitsModule],
  controllers: [
    QuotesController,
    MatchedBetsController,
    FillsController,
    AccountFillsController,
    AccountFeesController,
    PnlController,
  ],
  providers: [
    QuotesService,
    QuotePricing,
    QuoteWriter,
    QuotedTermsReader,
    MatchedBetsService,
    FillsService,
    FollowedAccounts,
    AccountFeesService,
    PnlService,
  ],
  exports: [AccountFeesService, FillsService],
})
export class ExchangeModule {}
