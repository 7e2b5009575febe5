import { Injectable } from '@nestjs/common';
import { Between } from 'typeorm';
import { unitsOf } from '../../../domain/market/units.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { periodOf, type PeriodQueryDto } from '../../../kit/http/period.js';
import { TIME_MAX_MS } from '../../../kit/http/timed-list.js';
import { MomentsService, sequencesIn } from '../../accounts/moments/moments.service.js';
import { CandleProjection } from './candle-projection.js';
import { type CandleDto, INTERVAL_SECONDS, type ListCandlesQueryDto, toCandleDto } from './candle.dto.js';
import { CandleEntity } from './candle.entity.js';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { MarketCatalogService } from './market-catalog.service.js';
import { toTradeDto, type TradeDto } from './trade.dto.js';
import { TradeEntity } from './trade.entity.js';

/** Trade history: single trades and candles. Newest first. */
@Injectable()
export class TradeHistoryService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly projection: CandleProjection,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
  ) {}

  /** Throws `market_not_found`, `invalid_cursor`, `validation_failed`. */
  async listTrades(marketId: string, query: PeriodQueryDto): Promise<Page<TradeDto>> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const before = decodeCursor(query.cursor, ['integer'])?.[0];
    const span = await this.moments.spanOf(query);
    await this.core.projected();
    const rows = await this.reads.read((manager) =>
      manager.find(TradeEntity, {
        where: { marketId, tradeId: sequencesIn(span, before) },
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

  /** The first of the period from a sequence on, oldest first. Throws as `listTrades`. */
  async listFirstTrades(marketId: string, query: PeriodQueryDto, fromSequence: number): Promise<TradeDto[]> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const { after, until } = await this.moments.spanOf(query);
    await this.core.projected();
    const rows = await this.reads.read((manager) =>
      manager.find(TradeEntity, {
        where: { marketId, tradeId: sequencesIn({ after: Math.max(after, fromSequence - 1), until }) },
        order: { tradeId: 'ASC' },
        take: query.limit,
      }),
    );
    return rows.map((trade) => toTradeDto(trade, units));
  }

  /** The first of the period, oldest first. Throws as `listCandles`. */
  async listFirstCandles(marketId: string, query: ListCandlesQueryDto): Promise<CandleDto[]> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const { fromMs = 0, toMs = TIME_MAX_MS } = periodOf(query);
    await this.projection.catchUp(marketId);
    const rows = await this.reads.read((manager) =>
      manager.find(CandleEntity, {
        where: {
          marketId,
          intervalSeconds: INTERVAL_SECONDS[query.interval],
          start: Between(new Date(fromMs), new Date(Math.min(toMs, TIME_MAX_MS) - 1)),
        },
        order: { start: 'ASC' },
        take: query.limit,
      }),
    );
    return rows.map((candle) => toCandleDto(candle, units));
  }

  /**
   * Those that begin in the period. Includes every trade acknowledged before the request. Throws `market_not_found`,
   * `invalid_cursor`, `validation_failed`, and `temporarily_unavailable` where the tables do not move.
   */
  async listCandles(marketId: string, query: ListCandlesQueryDto): Promise<Page<CandleDto>> {
    const units = unitsOf(this.catalog.view(marketId).definition);
    const [beforeMs] = decodeCursor(query.cursor, ['integer']) ?? [TIME_MAX_MS];
    const { fromMs = 0, toMs = TIME_MAX_MS } = periodOf(query);
    await this.projection.catchUp(marketId);
    const rows = await this.reads.read((manager) =>
      manager.find(CandleEntity, {
        where: {
          marketId,
          intervalSeconds: INTERVAL_SECONDS[query.interval],
          start: Between(new Date(fromMs), new Date(Math.min(beforeMs, toMs, TIME_MAX_MS) - 1)),
        },
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
