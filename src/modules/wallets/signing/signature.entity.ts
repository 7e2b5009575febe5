import { Entity, ForeignKey, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { AddressEntity } from '../keys/address.entity.js';
import { WalletEntity } from '../access/wallet.entity.js';

/** How something is signed: each puts what is signed behind a prefix that no transaction has. */
export const SIGNATURE_SCHEMES = ['eip191', 'eip712', 'bip322_simple', 'solana_offchain'] as const;

export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** That something was signed: written before the signature is answered, and never changed. */
@Entity('wallet_signatures')
@Index('wallet_signatures_wallet', ['walletId', 'signatureId'])
export class SignatureEntity {
  @key.identity('BY DEFAULT') signatureId: string;
  @column.bigint() @ForeignKey(() => WalletEntity) walletId: string;
  @column.bigint() @ForeignKey(() => AddressEntity) addressId: string;
  /** As the address is written: what was signed for does not depend on another row. */
  @column.text() address: string;
  @column.text({ oneOf: SIGNATURE_SCHEMES }) scheme: SignatureScheme;
  /** 0x and 64 hex digits. */
  @column.text() digest: string;
  /** The key of the principal who requested it. */
  @column.text() requestedBy: string;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
