import { Global, Module } from '@nestjs/common';
import { MarketsModule } from '../../markets/markets.module.js';
import { ExchangeModule } from '../exchange.module.js';
import { FollowedAccounts } from './followed-accounts.js';
import { TradingService } from './trading.service.js';
import { Trading } from './trading.js';

/** Trading for all modules, also those of plugins, which know none of the service's modules. */
@Global()
@Module({
  imports: [MarketsModule, ExchangeModule],
  providers: [FollowedAccounts, { provide: Trading, useClass: TradingService }],
  exports: [Trading],
})
export class TradingModule {}
