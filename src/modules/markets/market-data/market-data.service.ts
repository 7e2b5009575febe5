import { Injectable, type Type } from '@nestjs/common';
import { ApiError } from '../../../kit/http/errors.js';
import type { Page } from '../../../kit/http/pagination.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { CompiledValidationPipe } from '../../../kit/http/validation/compiled-validation.pipe.js';
import { type CandleDto, ListCandlesQueryDto } from './candle.dto.js';
import { MarketCatalogService } from './market-catalog.service.js';
import { MarketData } from './market-data.js';
import type {
  CandleSelection,
  FirstCandlesSelection,
  FirstTradesSelection,
  HistorySelection,
  MarketListener,
  MarketSelection,
} from './market-data.js';
import { MarketFollowers } from './market-followers.js';
import { ListMarketsQueryDto, type MarketDto } from './market.dto.js';
import { DEPTH_DEFAULT, type OrderbookDto, OrderbookQueryDto } from './orderbook.dto.js';
import type { TradeDto } from './trade.dto.js';
import { TradeHistoryService } from './trade-history.service.js';
import { TRADE_IDS } from '../names/ids.js';

/** Reads by the services of the routes, and validates by the rules of their queries. */
@Injectable()
export class MarketDataService extends MarketData {
  private readonly rules: CompiledValidationPipe;

  constructor(
    private readonly catalog: MarketCatalogService,
    private readonly history: TradeHistoryService,
    private readonly followers: MarketFollowers,
  ) {
    super();
    this.rules = new CompiledValidationPipe(catalog.fields);
  }

  override async markets(selection: MarketSelection = {}): Promise<Page<MarketDto>> {
    return this.catalog.list(await this.validated(ListMarketsQueryDto, selection));
  }

  override async market(marketId: string): Promise<MarketDto> {
    return this.catalog.get(marketId);
  }

  override async orderbook(marketId: string, depth = DEPTH_DEFAULT): Promise<OrderbookDto> {
    const query = await this.validated(OrderbookQueryDto, { depth });
    return this.catalog.orderbook(marketId, query.depth);
  }

  override async trades(marketId: string, selection: HistorySelection = {}): Promise<Page<TradeDto>> {
    return this.history.listTrades(marketId, await this.validated(PeriodQueryDto, selection));
  }

  override async candles(marketId: string, selection: CandleSelection = {}): Promise<Page<CandleDto>> {
    return this.history.listCandles(marketId, await this.validated(ListCandlesQueryDto, selection));
  }

  override async firstTrades(
    marketId: string,
    { from_id: fromId, ...selection }: FirstTradesSelection = {},
  ): Promise<TradeDto[]> {
    const first = fromId === undefined ? 0 : TRADE_IDS.parse(fromId);
    if (first === undefined) {
      throw ApiError.validation([{ field: 'from_id', message: 'from_id must be the id of a trade' }]);
    }
    return this.history.listFirstTrades(marketId, await this.validated(PeriodQueryDto, selection), first);
  }

  override async firstCandles(marketId: string, selection: FirstCandlesSelection = {}): Promise<CandleDto[]> {
    return this.history.listFirstCandles(marketId, await this.validated(ListCandlesQueryDto, selection));
  }

  override follow(marketId: string, listener: MarketListener): () => void {
    return this.followers.follow(marketId, listener);
  }

  private async validated<Query>(type: Type<Query>, selection: object): Promise<Query> {
    // What is undefined is left out, so that the defaults of the query count.
    const given = Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
    return (await this.rules.transform(given, { type: 'query', metatype: type, data: undefined })) as Query;
  }
}
