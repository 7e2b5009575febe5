import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { BitcoinNetwork } from '../wallet-settings.js';
import { WalletEntity } from '../access/wallet.entity.js';
import type { AddressPurpose, Chain } from './chain.js';

/**
 * An address of a wallet. Crediting a deposit to it and signing with its key both lock its row: so no signature is made
 * during a credit, and a credit always sees earlier signatures.
 */
@Entity('wallet_addresses')
@Check('wallet_addresses_chain_check', `chain IN ('ethereum', 'bitcoin', 'solana')`)
@Check('wallet_addresses_purpose_check', `purpose IN ('deposit', 'signing')`)
@Unique('wallet_addresses_index', ['walletId', 'chain', 'derivationIndex'])
@Unique('wallet_addresses_address', ['chain', 'address'])
@Index('wallet_addresses_wallet', ['walletId', 'addressId'])
export class AddressEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'address_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'wallet_addresses_pkey',
  })
  addressId: string;

  @Column({ name: 'wallet_id', type: 'bigint' })
  @ForeignKey(() => WalletEntity, { name: 'wallet_addresses_wallet_id_fkey' })
  walletId: string;

  @Column({ name: 'chain', type: 'text' })
  chain: Chain;

  /** As it was asked for; see `AddressDto.purpose` for what it is at present. */
  @Column({ name: 'purpose', type: 'text', default: 'deposit' })
  purpose: AddressPurpose;

  /** `mainnet`, or the network of the setting at the time; only bitcoin has others. */
  @Column({ name: 'network', type: 'text' })
  network: BitcoinNetwork;

  /** From 0, without gaps, in the order in which the wallet's addresses of this chain were made. */
  @Column({ name: 'derivation_index', type: 'integer' })
  derivationIndex: number;

  @Column({ name: 'derivation_path', type: 'text' })
  derivationPath: string;

  /** As the chain writes it; of ethereum in checksum case (EIP-55). */
  @Column({ name: 'address', type: 'text' })
  address: string;

  /** As the chain writes it: hex, of solana base58. */
  @Column({ name: 'public_key', type: 'text' })
  publicKey: string;

  @Column({ name: 'label', type: 'text', nullable: true })
  label: string | null;

  /** When money was first seen on it; null before. */
  @Column({ name: 'funded_at', type: 'timestamptz', nullable: true })
  fundedAt: Date | null;

  /** When its key first signed what a caller sent; null before. From then on somebody else may move what arrives. */
  @Column({ name: 'signed_at', type: 'timestamptz', nullable: true })
  signedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
