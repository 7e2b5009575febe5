import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { amount, AuditLog, formatAmount, formatId, type Amount } from '../../src/index.js';
import { DeskLimitEntity } from './desk-limit.entity.js';

/** The limits, held in memory because every order asks for its own. */
@Injectable()
export class DeskLimitsService implements OnModuleInit {
  private readonly limits = new Map<number, Amount>();

  constructor(
    @InjectRepository(DeskLimitEntity) private readonly rows: Repository<DeskLimitEntity>,
    private readonly audit: AuditLog,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const { accountId, maxSize } of await this.rows.find()) {
      this.limits.set(Number(accountId), amount(BigInt(maxSize)));
    }
  }

  /** In units of 10^-18; `undefined` for an account without a limit. */
  maxSizeOf(accountId: number): Amount | undefined {
    return this.limits.get(accountId);
  }

  async set(accountId: number, maxSize: Amount): Promise<void> {
    await this.rows.manager.transaction(async (manager) => {
      await manager.save(DeskLimitEntity, { accountId: String(accountId), maxSize: maxSize.toString() });
      await this.audit.record(manager, {
        target: { type: 'account', id: formatId('acc', accountId) },
        details: { max_size: formatAmount(maxSize) },
      });
    });
    this.limits.set(accountId, maxSize);
  }
}
