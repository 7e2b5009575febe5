import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ownMatter } from '../../../kit/approvals/second-person.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import {
  type FeeScheduleDto,
  type GivenFeeScheduleDto,
  type PutFeeScheduleDto,
  SCHEDULE_NAME,
  toFeeScheduleDto,
} from './fee-schedule.dto.js';
import { AccountFeeScheduleEntity, FeeScheduleEntity } from './fee-schedule.entity.js';
import { areRebatesCapped, checkTiers, type FeeTier } from './fee-tier.js';
import { FeeTiers } from './fee-tiers.service.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** All of them are kept in memory. */
const SCHEDULES_MAX = 100;
/** Held by every change, so that none is made against what another one is changing. */
const CHANGES_LOCK = 'fee-schedules';

/** Fee schedules, as operators make them and give them to accounts. */
@Injectable()
export class FeeSchedules {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly audit: AuditLog,
    private readonly tiers: FeeTiers,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** In order of their names. Throws `invalid_cursor`. */
  async list({ cursor, limit }: PageQueryDto): Promise<Page<FeeScheduleDto>> {
    const [after] = decodeCursor(cursor, ['text']) ?? [''];
    const all = await this.describeAll();
    return pageOf(
      all.filter(({ name }) => name > after).slice(0, limit + 1),
      limit,
      ({ name }) => [name],
      (schedule) => schedule,
    );
  }

  /** Throws `not_found`. */
  async get(name: string): Promise<FeeScheduleDto> {
    const schedule = (await this.describeAll()).find((each) => each.name === name);
    if (schedule === undefined) throw scheduleNotFound();
    return schedule;
  }

  /** Makes it, or replaces it. Throws `validation_failed`, `asset_not_found`, and `conflict` where there are too many. */
  async put(name: string, body: PutFeeScheduleDto): Promise<FeeScheduleDto> {
    if (!SCHEDULE_NAME.test(name)) {
      const message = 'must be 1 to 32 lower-case letters, digits and hyphens between';
      throw ApiError.validation([{ field: 'name', message }]);
    }
    const tiers = checkTiers(body.tiers);
    if (!areTiers(tiers)) throw ApiError.validation(tiers);
    const volumeAsset = body.volume_asset ?? null;
    if (volumeAsset !== null && this.core.asset(volumeAsset) === undefined) {
      throw new ApiError(REFUSALS.asset_not_found, 'There is no such asset. See GET /assets.');
    }
    await this.change(async (manager) => {
      const isNew = !(await manager.existsBy(FeeScheduleEntity, { name }));
      if (isNew && (await manager.count(FeeScheduleEntity)) >= SCHEDULES_MAX) {
        throw new ApiError(CONFLICT, `There are ${SCHEDULES_MAX} fee schedules already. Delete one.`);
      }
      await manager.upsert(FeeScheduleEntity, { name, tiers, volumeAsset, updatedAt: new Date() }, ['name']);
      await this.record(manager, name, { change: 'put', tiers, volume_asset: volumeAsset });
    });
    return this.get(name);
  }

  /** Throws `not_found`, and `conflict` while an account has it. */
  async remove(name: string): Promise<void> {
    await this.change(async (manager) => {
      if (await manager.existsBy(AccountFeeScheduleEntity, { name })) {
        throw new ApiError(CONFLICT, 'Accounts have this schedule. Give them another one first.');
      }
      const { affected } = await manager.delete(FeeScheduleEntity, { name });
      if (affected !== 1) throw scheduleNotFound();
      await this.record(manager, name, { change: 'delete' });
    });
  }

  /** Throws `account_not_found`. */
  async givenTo(account: string): Promise<GivenFeeScheduleDto> {
    const { accountId } = await this.access.customerAccount(account);
    const given = await this.dataSource.manager.findOneBy(AccountFeeScheduleEntity, {
      accountId: String(accountId),
    });
    return { account_id: ACCOUNT_IDS.format(accountId), name: given?.name ?? null };
  }

  /** Throws `account_not_found`, `related_person` for one's own account, and `not_found` where there is no such schedule. */
  async give(principal: Principal, account: string, name: string | null): Promise<GivenFeeScheduleDto> {
    const { accountId, owner } = await this.access.customerAccount(account);
    if (owner === personOf(principal)) throw ownMatter();
    const key = { accountId: String(accountId) };
    const id = ACCOUNT_IDS.format(accountId);
    await this.change(async (manager) => {
      if (name === null) await manager.delete(AccountFeeScheduleEntity, key);
      else {
        if (!(await manager.existsBy(FeeScheduleEntity, { name }))) throw scheduleNotFound();
        await manager.upsert(AccountFeeScheduleEntity, { ...key, name }, ['accountId']);
      }
      await this.audit.record(manager, {
        target: { type: 'account', id },
        details: { fee_schedule: name },
      });
    });
    this.tiers.forget(accountId);
    return { account_id: id, name };
  }

  private async change(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await lockUntilCommit(manager, CHANGES_LOCK);
      await work(manager);
    });
    await this.tiers.changed();
  }

  private record(manager: EntityManager, name: string, details: Record<string, unknown>): Promise<void> {
    return this.audit.record(manager, { target: { type: 'fee_schedule', id: name }, details });
  }

  private async describeAll(): Promise<FeeScheduleDto[]> {
    const { manager } = this.dataSource;
    const schedules = await manager.find(FeeScheduleEntity);
    const counted = await manager.query<{ name: string; accounts: number }[]>(
      'SELECT name, count(*)::integer AS accounts FROM account_fee_schedules GROUP BY name',
    );
    const accounts = new Map(counted.map((row) => [row.name, row.accounts]));
    const all = schedules.flatMap(({ tiers }) => tiers);
    return schedules
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((schedule) =>
        toFeeScheduleDto(schedule, {
          accounts: accounts.get(schedule.name) ?? 0,
          areRebatesCapped: areRebatesCapped(schedule.tiers, all),
        }),
      );
  }
}

function areTiers(checked: readonly FeeTier[] | FieldError[]): checked is readonly FeeTier[] {
  return !checked.some((each) => 'message' in each);
}

function scheduleNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such fee schedule. See GET /admin/fee-schedules.');
}
