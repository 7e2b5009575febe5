import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService, sequencesIn } from '../../accounts/moments/moments.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { FillEntity } from '../../markets/fills/fill.entity.js';
import { PositionHistoryService } from '../../markets/fills/position-history.service.js';
import { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import {
  type AccountFillDto,
  type ListAccountFillsQueryDto,
  type ListFillsQueryDto,
  type RealizedBefore,
  toAccountFillDto,
} from './account-fill.dto.js';

/** For each pair of market and sequence, what had been realized before; one index seek each. */
const REALIZED_BEFORE = `
  SELECT asked.market_id, before.realized_pnl, before.fifo_realized_pnl
  FROM unnest($2::text[], $3::bigint[]) AS asked (market_id, sequence)
  CROSS JOIN LATERAL (
    SELECT realized_pnl, fifo_realized_pnl FROM fills f
    WHERE f.account_id = $1 AND f.market_id = asked.market_id AND f.sequence < asked.sequence
    ORDER BY f.sequence DESC LIMIT 1
  ) before`;

interface RealizedRow {
  readonly market_id: string;
  readonly realized_pnl: string;
  readonly fifo_realized_pnl: string;
}

/** Whose fills, and in which market; in all of them where none is named. */
interface Traded {
  readonly accountId: number;
  readonly marketId?: string;
}

/** One's own fills. Newest first, every fill acknowledged before the request included. */
@Injectable()
export class FillsService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly history: PositionHistoryService,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
  ) {}

  /**
   * In one market. Throws `account_not_found`, `market_not_found`, `validation_failed`, `invalid_cursor`, and
   * `temporarily_unavailable` while many fills are to be worked off.
   */
  async list(
    principal: Principal,
    marketId: string,
    query: ListFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    const accountId = await this.access.accountIdOf(principal, query.account_id, 'read');
    this.catalog.view(marketId);
    return this.page({ accountId, marketId }, [marketId], query);
  }

  /** In all markets. Throws as `list`. */
  async listOfAccount(
    principal: Principal,
    account: string,
    query: ListAccountFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    return this.page({ accountId }, await this.history.tradedMarkets(accountId), query);
  }

  private async page(
    traded: Traded,
    marketIds: readonly string[],
    query: ListAccountFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    const before = decodeCursor(query.cursor, ['integer'])?.[0];
    const sequence = sequencesIn(await this.moments.spanOf(query), before);
    await this.history.workOff(marketIds);
    return this.reads.read(async (manager) => {
      const rows = await manager.find(FillEntity, {
        where: { ...traded, sequence },
        order: { sequence: 'DESC' },
        take: query.limit + 1,
      });
      const realized = await realizedBefore(manager, traded.accountId, rows);
      return pageOf(
        rows,
        query.limit,
        (fill) => [fill.sequence],
        (fill) => toAccountFillDto(fill, realized.get(fill), this.catalog.view(fill.marketId).definition),
      );
    });
  }
}

/** What had been realized in its market before each fill of a page, newest first; nothing before the first one. */
async function realizedBefore(
  manager: EntityManager,
  accountId: number,
  fills: readonly FillEntity[],
): Promise<ReadonlyMap<FillEntity, RealizedBefore>> {
  const realized = new Map<FillEntity, RealizedBefore>();
  const oldest = new Map<string, FillEntity>();
  for (const fill of fills) {
    const later = oldest.get(fill.marketId);
    if (later !== undefined) realized.set(later, fill);
    oldest.set(fill.marketId, fill);
  }
  const rows = await manager.query<RealizedRow[]>(REALIZED_BEFORE, [
    accountId,
    [...oldest.keys()],
    [...oldest.values()].map(({ sequence }) => sequence),
  ]);
  for (const row of rows) {
    realized.set(oldest.get(row.market_id)!, {
      realizedPnl: BigInt(row.realized_pnl),
      fifoRealizedPnl: BigInt(row.fifo_realized_pnl),
    });
  }
  return realized;
}
