import { Controller, Get, UseFilters, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { MarketData } from '../../src/index.js';
import { BinanceErrorFilter } from './binance-error.filter.js';
import { DialectGuard, SentParameters } from './dialect.guard.js';
import { ApiList, ApiObject, DialectEndpoint } from './endpoint.js';
import { ExchangeInfoService, type ExchangeInfo } from './exchange-info.service.js';
import { KlinesService } from './klines.service.js';
import { Parameters } from './parameters.js';
import { SymbolsService } from './symbols.service.js';
import { TickersService } from './tickers.service.js';
import { TradesService } from './trades.service.js';
import type { AggregateTrade, PublicTrade } from './trades.js';

const DEPTH_DEFAULT = 100;
/** The deepest that our books are told. */
const DEPTH_MAX = 1_000;
const SYMBOLS = ['symbol', 'symbols', 'symbolStatus'] as const;

interface Depth {
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [price: string, size: string])[];
  readonly asks: readonly (readonly [price: string, size: string])[];
}

const ApiOneOrList = (): MethodDecorator =>
  ApiOkResponse({ schema: { oneOf: [{ type: 'object' }, { type: 'array', items: {} }] } });

/** Market data of the dialect, whose shapes are Binance's. */
@ApiTags('Binance Spot')
@UseGuards(DialectGuard)
@UseFilters(BinanceErrorFilter)
@Controller('binance/api/v3')
export class MarketDataController {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
    private readonly exchange: ExchangeInfoService,
    private readonly lists: TradesService,
    private readonly candles: KlinesService,
    private readonly tickers: TickersService,
  ) {}

  @Get('ping')
  @DialectEndpoint({ summary: 'Test connectivity', weight: 1 })
  @ApiObject()
  ping(): object {
    return {};
  }

  @Get('time')
  @DialectEndpoint({ summary: 'The time of the server', weight: 1 })
  @ApiObject()
  time(): { readonly serverTime: number } {
    return { serverTime: Date.now() };
  }

  @Get('exchangeInfo')
  @DialectEndpoint({
    summary: 'The rules of the exchange and of its symbols',
    weight: 20,
    optional: [...SYMBOLS, 'permissions', 'showPermissionSets'],
  })
  @ApiObject()
  info(@SentParameters() parameters: Parameters): Promise<ExchangeInfo> {
    return this.exchange.info(parameters);
  }

  @Get('depth')
  @DialectEndpoint({
    summary: 'The order book of a symbol',
    weight: weightOfDepth,
    mandatory: ['symbol'],
    optional: ['limit'],
  })
  @ApiObject()
  async depth(@SentParameters() parameters: Parameters): Promise<Depth> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const book = await this.data.orderbook(marketId, parameters.limit(DEPTH_DEFAULT, DEPTH_MAX));
    return {
      lastUpdateId: book.sequence,
      bids: book.bids.map(([price, size]) => [price, size]),
      asks: book.asks.map(([price, size]) => [price, size]),
    };
  }

  @Get('trades')
  @DialectEndpoint({ summary: 'The latest trades', weight: 25, mandatory: ['symbol'], optional: ['limit'] })
  @ApiList()
  trades(@SentParameters() parameters: Parameters): Promise<PublicTrade[]> {
    return this.lists.recent(parameters);
  }

  @Get('historicalTrades')
  @DialectEndpoint({
    summary: 'Trades from one on',
    weight: 25,
    mandatory: ['symbol'],
    optional: ['limit', 'fromId'],
  })
  @ApiList()
  historicalTrades(@SentParameters() parameters: Parameters): Promise<PublicTrade[]> {
    return this.lists.historical(parameters);
  }

  @Get('aggTrades')
  @DialectEndpoint({
    summary: 'Trades, those of one incoming order at one price summed up',
    weight: 4,
    mandatory: ['symbol'],
    optional: ['fromId', 'startTime', 'endTime', 'limit'],
  })
  @ApiList()
  aggTrades(@SentParameters() parameters: Parameters): Promise<AggregateTrade[]> {
    return this.lists.aggregated(parameters);
  }

  @Get(['klines', 'uiKlines'])
  @DialectEndpoint({
    summary: 'Klines',
    weight: 2,
    mandatory: ['symbol', 'interval'],
    optional: ['startTime', 'endTime', 'timeZone', 'limit'],
  })
  @ApiList()
  klines(@SentParameters() parameters: Parameters): Promise<unknown[][]> {
    return this.candles.list(parameters);
  }

  @Get('ticker/24hr')
  @DialectEndpoint({
    summary: 'The last 24 hours',
    weight: (parameters) => weightOfTickers(parameters, 80),
    optional: [...SYMBOLS, 'type'],
  })
  @ApiOneOrList()
  days(@SentParameters() parameters: Parameters): Promise<object | object[]> {
    return this.tickers.days(parameters);
  }

  @Get('ticker/price')
  @DialectEndpoint({
    summary: 'The last price',
    weight: (parameters) => (parameters.has('symbol') ? 2 : 4),
    optional: SYMBOLS,
  })
  @ApiOneOrList()
  prices(@SentParameters() parameters: Parameters): Promise<object | object[]> {
    return this.tickers.prices(parameters);
  }

  @Get('ticker/bookTicker')
  @DialectEndpoint({
    summary: 'The best prices',
    weight: (parameters) => (parameters.has('symbol') ? 2 : 4),
    optional: SYMBOLS,
  })
  @ApiOneOrList()
  books(@SentParameters() parameters: Parameters): Promise<object | object[]> {
    return this.tickers.books(parameters);
  }
}

function weightOfDepth(parameters: Parameters): number {
  const limit = parameters.limit(DEPTH_DEFAULT, 5_000);
  if (limit <= 100) return 5;
  if (limit <= 500) return 25;
  return limit <= 1_000 ? 50 : 250;
}

function weightOfTickers(parameters: Parameters, ofAll: number): number {
  const count = parameters.symbols()?.length ?? Infinity;
  if (count <= 20) return 2;
  return count <= 100 ? 40 : ofAll;
}
