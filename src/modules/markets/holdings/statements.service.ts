import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { readTransfers } from '../../../core/reads/transfer-pages.js';
import { decodeCursor, encodeCursor } from '../../../kit/http/pagination.js';
import type { PeriodQueryDto } from '../../../kit/http/period.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { BalanceHistory } from './balance-history.js';
import { BalanceEntity } from './balance.entity.js';
import { type StatementDto, type StatementLineDto, toBalanceLine, toMovementLine } from './statement.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** An end of the period. */
interface Edge {
  readonly sequence: number;
  readonly at: string | undefined;
}

/** What an account had, what moved, and what it had then: the three add up, asset by asset. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly moments: MomentsService,
    private readonly balanceHistory: BalanceHistory,
    @InjectRepository(BalanceEntity) private readonly balances: Repository<BalanceEntity>,
    private readonly reads: ReadPool,
  ) {}

  /**
   * Oldest first. All pages end where the first one does, also where the period is open. Throws `account_not_found`,
   * `invalid_cursor`, `validation_failed`, and `temporarily_unavailable` while balances of the past are prepared.
   */
  async page(principal: Principal, account: string, query: PeriodQueryDto): Promise<StatementDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const place = decodeCursor(query.cursor, ['integer', 'integer']);
    const { after, until } = await this.moments.spanOf(query);
    const { sequence: present } = await this.moments.present();
    const begin: Edge = { sequence: after, at: query.from };
    const end: Edge = { sequence: Math.max(after, Math.min(until, place?.[1] ?? present)), at: query.to };
    const span = { after: place?.[0] ?? after, until: end.sequence };
    await this.core.projected();
    const movements = await this.reads.read((manager) =>
      readTransfers(manager, accountId, span, { order: 'ASC', limit: query.limit + 1 }),
    );
    const isLast = movements.length <= query.limit;
    const shown = movements.slice(0, query.limit);
    return {
      account_id: ACCOUNT_IDS.format(accountId),
      from: query.from ?? null,
      to: query.to ?? null,
      data: [
        ...(place === undefined ? await this.balancesAt(accountId, 'opening', begin) : []),
        ...shown.map((transfer) => toMovementLine(transfer, accountId)),
        ...(isLast ? await this.balancesAt(accountId, 'closing', end) : []),
      ],
      next_cursor: isLast ? null : encodeCursor([shown.at(-1)!.transferId, end.sequence]),
    };
  }

  /** Of each asset that the account has ever had. */
  private async balancesAt(
    accountId: number,
    kind: 'opening' | 'closing',
    edge: Edge,
  ): Promise<StatementLineDto[]> {
    await this.core.projected();
    const rows = await this.balances.find({ where: { accountId }, order: { asset: 'ASC' } });
    const assets = rows.map(({ asset }) => asset);
    const balances = await this.balanceHistory.balancesAt(accountId, assets, edge.sequence);
    return assets.map((asset) => toBalanceLine(kind, asset, balances.get(asset)!, edge));
  }
}
