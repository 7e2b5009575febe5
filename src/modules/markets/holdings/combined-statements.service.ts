import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { readTransfers } from '../../../core/reads/transfer-pages.js';
import type { LedgerTransfer } from '../../../domain/engine/types.js';
import { decodeCursor, encodeCursor } from '../../../kit/http/pagination.js';
import type { PeriodQueryDto } from '../../../kit/http/period.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { BalanceHistory } from './balance-history.js';
import { BalanceEntity } from './balance.entity.js';
import {
  type AccountBalance,
  type CombinedStatementDto,
  type CombinedStatementLineDto,
  toBalanceLines,
} from './combined-statement.dto.js';
import { toMovementLine } from './statement.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** The assets that an account has ever had. */
type AssetsByAccount = ReadonlyMap<number, readonly string[]>;

/** One side of a transfer. */
interface Movement {
  readonly transfer: LedgerTransfer;
  readonly accountId: number;
  /** Its place among all sides of all transfers. */
  readonly place: number;
}

/**
 * The statements of all accounts of one owner in one: they add up account by account, and all together, since what
 * moves between them has a line on each side.
 */
@Injectable()
export class CombinedStatements {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly moments: MomentsService,
    private readonly balanceHistory: BalanceHistory,
    @InjectRepository(BalanceEntity) private readonly balances: Repository<BalanceEntity>,
    private readonly reads: ReadPool,
  ) {}

  /**
   * All pages end where the first one does, also where the period is open. Throws `invalid_cursor`,
   * `validation_failed`, and `temporarily_unavailable` while balances of the past are prepared.
   */
  async page(principal: Principal, query: PeriodQueryDto): Promise<CombinedStatementDto> {
    const cursor = decodeCursor(query.cursor, ['integer', 'integer']);
    const { after, until } = await this.moments.spanOf(query);
    const { sequence: present } = await this.moments.present();
    const begin = { sequence: after, at: query.from };
    const end = { sequence: Math.max(after, Math.min(until, cursor?.[1] ?? present)), at: query.to };
    const assets = await this.assetsOf(principal);
    const first = cursor?.[0] ?? placeOf(after, 'credit');
    const movements = await this.movementsOf(assets, first, end.sequence, query.limit + 1);
    const isLast = movements.length <= query.limit;
    const shown = movements.slice(0, query.limit);
    return {
      from: query.from ?? null,
      to: query.to ?? null,
      data: [
        ...(cursor === undefined
          ? toBalanceLines('opening', await this.balancesAt(assets, begin.sequence), begin)
          : []),
        ...shown.map((movement) => toLine(movement, assets)),
        ...(isLast ? toBalanceLines('closing', await this.balancesAt(assets, end.sequence), end) : []),
      ],
      next_cursor: isLast ? null : encodeCursor([shown.at(-1)!.place, end.sequence]),
    };
  }

  /** Of the accounts that ever had any, oldest first. */
  private async assetsOf(principal: Principal): Promise<AssetsByAccount> {
    const accounts = await this.access.accountsOf(principal);
    await this.core.projected();
    const rows = await this.balances.find({
      select: { accountId: true, asset: true },
      where: { accountId: In(accounts.map(({ accountId }) => accountId)) },
      order: { accountId: 'ASC', asset: 'ASC' },
    });
    const assets = new Map<number, string[]>();
    for (const { accountId, asset } of rows) {
      const known = assets.get(accountId);
      if (known === undefined) assets.set(accountId, [asset]);
      else known.push(asset);
    }
    return assets;
  }

  private async balancesAt(assetsByAccount: AssetsByAccount, sequence: number): Promise<AccountBalance[]> {
    const balances: AccountBalance[] = [];
    for (const [accountId, assets] of assetsByAccount) {
      const ofAccount = await this.balanceHistory.balancesAt(accountId, assets, sequence);
      for (const asset of assets) balances.push({ accountId, asset, balance: ofAccount.get(asset)! });
    }
    return balances;
  }

  /** Those of all accounts after a place, in their order. */
  private async movementsOf(
    assets: AssetsByAccount,
    afterPlace: number,
    until: number,
    limit: number,
  ): Promise<Movement[]> {
    // The other side of the transfer at the place may be still to come.
    const span = { after: Math.floor(afterPlace / 2) - 1, until };
    const movements = await this.reads.read(async (manager) => {
      const found: Movement[] = [];
      for (const accountId of assets.keys()) {
        const transfers = await readTransfers(manager, accountId, span, { order: 'ASC', limit: limit + 1 });
        for (const transfer of transfers) {
          const side = transfer.debitAccountId === accountId ? 'debit' : 'credit';
          found.push({ transfer, accountId, place: placeOf(transfer.transferId, side) });
        }
      }
      return found;
    });
    return movements
      .filter(({ place }) => place > afterPlace)
      .sort((a, b) => a.place - b.place)
      .slice(0, limit);
  }
}

function placeOf(transferId: number, side: 'debit' | 'credit'): number {
  return transferId * 2 + (side === 'credit' ? 1 : 0);
}

function toLine({ transfer, accountId }: Movement, assets: AssetsByAccount): CombinedStatementLineDto {
  return {
    ...toMovementLine(transfer, accountId),
    account_id: ACCOUNT_IDS.format(accountId),
    is_internal: assets.has(transfer.debitAccountId) && assets.has(transfer.creditAccountId),
  };
}
