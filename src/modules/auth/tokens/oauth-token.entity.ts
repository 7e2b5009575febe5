import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OAuthClientEntity } from '../clients/oauth-client.entity.js';

/** An access token that was issued and neither revoked nor purged. Of the token itself only a digest is kept. */
@Entity('oauth_tokens')
export class OAuthTokenEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text', primaryKeyConstraintName: 'oauth_tokens_pkey' })
  tokenHash: string;

  @Column({ name: 'client_id', type: 'text' })
  @ForeignKey(() => OAuthClientEntity, { name: 'oauth_tokens_client_id_fkey', onDelete: 'CASCADE' })
  @Index('oauth_tokens_client')
  clientId: string;

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'issued_at', type: 'timestamptz' })
  issuedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('oauth_tokens_expiry')
  expiresAt: Date;
}
