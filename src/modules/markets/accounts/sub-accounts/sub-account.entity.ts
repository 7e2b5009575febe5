import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An account that its owner makes: the intent, whose id is the key of the core's command. */
@Entity('sub_accounts')
@Index('sub_accounts_owner', ['owner'])
export class SubAccountEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'sub_account_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'sub_accounts_pkey',
  })
  subAccountId: string;

  /** See `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Of the request's principal and `Idempotency-Key`; null without one. */
  @Column({ name: 'request_hash', type: 'text', nullable: true })
  requestHash: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
