import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
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
export class OAuthTokenEntity {
  @key.text() tokenHash: string;
  /** Null for a session of a logged-in user. */
  @column.text({ nullable: true })
  @ForeignKey(() => OAuthClientEntity, { onDelete: 'CASCADE' })
  @Index('oauth_tokens_client')
  clientId: string | null;
  /** Null where a client acts in its own name. */
  @column.bigint({ nullable: true })
  @ForeignKey(() => UserEntity)
  @Index('oauth_tokens_user', { where: 'user_id IS NOT NULL' })
  userId: string | null;
  /** The grant that it came from; null for what no code was exchanged for. */
  @column.text({ nullable: true })
  @ForeignKey(() => GrantEntity, { onDelete: 'CASCADE' })
  @Index('oauth_tokens_grant', { where: 'grant_id IS NOT NULL' })
  grantId: string | null;
  @column.text({ array: true }) scopes: string[];
  /** How the user logged in, of sessions; it was when the token was issued. */
  @column.text({ nullable: true, oneOf: ['basic', 'query', 'passkey'] }) loginMethod: LogInMethod | null;
  @column.time() issuedAt: Date;
  @column.time() @Index('oauth_tokens_expiry') expiresAt: Date;
  /** The log-in that it came from, by the API or at the console; null for all others. */
  @column.text({ nullable: true })
  @ForeignKey(() => SessionEntity, { onDelete: 'CASCADE' })
  @Index('oauth_tokens_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
