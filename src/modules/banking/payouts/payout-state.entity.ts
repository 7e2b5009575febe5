import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';

/** A state that a payout came into: when, by whom and why. Rows are only ever added. */
@Entity('payout_states')
@Index('payout_states_payout', ['payoutId', 'stateId'])
@Index('payout_states_unannounced', ['stateId'], { where: 'NOT is_announced' })
export class PayoutStateEntity {
  @key.identity() readonly stateId: string;
  @column.bigint() payoutId: string;
  @column.text() status: PayoutStatus;
  /** The person (see `personOf`); null where the service itself did it. */
  @column.text({ nullable: true }) changedBy: string | null;
  @column.text({ nullable: true }) code: string | null;
  @column.text({ nullable: true }) message: string | null;
  @column.msTime({ default: NOW }) readonly changedAt: Date;
  /** Whether it was published to webhooks. */
  @column.boolean({ default: false }) readonly isAnnounced: boolean;
}
