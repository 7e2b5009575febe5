import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
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
  @PrimaryColumn({ name: 'api_key_id', type: 'text', primaryKeyConstraintName: 'api_keys_pkey' })
  apiKeyId: string;

  /** Null for a key that signs. */
  @Column({ name: 'key_hash', type: 'text', nullable: true })
  keyHash: string | null;

  /** The 32 bytes of an Ed25519 key; null for a key that is sent. */
  @Column({ name: 'public_key', type: 'bytea', nullable: true })
  publicKey: Buffer | null;

  /** By the `SecretBox`; null for all keys but those that sign by HMAC. */
  @Column({ name: 'sealed_secret', type: 'bytea', nullable: true })
  sealedSecret: Buffer | null;

  @Column({ name: 'previous_sealed_secret', type: 'bytea', nullable: true })
  previousSealedSecret: Buffer | null;

  @Column({ name: 'previous_key_hash', type: 'text', nullable: true })
  @Index('api_keys_previous_key_hash', { unique: true, where: 'previous_key_hash IS NOT NULL' })
  previousKeyHash: string | null;

  @Column({ name: 'previous_public_key', type: 'bytea', nullable: true })
  previousPublicKey: Buffer | null;

  /** Until when the former half is good; null for a key that was never rotated. */
  @Column({ name: 'previous_expires_at', type: 'timestamptz', nullable: true })
  previousExpiresAt: Date | null;

  /** When the former half was last used since the rotation. */
  @Column({ name: 'previous_last_used_at', type: 'timestamptz', nullable: true })
  previousLastUsedAt: Date | null;

  /** The first characters of the key, or of its public half, by which its owner recognises it. */
  @Column({ name: 'prefix', type: 'text' })
  prefix: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  /** The user who made the key and on whose account it acts; null for the service's own keys. */
  @Column({ name: 'owner_user_id', type: 'bigint', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'api_keys_owner_user_id_fkey' })
  @Index('api_keys_owner', { where: 'owner_user_id IS NOT NULL' })
  ownerUserId: string | null;

  /** The key of the principal whose accounts the key acts on. */
  @Column({ name: 'account_owner', type: 'text' })
  accountOwner: string;

  /** The one account that the key reaches; null for all of the owner's. */
  @Column({ name: 'account_id', type: 'bigint', nullable: true })
  accountId: string | null;

  /** As CIDR: from where it may be used; null for anywhere. */
  @Column({ name: 'allowed_addresses', type: 'text', array: true, nullable: true })
  allowedAddresses: string[] | null;

  /** The markets that it may trade on; null for all. */
  @Column({ name: 'markets', type: 'text', array: true, nullable: true })
  markets: string[] | null;

  /** When it expires; null for never. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Time of last use, written by `LastUses`; null before the first use. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
