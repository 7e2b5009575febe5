import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { FeeTier } from './fee-tier.js';

/** What accounts pay, by what they have traded in 30 days. */
@Entity('fee_schedules')
export class FeeScheduleEntity {
  @key.text() name: string;
  /** In which the volume counts, for all markets; null where each market's own quote asset counts. */
  @column.text({ nullable: true }) volumeAsset: string | null;
  /** In order of their volumes, of which the first is zero. */
  @column.json() tiers: readonly FeeTier[];
  @column.msTime({ default: NOW }) updatedAt: Date;
}

/** The schedule that an operator has given an account. */
@Entity('account_fee_schedules')
@Index('account_fee_schedules_name', ['name'])
export class AccountFeeScheduleEntity {
  @key.bigint() accountId: string;
  @column.text() name: string;
}
