import { Check, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/**
 * A key for a machine: one sent in the header `api_key`, of which only the digest and the first characters are stored, or
 * one that signs requests, of which only the public half is, or for HMAC the
 * secret by the `SecretBox`. After a rotation the former half stays good for a while.
 */
@Entity('api_keys')
@Check('api_keys_half', 'num_nonnulls(key_hash, public_key, sealed_secret) = 1')
@Unique('api_keys_key_hash_key', ['keyHash'])
export class ApiKeyEntity {
  @key.text() apiKeyId: string;
  /** Null for a key that signs. */
  @column.text({ nullable: true }) keyHash: string | null;
  /** The 32 bytes of an Ed25519 key; null for a key that is sent. */
  @column.bytes({ nullable: true }) publicKey: Buffer | null;
  /** By the `SecretBox`; null for all keys but those that sign by HMAC. */
  @column.bytes({ nullable: true }) sealedSecret: Buffer | null;
  @column.bytes({ nullable: true }) previousSealedSecret: Buffer | null;
  @column.text({ nullable: true })
  @Index('api_keys_previous_key_hash', { unique: true, where: 'previous_key_hash IS NOT NULL' })
  previousKeyHash: string | null;
  @column.bytes({ nullable: true }) previousPublicKey: Buffer | null;
  /** Until when the former half is good; null for a key that was never rotated. */
  @column.time({ nullable: true }) previousExpiresAt: Date | null;
  /** When the former half was last used since the rotation. */
  @column.time({ nullable: true }) previousLastUsedAt: Date | null;
  /** The first characters of the key, or of its public half, by which its owner recognises it. */
  @column.text() prefix: string;
  @column.text() name: string;
  @column.text({ array: true }) scopes: string[];
  /** The user who made the key and on whose account it acts; null for the service's own keys. */
  @column.bigint({ nullable: true })
  @ForeignKey(() => UserEntity)
  @Index('api_keys_owner', { where: 'owner_user_id IS NOT NULL' })
  ownerUserId: string | null;
  /** The key of the principal whose accounts the key acts on. */
  @column.text() accountOwner: string;
  /** The one account that the key reaches; null for all of the owner's. */
  @column.bigint({ nullable: true }) accountId: string | null;
  /** As CIDR: from where it may be used; null for anywhere. */
  @column.text({ array: true, nullable: true }) allowedAddresses: string[] | null;
  /** The markets that it may trade on; null for all. */
  @column.text({ array: true, nullable: true }) markets: string[] | null;
  /** When it expires; null for never. */
  @column.time({ nullable: true }) expiresAt: Date | null;
  /** Time of last use, written by `LastUses`; null before the first use. */
  @column.time({ nullable: true }) lastUsedAt: Date | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
