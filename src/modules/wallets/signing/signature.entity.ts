import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AddressEntity } from '../keys/address.entity.js';
import { WalletEntity } from '../access/wallet.entity.js';

/** How something is signed: each puts what is signed behind a prefix that no transaction has. */
export const SIGNATURE_SCHEMES = ['eip191', 'eip712', 'bip322_simple', 'solana_offchain'] as const;

export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** That something was signed: written before the signature is answered, and never changed. */
@Entity('wallet_signatures')
@Check('wallet_signatures_scheme_check', `scheme IN ('eip191', 'eip712', 'bip322_simple', 'solana_offchain')`)
@Index('wallet_signatures_wallet', ['walletId', 'signatureId'])
export class SignatureEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'signature_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'wallet_signatures_pkey',
  })
  signatureId: string;

  @Column({ name: 'wallet_id', type: 'bigint' })
  @ForeignKey(() => WalletEntity, { name: 'wallet_signatures_wallet_id_fkey' })
  walletId: string;

  @Column({ name: 'address_id', type: 'bigint' })
  @ForeignKey(() => AddressEntity, { name: 'wallet_signatures_address_id_fkey' })
  addressId: string;

  /** As the address is written: what was signed for does not depend on another row. */
  @Column({ name: 'address', type: 'text' })
  address: string;

  @Column({ name: 'scheme', type: 'text' })
  scheme: SignatureScheme;

  /** 0x and 64 hex digits. */
  @Column({ name: 'digest', type: 'text' })
  digest: string;

  /** The key of the principal who requested it. */
  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
