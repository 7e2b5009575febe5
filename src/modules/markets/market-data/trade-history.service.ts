import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { unitsOf } from '../../../domain/market/units.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../platform/http/pagination.js';
import { CandleProjection } from './candle-projection.js';
import { type CandleDto, INTERVAL_SECONDS, type ListCandlesQueryDto, toCandleDto } from './candle.dto.js';
import { CandleEntity } from './candle.entity.js';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { MarketCatalogService } from './market-catalog.service.js';
import { toTradeDto, type TradeDto } from './trade.dto.js';
import { TradeEntity } from './trade.entity.js';

/** The latest time that a Date can hold; a cursor names no later one. */
const TIME_MAX_MS = 8.64e15;

/** Trade history: single trades and candles. Newest first. */
@Injectable()
export class TradeHistoryService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly projection: CandleProjection,
    private readonly reads: ReadPool,
  ) {}

  async listTrades(marketId: string, query: PageQueryDto): Promise<Page<TradeDto>> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const before = decodeCursor(query.cursor, ['integer']);
    await this.core.projected();
    const rows = await this.reads.read((manager) =>
      manager.find(TradeEntity, {
        where: before === undefined ? { marketId } : { marketId, tradeId: LessThan(before[0]) },
        order: { tradeId: 'DESC' },
        take: query.limit + 1,
      }),
    );
    return pageOf(
      rows,
      query.limit,
      (trade) => [trade.tradeId],
      (trade) => toTradeDto(trade, units),
    );
  }

  /** Includes every trade acknowledged before the request. Throws `temporarily_unavailable` while much is to be summed up. */
  async listCandles(marketId: string, query: ListCandlesQueryDto): Promise<Page<CandleDto>> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const before = decodeCursor(query.cursor, ['integer']);
    await this.projection.catchUp(marketId);
    const ofInterval = { marketId, intervalSeconds: INTERVAL_SECONDS[query.interval] };
    const rows = await this.reads.read((manager) =>
      manager.find(CandleEntity, {
        where:
          before === undefined
            ? ofInterval
            : { ...ofInterval, start: LessThan(new Date(Math.min(before[0], TIME_MAX_MS))) },
        order: { start: 'DESC' },
        take: query.limit + 1,
      }),
    );
    return pageOf(
      rows,
      query.limit,
      (candle) => [candle.start.getTime()],
      (candle) => toCandleDto(candle, units),
    );
  }
}
