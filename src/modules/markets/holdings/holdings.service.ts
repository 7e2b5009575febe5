import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { PointInTime } from '../../../core/journal/point-in-time.js';
import { askedSequence } from '../../accounts/moments/asked-sequence.js';
import type { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import type { PeriodQueryDto } from '../../../kit/http/period.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { readTransfers } from '../../../core/reads/transfer-pages.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { BalanceHistory } from './balance-history.js';
import { type BalanceDto, toBalanceDto, toPastBalanceDto } from './balance.dto.js';
import { BalanceEntity } from './balance.entity.js';
import { type EntryDto, toEntryDto } from './entry.dto.js';

/** What accounts have and have moved, for who has a role there. Throws `account_not_found` for any other account. */
@Injectable()
export class HoldingsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly pointInTime: PointInTime,
    private readonly moments: MomentsService,
    private readonly balanceHistory: BalanceHistory,
    @InjectRepository(BalanceEntity) private readonly balances: Repository<BalanceEntity>,
    private readonly reads: ReadPool,
  ) {}

  /**
   * In order of the assets; of a past moment the totals, zero for what came later.
   * Throws `validation_failed` for a moment ahead.
   */
  async listBalances(
    principal: Principal,
    account: string,
    query: PointInTimeQueryDto,
  ): Promise<Page<BalanceDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const sequence = await askedSequence(this.pointInTime, query);
    const after = decodeCursor(query.cursor, ['text']);
    await this.core.projected();
    const rows = await this.balances.find({
      where: after === undefined ? { accountId } : { accountId, asset: MoreThan(after[0]) },
      order: { asset: 'ASC' },
      take: query.limit + 1,
    });
    const past =
      sequence === undefined
        ? undefined
        : await this.balanceHistory.balancesAt(
            accountId,
            rows.map(({ asset }) => asset),
            sequence,
          );
    return pageOf(
      rows,
      query.limit,
      (balance) => [balance.asset],
      (balance) =>
        past === undefined
          ? toBalanceDto(balance)
          : toPastBalanceDto(balance.asset, past.get(balance.asset)!),
    );
  }

  /**
   * Newest first: what came in and what went out. Throws `account_not_found`, `invalid_cursor`,
   * `validation_failed`.
   */
  async listEntries(principal: Principal, account: string, query: PeriodQueryDto): Promise<Page<EntryDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const before = decodeCursor(query.cursor, ['integer'])?.[0] ?? Infinity;
    const { after, until } = await this.moments.spanOf(query);
    const span = { after, until: Math.min(until, before - 1) };
    await this.core.projected();
    const rows = await this.reads.read((manager) =>
      readTransfers(manager, accountId, span, { order: 'DESC', limit: query.limit + 1 }),
    );
    return pageOf(
      rows,
      query.limit,
      (transfer) => [transfer.transferId],
      (transfer) => toEntryDto(transfer, accountId),
    );
  }
}
