import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { OAuthTokenEntity } from '../tokens/oauth-token.entity.js';

/**
 * A ticket for one event stream. Only one digest of ticket and path is stored. The ticket ends with the credential that
 * made it.
 */
@Entity('stream_tickets')
@Check('stream_tickets_credential', 'num_nonnulls(token_hash, key_hash, signing_key) = 1')
export class StreamTicketEntity {
  @key.text() ticketHash: string;
  /** The access token that made it; null where it was a key. */
  @column.text({ nullable: true })
  @ForeignKey(() => OAuthTokenEntity, { onDelete: 'CASCADE' })
  @Index('stream_tickets_token', { where: 'token_hash IS NOT NULL' })
  tokenHash: string | null;
  /** The digest of the API key that made it, which may have been rotated since. */
  @column.text({ nullable: true }) keyHash: string | null;
  /** The signing key that made it, as `HeldCredential` names it. */
  @column.text({ nullable: true }) signingKey: string | null;
  @column.time() @Index('stream_tickets_expiry') expiresAt: Date;
}
