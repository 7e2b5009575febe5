import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of a transaction that changed what keys are good for; triggers write it. */
@Entity('key_changes')
export class KeyChangeEntity {
  @PrimaryColumn({ name: 'made_by', type: 'bigint', primaryKeyConstraintName: 'key_changes_pkey' })
  madeBy: string;

  @Column({ name: 'made_at', type: 'timestamptz', default: () => 'now()' })
  readonly madeAt: Date;
}
