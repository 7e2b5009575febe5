import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../platform/http/pagination.js';
import { Public } from '../../platform/security/credentials.js';
import { SettlementDto } from './settlements/settlement.dto.js';
import { SettlementsService } from './settlements/settlements.service.js';
import { CandleDto, ListCandlesQueryDto } from './market-data/candle.dto.js';
import { MarketCatalogService } from './market-data/market-catalog.service.js';
import { ListMarketsQueryDto, MarketDto } from './market-data/market.dto.js';
import { OrderbookDto, OrderbookQueryDto } from './market-data/orderbook.dto.js';
import { TradeHistoryService } from './market-data/trade-history.service.js';
import { TradeDto } from './market-data/trade.dto.js';

const MARKET_PARAM = { name: 'market_id', description: "The market's symbol.", example: 'BTC-USD' };

/** Markets, their books and what was traded on them: public, read only. */
@ApiTags('Markets')
@Public()
@Controller('markets')
export class MarketsController {
  constructor(
    private readonly catalog: MarketCatalogService,
    private readonly history: TradeHistoryService,
    private readonly settled: SettlementsService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List or search markets', description: 'In order of their ids.' })
  @ApiPageResponse(MarketDto)
  list(@Query() query: ListMarketsQueryDto): Promise<Page<MarketDto>> {
    return this.catalog.list(query);
  }

  @Get(':market_id')
  @ApiOperation({ summary: 'Get market details, with its ticker' })
  @ApiParam(MARKET_PARAM)
  @ApiErrors('market_not_found')
  get(@Param('market_id') marketId: string): Promise<MarketDto> {
    return this.catalog.get(marketId);
  }

  @Get(':market_id/orderbook')
  @ApiOperation({ summary: 'L2 orderbook', description: 'As the last committed command left it.' })
  @ApiParam(MARKET_PARAM)
  @ApiErrors('market_not_found')
  orderbook(@Param('market_id') marketId: string, @Query() query: OrderbookQueryDto): OrderbookDto {
    return this.catalog.orderbook(marketId, query.depth);
  }

  @Get(':market_id/trades')
  @ApiOperation({ summary: 'Trades by market', description: 'Newest first.' })
  @ApiPageResponse(TradeDto)
  @ApiParam(MARKET_PARAM)
  @ApiErrors('market_not_found')
  trades(@Param('market_id') marketId: string, @Query() query: PageQueryDto): Promise<Page<TradeDto>> {
    return this.history.listTrades(marketId, query);
  }

  @Get(':market_id/settlements')
  @ApiOperation({
    summary: 'Settlements by market',
    description:
      'Every value at which the market was settled, newest first: more than one where it was corrected.',
  })
  @ApiPageResponse(SettlementDto)
  @ApiParam(MARKET_PARAM)
  @ApiErrors('market_not_found')
  settlements(
    @Param('market_id') marketId: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<SettlementDto>> {
    return this.settled.list(marketId, query);
  }

  @Get(':market_id/candles')
  @ApiOperation({
    summary: 'Candles by market',
    description: 'Newest first, the running one included. An interval without a trade has no candle.',
  })
  @ApiPageResponse(CandleDto)
  @ApiParam(MARKET_PARAM)
  @ApiErrors('market_not_found')
  candles(
    @Param('market_id') marketId: string,
    @Query() query: ListCandlesQueryDto,
  ): Promise<Page<CandleDto>> {
    return this.history.listCandles(marketId, query);
  }
}
