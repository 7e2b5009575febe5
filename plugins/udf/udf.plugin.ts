import { TradepostPlugin } from '../../src/index.js';
import { HistoryService } from './history.service.js';
import { QuotesService } from './quotes.service.js';
import { SymbolsService } from './symbols.service.js';
import { UdfController } from './udf.controller.js';

/** TradingView's Universal Data Feed, for charts that know it, under `/udf`. */
@TradepostPlugin({
  name: 'udf',
  compatibility: '^0.1.0',
  controllers: [UdfController],
  providers: [SymbolsService, HistoryService, QuotesService],
})
export class UdfPlugin {}
