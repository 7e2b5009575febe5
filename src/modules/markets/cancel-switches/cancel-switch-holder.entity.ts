import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A process whose connections hold switches, and until when it is taken to be there. */
@Entity('cancel_switch_holders')
export class CancelSwitchHolderEntity {
  @PrimaryColumn({ name: 'holder', type: 'text', primaryKeyConstraintName: 'cancel_switch_holders_pkey' })
  holder: string;

  @Column({ name: 'alive_until', type: 'timestamptz', precision: 3 })
  aliveUntil: Date;
}
