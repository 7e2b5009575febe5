import { Check, Column, Entity, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** What the switch of the dead man's timer has for a source; those of connections have the socket's id. */
export const TIMER = 'timer';

/** A switch that cancels all orders of an account: at a time, or when a connection is lost. */
@Entity('cancel_switches')
@Check('cancel_switches_due_or_held', '(triggers_at IS NULL) <> (holder IS NULL)')
@Index('cancel_switches_triggers', ['triggersAt'], { where: 'triggers_at IS NOT NULL' })
@Index('cancel_switches_held', ['source'], { where: 'holder IS NOT NULL' })
export class CancelSwitchEntity {
  @key.bigint() accountId: string;
  @key.text() source: string;
  /** New each time the switch is armed. */
  @Column({ name: 'arming_id', type: 'uuid' }) armingId: string;
  /** Null while a connection holds the switch. */
  @column.msTime({ nullable: true }) triggersAt: Date | null;
  /** The process whose connection holds the switch. */
  @column.text({ nullable: true }) holder: string | null;
}
