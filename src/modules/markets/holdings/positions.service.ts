import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import { amount } from '../../../domain/money/amount.js';
import { exitMark } from '../../../domain/pnl/mark.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { exitPricesOf } from '../fills/exit-prices.js';
import type { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { type Moment, MomentsService } from '../../accounts/moments/moments.service.js';
import { PositionHistoryService } from '../fills/position-history.service.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { type PositionDto, toPositionDto } from './position.dto.js';
import { PositionEntity } from './position.entity.js';

/** What an account has traded, market by market: now from the core's own rows, at a past moment from its fills. */
@Injectable()
export class PositionsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly moments: MomentsService,
    private readonly history: PositionHistoryService,
    @InjectRepository(PositionEntity) private readonly positions: Repository<PositionEntity>,
  ) {}

  /** In order of the markets. Throws `account_not_found`, `validation_failed`, `invalid_cursor`. */
  async list(principal: Principal, account: string, query: PointInTimeQueryDto): Promise<Page<PositionDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const moment = await this.moments.of(query);
    return moment.isPresent ? this.listNow(accountId, query) : this.listAt(moment, accountId, query);
  }

  private async listNow(accountId: number, query: PointInTimeQueryDto): Promise<Page<PositionDto>> {
    const after = decodeCursor(query.cursor, ['text']);
    await this.core.projected();
    const rows = await this.positions.find({
      where: after === undefined ? { accountId } : { accountId, marketId: MoreThan(after[0]) },
      order: { marketId: 'ASC' },
      take: query.limit + 1,
    });
    return pageOf(
      rows,
      query.limit,
      (position) => [position.marketId],
      (position) => this.describe(position),
    );
  }

  private async listAt(
    { sequence }: Moment,
    accountId: number,
    query: PointInTimeQueryDto,
  ): Promise<Page<PositionDto>> {
    const [after] = decodeCursor(query.cursor, ['text']) ?? [''];
    const marketIds = await this.history.tradedMarkets(accountId);
    const spans = marketIds
      .filter((marketId) => marketId > after)
      .map((marketId) => ({ marketId, after: 0, until: sequence, endsNow: false }));
    const figures = await this.history.figuresOf(accountId, spans);
    return pageOf(
      figures.filter(({ isActive }) => isActive).slice(0, query.limit + 1),
      query.limit,
      ({ definition }) => [definition.marketId],
      ({ definition, at, mark }) =>
        toPositionDto(
          {
            marketId: definition.marketId,
            sizeLots: at.sizeLots,
            costBasis: amount(at.average_cost.costBasis),
            realizedPnl: amount(at.average_cost.realizedPnl),
            fees: amount(at.fees),
          },
          definition,
          mark,
        ),
    );
  }

  private describe(position: PositionEntity): PositionDto {
    const { definition, lastPriceTicks } = this.catalog.view(position.marketId);
    const top = this.core.book(position.marketId, 1);
    const mark = exitMark(position.sizeLots, exitPricesOf(definition, lastPriceTicks, top));
    return toPositionDto(position, definition, mark);
  }
}
