import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { TransferStatus } from './wallet-transfer.entity.js';

/** A state that a transfer came into: when, by whom and why. Rows are only ever added. */
@Entity('wallet_transfer_states')
@Index('wallet_transfer_states_transfer', ['transferId', 'stateId'])
@Index('wallet_transfer_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class WalletTransferStateEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'state_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'wallet_transfer_states_pkey',
  })
  readonly stateId: string;

  @Column({ name: 'transfer_id', type: 'bigint' })
  transferId: string;

  @Column({ name: 'status', type: 'text' })
  status: TransferStatus;

  /** The person (see `personOf`) who asked for it; null where the service itself did it. */
  @Column({ name: 'changed_by', type: 'text', nullable: true })
  changedBy: string | null;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  @Column({ name: 'changed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly changedAt: Date;

  /** Whether webhooks were told of it. */
  @Column({ name: 'is_announced', type: 'boolean', default: false })
  readonly isAnnounced: boolean;
}
