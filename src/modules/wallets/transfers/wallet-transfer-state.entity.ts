import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { TransferStatus } from './wallet-transfer.entity.js';

/** A state that a transfer came into: when, by whom and why. Rows are only ever added. */
@Entity('wallet_transfer_states')
@Index('wallet_transfer_states_transfer', ['transferId', 'stateId'])
@Index('wallet_transfer_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class WalletTransferStateEntity {
  @key.identity() readonly stateId: string;
  @column.bigint() transferId: string;
  @column.text() status: TransferStatus;
  /** The person (see `personOf`) who asked for it; null where the service itself did it. */
  @column.text({ nullable: true }) changedBy: string | null;
  @column.text({ nullable: true }) reason: string | null;
  @column.msTime({ default: NOW }) readonly changedAt: Date;
  /** Whether webhooks were told of it. */
  @column.boolean({ default: false }) readonly isAnnounced: boolean;
}
