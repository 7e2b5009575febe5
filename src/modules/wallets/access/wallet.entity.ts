import { Entity, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** A custody wallet. Its money is in an account of the core, of kind `wallet`. */
@Entity('wallets')
@Index('wallets_owner', ['owner', 'walletId'])
@Unique('wallets_account', ['accountId'])
export class WalletEntity {
  @key.identity('BY DEFAULT') walletId: string;
  @column.bigint() accountId: string;
  /** The key of the principal whose wallet it is: see `Principal.accountOwner`. */
  @column.text() owner: string;
  @column.text() name: string;
  /** What all keys of the wallet are derived from, as `WalletKeys` sealed it; only read where a key is needed. */
  @column.bytes({ select: false }) sealedSeed: Buffer;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
