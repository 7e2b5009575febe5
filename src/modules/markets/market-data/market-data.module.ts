import { Global, Module } from '@nestjs/common';
import { MarketsModule } from '../markets.module.js';
import { MarketDataService } from './market-data.service.js';
import { MarketData } from './market-data.js';
import { MarketFollowers } from './market-followers.js';

/** Market data for all modules, also those of plugins, which know none of the service's modules. */
@Global()
@Module({
  imports: [MarketsModule],
  providers: [MarketFollowers, { provide: MarketData, useClass: MarketDataService }],
  exports: [MarketData],
})
export class MarketDataModule {}
