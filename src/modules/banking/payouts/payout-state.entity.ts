import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';

/** A state that a payout came into: when, by whom and why. Rows are only ever added. */
@Entity('payout_states')
@Index('payout_states_payout', ['payoutId', 'stateId'])
@Index('payout_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class PayoutStateEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'state_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'payout_states_pkey',
  })
  readonly stateId: string;

  @Column({ name: 'payout_id', type: 'bigint' })
  payoutId: string;

  @Column({ name: 'status', type: 'text' })
  status: PayoutStatus;

  /** The person (see `personOf`); null where the service itself did it. */
  @Column({ name: 'changed_by', type: 'text', nullable: true })
  changedBy: string | null;

  @Column({ name: 'code', type: 'text', nullable: true })
  code: string | null;

  @Column({ name: 'message', type: 'text', nullable: true })
  message: string | null;

  @Column({ name: 'changed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly changedAt: Date;

  /** Whether it was published to webhooks. */
  @Column({ name: 'is_announced', type: 'boolean', default: false })
  readonly isAnnounced: boolean;
}
