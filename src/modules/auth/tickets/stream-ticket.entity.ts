import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { OAuthTokenEntity } from '../tokens/oauth-token.entity.js';

/**
 * A ticket for one event stream. Only one digest of ticket and path is stored. The ticket ends with the credential that
 * made it.
 */
@Entity('stream_tickets')
@Check('stream_tickets_credential', 'num_nonnulls(token_hash, key_hash) = 1')
export class StreamTicketEntity {
  @PrimaryColumn({ name: 'ticket_hash', type: 'text', primaryKeyConstraintName: 'stream_tickets_pkey' })
  ticketHash: string;

  /** The access token that made it; null where it was an API key. */
  @Column({ name: 'token_hash', type: 'text', nullable: true })
  @ForeignKey(() => OAuthTokenEntity, { name: 'stream_tickets_token_hash_fkey', onDelete: 'CASCADE' })
  @Index('stream_tickets_token', { where: 'token_hash IS NOT NULL' })
  tokenHash: string | null;

  @Column({ name: 'key_hash', type: 'text', nullable: true })
  @ForeignKey<ApiKeyEntity>(() => ApiKeyEntity, 'keyHash', {
    name: 'stream_tickets_key_hash_fkey',
    onDelete: 'CASCADE',
  })
  @Index('stream_tickets_key', { where: 'key_hash IS NOT NULL' })
  keyHash: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('stream_tickets_expiry')
  expiresAt: Date;
}
