import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
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
  @key.text() grantId: string;
  @column.text()
  @ForeignKey(() => OAuthClientEntity, { onDelete: 'CASCADE' })
  @Index('oauth_grants_client')
  clientId: string;
  @column.bigint() @ForeignKey(() => UserEntity) @Index('oauth_grants_user') userId: string;
  @column.text({ array: true }) scopes: string[];
  @column.text() codeHash: string;
  /** The S256 challenge of PKCE (RFC 7636), which only the client that sent it can answer. */
  @column.text() codeChallenge: string;
  /** Where the code was sent, exactly as the client will have to repeat it. */
  @column.text() redirectUri: string;
  @column.time() grantedAt: Date;
  @column.time() codeExpiresAt: Date;
  /** When the code was exchanged for tokens, which happens once; null before. */
  @column.time({ nullable: true }) codeRedeemedAt: Date | null;
  /** When the last of its tokens expires; it is purged after that. */
  @column.time() @Index('oauth_grants_expiry') expiresAt: Date;
  /** The log-in that it belongs to, of the console alone: other clients' grants outlive log-ins. */
  @column.text({ nullable: true })
  @ForeignKey(() => SessionEntity, { onDelete: 'CASCADE' })
  @Index('oauth_grants_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
