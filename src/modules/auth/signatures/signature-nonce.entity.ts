import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A nonce that a signed request has used up, or the digest of text that was signed in a dialect whose signatures do not
 * say what they are for. It stays for as long as the same signature could come again.
 */
@Entity('signature_nonces')
export class SignatureNonceEntity {
  @PrimaryColumn({ name: 'api_key_id', type: 'text', primaryKeyConstraintName: 'signature_nonces_pkey' })
  apiKeyId: string;

  @PrimaryColumn({ name: 'nonce', type: 'text', primaryKeyConstraintName: 'signature_nonces_pkey' })
  nonce: string;

  /** What the text was first used for; null for nonces. */
  @Column({ name: 'used_for', type: 'text', nullable: true })
  usedFor: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('signature_nonces_expiry')
  expiresAt: Date;
}
