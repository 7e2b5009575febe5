import { Entity, ForeignKey, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** The grants of RFC 6749 that a client may be registered for. */
export const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token', 'implicit'] as const;

export type GrantType = (typeof GRANT_TYPES)[number];

/** A client application that may get access tokens. */
@Entity('oauth_clients')
export class OAuthClientEntity {
  @key.text() clientId: string;
  @column.text() name: string;
  /** The SHA-256 digest of a generated secret, or the argon2id hash of a chosen one; null for a public client. */
  @column.text({ nullable: true }) secretHash: string | null;
  /** The first characters of a generated secret, by which its owner recognises it; null otherwise. */
  @column.text({ nullable: true }) prefix: string | null;
  @column.text({ array: true }) grantTypes: GrantType[];
  /** URLs; for the service's own clients also paths below `PUBLIC_URL`, such as `/docs/oauth2-redirect.html`. */
  @column.text({ array: true }) redirectUris: string[];
  @column.text({ array: true }) scopes: string[];
  /** The user who registered the client and on whose account it acts; null for the service's own clients. */
  @column.bigint({ nullable: true })
  @ForeignKey(() => UserEntity)
  @Index('oauth_clients_owner', { where: 'owner_user_id IS NOT NULL' })
  ownerUserId: string | null;
  /** The key of the principal whose accounts the client acts on: its own, or its owner's. */
  @column.text() accountOwner: string;
  /** Time of last use, written by `LastUses`; null before the first use. */
  @column.time({ nullable: true }) lastUsedAt: Date | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
