import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';
import { OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { SessionEntity } from './session.entity.js';

/**
 * A user's grant to a client, made by one authorization code. Its access and refresh tokens refer to it, so that
 * deleting its row revokes them all.
 */
@Entity('oauth_grants')
@Unique('oauth_grants_code_hash_key', ['codeHash'])
export class GrantEntity {
  @PrimaryColumn({ name: 'grant_id', type: 'text', primaryKeyConstraintName: 'oauth_grants_pkey' })
  grantId: string;

  @Column({ name: 'client_id', type: 'text' })
  @ForeignKey(() => OAuthClientEntity, { name: 'oauth_grants_client_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_grants_client')
  clientId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'oauth_grants_user_id_fkey' })
  @Index('oauth_grants_user')
  userId: string;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'code_hash', type: 'text' })
  codeHash: string;

  /** The S256 challenge of PKCE (RFC 7636), which only the client that sent it can answer. */
  @Column({ name: 'code_challenge', type: 'text' })
  codeChallenge: string;

  /** Where the code was sent, exactly as the client will have to repeat it. */
  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  @Column({ name: 'granted_at', type: 'timestamptz' })
  grantedAt: Date;

  @Column({ name: 'code_expires_at', type: 'timestamptz' })
  codeExpiresAt: Date;

  /** When the code was exchanged for tokens, which happens once; null before. */
  @Column({ name: 'code_redeemed_at', type: 'timestamptz', nullable: true })
  codeRedeemedAt: Date | null;

  /** When the last of its tokens expires; it is purged after that. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('oauth_grants_expiry')
  expiresAt: Date;

  /** The log-in that it belongs to, of the console alone: other clients' grants outlive log-ins. */
  @Column({ name: 'session_id', type: 'text', nullable: true })
  @ForeignKey(() => SessionEntity, { name: 'oauth_grants_session_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_grants_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
