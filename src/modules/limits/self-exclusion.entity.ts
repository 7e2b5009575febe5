import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** For how long all of one registration root are excluded from trading by the wish of one; it is only ever extended. */
@Entity('self_exclusions')
@Index('self_exclusions_due', ['person'], { where: 'orders_due' })
export class SelfExclusionEntity {
  /** The root; from before version 1780000002570, whoever asked for it. */
  @PrimaryColumn({ name: 'person', type: 'text' })
  person: string;

  @Column({ name: 'since', type: 'timestamptz', default: () => 'now()' })
  since: Date;

  @Column({ name: 'until', type: 'timestamptz' })
  until: Date;

  /** Whether the orders of the person may still have to be cancelled. */
  @Column({ name: 'orders_due', type: 'boolean', default: true })
  ordersDue: boolean;
}
