import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** The grants of RFC 6749 that a client may be registered for. */
export const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token', 'implicit'] as const;

export type GrantType = (typeof GRANT_TYPES)[number];

/** A client application that may get access tokens. */
@Entity('oauth_clients')
export class OAuthClientEntity {
  @PrimaryColumn({ name: 'client_id', type: 'text', primaryKeyConstraintName: 'oauth_clients_pkey' })
  clientId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** The SHA-256 digest of a generated secret, or the argon2id hash of a chosen one; null for a public client. */
  @Column({ name: 'secret_hash', type: 'text', nullable: true })
  secretHash: string | null;

  /** The first characters of a generated secret, by which its owner recognises it; null otherwise. */
  @Column({ name: 'prefix', type: 'text', nullable: true })
  prefix: string | null;

  @Column({ name: 'grant_types', type: 'text', array: true })
  grantTypes: GrantType[];

  /** URLs; for the service's own clients also paths below `PUBLIC_URL`, such as `/docs/oauth2-redirect.html`. */
  @Column({ name: 'redirect_uris', type: 'text', array: true })
  redirectUris: string[];

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  /** The user who registered the client and on whose account it acts; null for the service's own clients. */
  @Column({ name: 'owner_user_id', type: 'bigint', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'oauth_clients_owner_user_id_fkey' })
  @Index('oauth_clients_owner', { where: 'owner_user_id IS NOT NULL' })
  ownerUserId: string | null;

  /** The key of the principal whose accounts the client acts on: its own, or its owner's. */
  @Column({ name: 'account_owner', type: 'text' })
  accountOwner: string;

  /** Time of last use, written by `LastUses`; null before the first use. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}
