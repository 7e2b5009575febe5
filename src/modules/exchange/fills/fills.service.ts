import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { AccountAccessService } from '../../core-access/account-access.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { decodeCursor, encodeCursor, type Page } from '../../../platform/http/pagination.js';
import type { Principal } from '../../../platform/security/principal.js';
import { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import { type AccountFillDto, type ListFillsQueryDto, toAccountFillDto } from './account-fill.dto.js';
import { FillProjection } from '../../markets/fills/fill-projection.js';
import { FillEntity } from '../../markets/fills/fill.entity.js';
import { MomentsService } from '../../markets/fills/moments.service.js';
import { periodOf } from '../period.js';

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
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    const { after, until } = await this.boundsOf(query);
    await this.projection.catchUp(marketId);
    const rows = await this.reads.read((manager) =>
      manager.find(FillEntity, {
        where: { accountId, marketId, sequence: LessThan(Math.min(before, until + 1)) },
        order: { sequence: 'DESC' },
        take: query.limit + 1,
      }),
    );
    // The row after the last one shown has that fill's realized profit, even if it lies before the period.
    const inPeriod = rows.filter((fill) => fill.sequence > after);
    const shown = inPeriod.slice(0, query.limit);
    return {
      data: shown.map((fill, i) => toAccountFillDto(fill, rows[i + 1], definition)),
      next_cursor: inPeriod.length > query.limit ? encodeCursor([shown.at(-1)!.sequence]) : null,
    };
  }

  /** The sequences that the period and the moment of a request come down to: after one, up to and with another. */
  private async boundsOf(query: ListFillsQueryDto): Promise<{ after: number; until: number }> {
    const { fromMs, toMs } = periodOf(query);
    const { sequence } = await this.moments.of(query);
    return {
      after: fromMs === undefined ? 0 : await this.moments.sequenceBefore(fromMs),
      until: toMs === undefined ? sequence : Math.min(sequence, await this.moments.sequenceBefore(toMs)),
    };
  }
}
