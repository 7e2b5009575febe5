import { TradepostPlugin } from '../../src/index.js';
import { CallersService } from './callers.service.js';
import { ExchangeInfoService } from './exchange-info.service.js';
import { KlinesService } from './klines.service.js';
import { MarketDataController } from './market-data.controller.js';
import { RequestWeights } from './request-weights.js';
import { WEIGHT_PER_MINUTE } from './settings.js';
import { StreamHub } from './streams/stream-hub.js';
import { StreamSources } from './streams/stream-sources.js';
import { StreamsGateway } from './streams/streams.gateway.js';
import { SymbolsService } from './symbols.service.js';
import { TickersService } from './tickers.service.js';
import { DialectAccounts } from './trading/accounts.service.js';
import { OrderListsController } from './trading/order-lists.controller.js';
import { DialectOrderLists } from './trading/order-lists.service.js';
import { DialectOrders } from './trading/orders.service.js';
import { TradingController } from './trading/trading.controller.js';
import { TradesService } from './trades.service.js';
import { UserDataGateway } from './user-data/user-data.gateway.js';

/** The dialect of Binance Spot, for clients that know it, under `/binance`. */
@TradepostPlugin({
  name: 'binance-spot',
  compatibility: '^0.1.0',
  settings: [WEIGHT_PER_MINUTE],
  controllers: [MarketDataController, TradingController, OrderListsController],
  providers: [
    SymbolsService,
    RequestWeights,
    CallersService,
    DialectOrders,
    DialectOrderLists,
    DialectAccounts,
    ExchangeInfoService,
    TradesService,
    KlinesService,
    TickersService,
    StreamSources,
    StreamHub,
    StreamsGateway,
    UserDataGateway,
  ],
})
export class BinanceSpotPlugin {}
