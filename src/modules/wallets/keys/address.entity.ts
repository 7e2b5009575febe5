import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { BitcoinNetwork } from '../wallet-settings.js';
import { WalletEntity } from '../access/wallet.entity.js';
import type { AddressPurpose, Chain } from './chain.js';

/**
 * An address of a wallet. Crediting a deposit to it and signing with its key both lock its row: so no signature is made
 * during a credit, and a credit always sees earlier signatures.
 */
@Entity('wallet_addresses')
@Unique('wallet_addresses_index', ['walletId', 'chain', 'derivationIndex'])
@Unique('wallet_addresses_address', ['chain', 'address'])
@Index('wallet_addresses_wallet', ['walletId', 'addressId'])
export class AddressEntity {
  @key.identity('BY DEFAULT') addressId: string;
  @column.bigint() @ForeignKey(() => WalletEntity) walletId: string;
  @column.text({ oneOf: ['ethereum', 'bitcoin', 'solana'] }) chain: Chain;
  /** As it was asked for; see `AddressDto.purpose` for what it is at present. */
  @column.text({ default: 'deposit', oneOf: ['deposit', 'signing'] }) purpose: AddressPurpose;
  /** `mainnet`, or the network of the setting at the time; only bitcoin has others. */
  @column.text() network: BitcoinNetwork;
  /** From 0, without gaps, in the order in which the wallet's addresses of this chain were made. */
  @column.integer() derivationIndex: number;
  @column.text() derivationPath: string;
  /** As the chain writes it; of ethereum in checksum case (EIP-55). */
  @column.text() address: string;
  /** As the chain writes it: hex, of solana base58. */
  @column.text() publicKey: string;
  @column.text({ nullable: true }) label: string | null;
  /** When money was first seen on it; null before. */
  @column.time({ nullable: true }) fundedAt: Date | null;
  /** When its key first signed what a caller sent; null before. From then on somebody else may move what arrives. */
  @column.time({ nullable: true }) signedAt: Date | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
