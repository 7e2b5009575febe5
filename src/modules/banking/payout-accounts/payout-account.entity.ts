import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A bank account that an owner's money may be paid to. What would tell whose and which it is, is sealed. */
@Entity('payout_accounts')
@Check('payout_accounts_type_check', `type IN ('iban', 'ach')`)
@Check('payout_accounts_status_check', `status IN ('active', 'deleted')`)
@Index('payout_accounts_owner', ['owner', 'payoutAccountId'], { where: `status = 'active'` })
@Index('payout_accounts_all', ['owner'])
@Index('payout_accounts_fingerprint', ['owner', 'fingerprint'], { unique: true, where: `status = 'active'` })
export class PayoutAccountEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'payout_account_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'payout_accounts_pkey',
  })
  payoutAccountId: string;

  /** See `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  @Column({ name: 'type', type: 'text' })
  type: 'iban' | 'ach';

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'last4', type: 'text' })
  last4: string;

  @Column({ name: 'bic', type: 'text', nullable: true })
  bic: string | null;

  /** By which the same account is known again, see `Fingerprints`. */
  @Column({ name: 'fingerprint', type: 'bytea' })
  fingerprint: Buffer;

  /** A `Payee` as JSON, sealed. */
  @Column({ name: 'sealed_payee', type: 'bytea' })
  sealedPayee: Buffer;

  @Column({ name: 'status', type: 'text', default: 'active' })
  status: 'active' | 'deleted';

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}
