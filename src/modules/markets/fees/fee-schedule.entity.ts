import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { FeeTier } from './fee-tier.js';

/** What accounts pay, by what they have traded in 30 days. */
@Entity('fee_schedules')
export class FeeScheduleEntity {
  @PrimaryColumn({ name: 'name', type: 'text', primaryKeyConstraintName: 'fee_schedules_pkey' })
  name: string;

  /** In which the volume counts, for all markets; null where each market's own quote asset counts. */
  @Column({ name: 'volume_asset', type: 'text', nullable: true })
  volumeAsset: string | null;

  /** In order of their volumes, of which the first is zero. */
  @Column({ name: 'tiers', type: 'jsonb' })
  tiers: readonly FeeTier[];

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/** The schedule that an operator has given an account. */
@Entity('account_fee_schedules')
@Index('account_fee_schedules_name', ['name'])
export class AccountFeeScheduleEntity {
  @PrimaryColumn({
    name: 'account_id',
    type: 'bigint',
    primaryKeyConstraintName: 'account_fee_schedules_pkey',
  })
  accountId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;
}
