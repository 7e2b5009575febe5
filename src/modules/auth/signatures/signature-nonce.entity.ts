import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A nonce that a signed request has used up. It stays for as long as the same signature could come again. */
@Entity('signature_nonces')
export class SignatureNonceEntity {
  @PrimaryColumn({ name: 'api_key_id', type: 'text', primaryKeyConstraintName: 'signature_nonces_pkey' })
  apiKeyId: string;

  @PrimaryColumn({ name: 'nonce', type: 'text', primaryKeyConstraintName: 'signature_nonces_pkey' })
  nonce: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('signature_nonces_expiry')
  expiresAt: Date;
}
