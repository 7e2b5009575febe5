import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** An address outside that the wallets of an owner may send to. */
@Entity('wallet_destinations')
@Index('wallet_destinations_owner', ['owner', 'destinationId'])
@Index('wallet_destinations_address', ['owner', 'chain', 'address'], {
  unique: true,
  where: 'removed_at IS NULL',
})
export class WalletDestinationEntity {
  @key.identity() readonly destinationId: string;
  /** By which it was listed. */
  @column.bigint() walletId: string;
  /** See `Principal.accountOwner`. */
  @column.text() owner: string;
  @column.text() chain: string;
  /** In the chain's canonical form. */
  @column.text() address: string;
  @column.text() label: string;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  /** From then on money may go there. */
  @column.msTime() effectiveAt: Date;
  @column.msTime({ nullable: true }) removedAt: Date | null;
}
