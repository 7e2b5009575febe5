import { Injectable } from '@nestjs/common';
import { AccountAccessService } from '../../core-access/account-access.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { decodeCursor, encodeCursor, type Page } from '../../../platform/http/pagination.js';
import type { Principal } from '../../../platform/security/principal.js';
import { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import { type AccountFillDto, type ListFillsQueryDto, toAccountFillDto } from './account-fill.dto.js';
import { FillProjection } from '../../markets/fills/fill-projection.js';
import { FillEntity } from '../../markets/fills/fill.entity.js';
import { MomentsService, sequencesIn } from '../../core-access/moments.service.js';

/** One's own fills in a market. */
@Injectable()
export class FillsService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly projection: FillProjection,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
  ) {}

  /**
   * Newest first, every fill acknowledged before the request included.
   * Throws `account_not_found`, `market_not_found`, `validation_failed`, `invalid_cursor`, and
   * `temporarily_unavailable` while many fills are to be worked off.
   */
  async list(
    principal: Principal,
    marketId: string,
    query: ListFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    const accountId = await this.access.accountIdOf(principal, query.account_id);
    const { definition } = this.catalog.view(marketId);
    const before = decodeCursor(query.cursor, ['integer'])?.[0];
    const span = await this.moments.spanOf(query);
    await this.projection.catchUp(marketId);
    const rows = await this.reads.read((manager) =>
      manager.find(FillEntity, {
        where: { accountId, marketId, sequence: sequencesIn({ ...span, after: 0 }, before) },
        order: { sequence: 'DESC' },
        take: query.limit + 1,
      }),
    );
    // The row after the last one shown has that fill's realized profit, even if it lies before the period.
    const inPeriod = rows.filter((fill) => fill.sequence > span.after);
    const shown = inPeriod.slice(0, query.limit);
    return {
      data: shown.map((fill, i) => toAccountFillDto(fill, rows[i + 1], definition)),
      next_cursor: inPeriod.length > query.limit ? encodeCursor([shown.at(-1)!.sequence]) : null,
    };
  }
}
