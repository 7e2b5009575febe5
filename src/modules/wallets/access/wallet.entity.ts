import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A custody wallet. Its money is in an account of the core, of kind `wallet`. */
@Entity('wallets')
@Index('wallets_owner', ['owner', 'walletId'])
@Unique('wallets_account', ['accountId'])
export class WalletEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'wallet_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'wallets_pkey',
  })
  walletId: string;

  @Column({ name: 'account_id', type: 'bigint' })
  accountId: string;

  /** The key of the principal whose wallet it is: see `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** What all keys of the wallet are derived from, as `WalletKeys` sealed it; only read where a key is needed. */
  @Column({ name: 'sealed_seed', type: 'bytea', select: false })
  sealedSeed: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
