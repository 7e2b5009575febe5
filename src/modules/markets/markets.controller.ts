import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { NOT_FOUND, VALIDATION_FAILED } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../kit/http/conditional.js';
import { CsvRows } from '../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../kit/http/pagination.js';
import { PeriodQueryDto } from '../../kit/http/period.js';
import { PathParam } from '../../kit/http/path-param.js';
import { Public } from '../../kit/security/credential-policy.js';
import { SettlementDto } from './settlements/settlement.dto.js';
import { SettlementsService } from './settlements/settlements.service.js';
import { CandleDto, ListCandlesQueryDto, CANDLE_COLUMNS } from './market-data/candle.dto.js';
import { MarketCatalogService } from './market-data/market-catalog.service.js';
import { ApiMarketDay, marketDayAnswer } from './market-days/market-day-answer.js';
import { MarketDayService } from './market-days/market-day.service.js';
import { ListMarketsQueryDto, MarketDto } from './market-data/market.dto.js';
import { OrderbookDto, OrderbookQueryDto } from './market-data/orderbook.dto.js';
import { TradeHistoryService } from './market-data/trade-history.service.js';
import { TradeDto, TRADE_CSV_COLUMNS } from './market-data/trade.dto.js';

const MarketId = (): ParameterDecorator =>
  PathParam('market_id', { description: "The market's symbol.", example: 'BTC-USD' });

/** Markets, their books and what was traded on them: public, read only. */
@ApiTags('Markets')
@Public()
@Controller('markets')
export class MarketsController {
  constructor(
    private readonly catalog: MarketCatalogService,
    private readonly history: TradeHistoryService,
    private readonly settled: SettlementsService,
    private readonly days: MarketDayService,
  ) {}

  /**
   * List or search markets
   * @remarks In order of their ids.
   */
  @Get()
  @ApiRevalidated({ dated: false })
  @ApiPageResponse(MarketDto)
  async list(
    @Query() query: ListMarketsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<MarketDto>> {
    return revalidated(response, await this.catalog.list(query));
  }

  /** Get market details, with its ticker */
  @Get(':market_id')
  @ApiRevalidated({ dated: false })
  @ApiErrors(REFUSALS.market_not_found)
  async get(
    @MarketId() marketId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MarketDto> {
    return revalidated(response, await this.catalog.get(marketId));
  }

  /**
   * L2 orderbook
   * @remarks As the last committed command left it.
   */
  @Get(':market_id/orderbook')
  @ApiErrors(REFUSALS.market_not_found)
  orderbook(@MarketId() marketId: string, @Query() query: OrderbookQueryDto): OrderbookDto {
    return this.catalog.orderbook(marketId, query.depth);
  }

  /**
   * Trades by market
   * @remarks Newest first.
   */
  @Get(':market_id/trades')
  @ApiPageResponse(TradeDto)
  @CsvRows(TRADE_CSV_COLUMNS)
  @ApiErrors(REFUSALS.market_not_found)
  trades(@MarketId() marketId: string, @Query() query: PeriodQueryDto): Promise<Page<TradeDto>> {
    return this.history.listTrades(marketId, query);
  }

  /**
   * Trades of a finished day
   * @remarks All of one UTC day, oldest first, as gzipped CSV with a checksum of what is sent. It never changes, so
   * caches may keep it. A day is there a minute after its end.
   */
  @Get(':market_id/history/:day')
  @ApiMarketDay()
  @ApiErrors(REFUSALS.market_not_found, NOT_FOUND.means('the day is not over.'), VALIDATION_FAILED)
  async day(
    @MarketId() marketId: string,
    @PathParam('day', { description: 'A UTC day.', example: '2026-11-22' }) day: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return marketDayAnswer(response, await this.days.get(marketId, day));
  }

  /**
   * Settlements by market
   * @remarks Every value at which the market was settled, newest first: more than one where it was
   * corrected.
   */
  @Get(':market_id/settlements')
  @ApiRevalidated({ dated: false })
  @ApiPageResponse(SettlementDto)
  @ApiErrors(REFUSALS.market_not_found)
  async settlements(
    @MarketId() marketId: string,
    @Query() query: PageQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<SettlementDto>> {
    return revalidated(response, await this.settled.list(marketId, query));
  }

  /**
   * Candles by market
   * @remarks Newest first, the running one included. An interval without a trade has no candle. `from` and `to`
   * select by `start`.
   */
  @Get(':market_id/candles')
  @ApiPageResponse(CandleDto)
  @CsvRows(CANDLE_COLUMNS)
  @ApiErrors(REFUSALS.market_not_found)
  candles(@MarketId() marketId: string, @Query() query: ListCandlesQueryDto): Promise<Page<CandleDto>> {
    return this.history.listCandles(marketId, query);
  }
}
