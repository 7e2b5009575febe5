import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The largest order that an account may place, whatever its market. */
@Entity('acme_desk_limits')
export class DeskLimitEntity {
  /** Of the service's accounts; int8, so TypeORM reads it as a string. */
  @PrimaryColumn({ name: 'account_id', type: 'bigint' })
  accountId: string;

  /** In units of 10^-18 of the base asset. */
  @Column({ name: 'max_size', type: 'numeric', precision: 38, scale: 0 })
  maxSize: string;
}
