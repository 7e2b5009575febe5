import { Entity, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/**
 * A nonce that a signed request has used up, or the digest of text that was signed in a dialect whose signatures do not
 * say what they are for. It stays for as long as the same signature could come again.
 */
@Entity('signature_nonces')
export class SignatureNonceEntity {
  @key.text() apiKeyId: string;
  @key.text() nonce: string;
  /** What the text was first used for; null for nonces. */
  @column.text({ nullable: true }) usedFor: string | null;
  @column.time() @Index('signature_nonces_expiry') expiresAt: Date;
}
