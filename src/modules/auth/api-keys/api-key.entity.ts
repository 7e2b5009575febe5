import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** A key sent in the header `api_key`. Only its digest and its first characters are stored. */
@Entity('api_keys')
@Unique('api_keys_key_hash_key', ['keyHash'])
export class ApiKeyEntity {
  @PrimaryColumn({ name: 'api_key_id', type: 'text', primaryKeyConstraintName: 'api_keys_pkey' })
  apiKeyId: string;

  @Column({ name: 'key_hash', type: 'text' })
  keyHash: string;

  /** The first characters of the key, by which its owner recognises it. */
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

  /** When it expires; null for never. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Time of last use, written by `LastUses`; null before the first use. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
