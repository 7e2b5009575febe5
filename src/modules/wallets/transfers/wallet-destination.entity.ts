import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An address outside that the wallets of an owner may send to. */
@Entity('wallet_destinations')
@Index('wallet_destinations_owner', ['owner', 'destinationId'])
@Index('wallet_destinations_address', ['owner', 'chain', 'address'], {
  unique: true,
  where: 'removed_at IS NULL',
})
export class WalletDestinationEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'destination_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'wallet_destinations_pkey',
  })
  readonly destinationId: string;

  /** By which it was listed. */
  @Column({ name: 'wallet_id', type: 'bigint' })
  walletId: string;

  /** See `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  @Column({ name: 'chain', type: 'text' })
  chain: string;

  /** In the chain's canonical form. */
  @Column({ name: 'address', type: 'text' })
  address: string;

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  /** From then on money may go there. */
  @Column({ name: 'effective_at', type: 'timestamptz', precision: 3 })
  effectiveAt: Date;

  @Column({ name: 'removed_at', type: 'timestamptz', precision: 3, nullable: true })
  removedAt: Date | null;
}
