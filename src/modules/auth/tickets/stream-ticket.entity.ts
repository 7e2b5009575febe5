import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OAuthTokenEntity } from '../tokens/oauth-token.entity.js';

/**
 * A ticket for one event stream. Only one digest of ticket and path is stored. The ticket ends with the credential that
 * made it.
 */
@Entity('stream_tickets')
@Check('stream_tickets_credential', 'num_nonnulls(token_hash, key_hash, signing_key) = 1')
export class StreamTicketEntity {
  @PrimaryColumn({ name: 'ticket_hash', type: 'text', primaryKeyConstraintName: 'stream_tickets_pkey' })
  ticketHash: string;

  /** The access token that made it; null where it was a key. */
  @Column({ name: 'token_hash', type: 'text', nullable: true })
  @ForeignKey(() => OAuthTokenEntity, { name: 'stream_tickets_token_hash_fkey', onDelete: 'CASCADE' })
  @Index('stream_tickets_token', { where: 'token_hash IS NOT NULL' })
  tokenHash: string | null;

  /** The digest of the API key that made it, which may have been rotated since. */
  @Column({ name: 'key_hash', type: 'text', nullable: true })
  keyHash: string | null;

  /** The signing key that made it, as `HeldCredential` names it. */
  @Column({ name: 'signing_key', type: 'text', nullable: true })
  signingKey: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('stream_tickets_expiry')
  expiresAt: Date;
}
