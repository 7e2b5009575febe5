import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { amount, AuditLog, formatAmount, type Amount, ACCOUNT_IDS } from '../../src/index.js';
import { DeskLimitEntity } from './desk-limit.entity.js';

/** The limits, read for each order: several processes take orders, and one that was just set counts in all of them. */
@Injectable()
export class DeskLimitsService {
  constructor(
    @InjectRepository(DeskLimitEntity) private readonly rows: Repository<DeskLimitEntity>,
    private readonly audit: AuditLog,
  ) {}

  /** In units of 10^-18; `undefined` for an account without a limit. */
  async maxSizeOf(accountId: number): Promise<Amount | undefined> {
    const row = await this.rows.findOneBy({ accountId: String(accountId) });
    return row === null ? undefined : amount(BigInt(row.maxSize));
  }

  async set(accountId: number, maxSize: Amount): Promise<void> {
    await this.rows.manager.transaction(async (manager) => {
      await manager.save(DeskLimitEntity, { accountId: String(accountId), maxSize: maxSize.toString() });
      await this.audit.record(manager, {
        target: { type: 'account', id: ACCOUNT_IDS.format(accountId) },
        details: { max_size: formatAmount(maxSize) },
      });
    });
  }
}
