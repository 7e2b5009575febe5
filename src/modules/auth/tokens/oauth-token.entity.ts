import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { LogInMethod } from '../../../kit/security/principal.js';
import { UserEntity } from '../../users/user.entity.js';
import { OAuthClientEntity } from '../clients/oauth-client.entity.js';
import { GrantEntity } from './grant.entity.js';
import { SessionEntity } from './session.entity.js';

/**
 * A valid access token; only its digest is stored. It belongs to a client in its own name, to a logged-in user, or to
 * both: a client that acts for a user.
 */
@Entity('oauth_tokens')
@Check('oauth_tokens_holder', 'client_id IS NOT NULL OR user_id IS NOT NULL')
@Check('oauth_tokens_login_method_check', `login_method IN ('basic', 'query', 'passkey')`)
export class OAuthTokenEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text', primaryKeyConstraintName: 'oauth_tokens_pkey' })
  tokenHash: string;

  /** Null for a session of a logged-in user. */
  @Column({ name: 'client_id', type: 'text', nullable: true })
  @ForeignKey(() => OAuthClientEntity, { name: 'oauth_tokens_client_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_tokens_client')
  clientId: string | null;

  /** Null where a client acts in its own name. */
  @Column({ name: 'user_id', type: 'bigint', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'oauth_tokens_user_id_fkey' })
  @Index('oauth_tokens_user', { where: 'user_id IS NOT NULL' })
  userId: string | null;

  /** The grant that it came from; null for what no code was exchanged for. */
  @Column({ name: 'grant_id', type: 'text', nullable: true })
  @ForeignKey(() => GrantEntity, { name: 'oauth_tokens_grant_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_tokens_grant', { where: 'grant_id IS NOT NULL' })
  grantId: string | null;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  /** How the user logged in, of sessions; it was when the token was issued. */
  @Column({ name: 'login_method', type: 'text', nullable: true })
  loginMethod: LogInMethod | null;

  @Column({ name: 'issued_at', type: 'timestamptz' })
  issuedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('oauth_tokens_expiry')
  expiresAt: Date;

  /** The log-in that it came from, by the API or at the console; null for all others. */
  @Column({ name: 'session_id', type: 'text', nullable: true })
  @ForeignKey(() => SessionEntity, { name: 'oauth_tokens_session_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_tokens_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
