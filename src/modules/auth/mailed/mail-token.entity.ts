import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** What a token in a mail is for. */
export type MailTokenPurpose = 'verify' | 'reset';

/** The token of a mail, of which only the newest of a user and purpose is good. */
@Entity('mail_tokens')
export class MailTokenEntity {
  @key.bigint() @ForeignKey(() => UserEntity) userId: string;
  @key.text({ oneOf: ['verify', 'reset'] }) purpose: MailTokenPurpose;
  /** Only its digest. */
  @column.text() @Index('mail_tokens_token', { unique: true }) tokenHash: string;
  /** Where it was sent: with another address of the user it is void. */
  @column.text() email: string;
  /** When that was verified; null for one that is not. With another verification the token is void. */
  @column.time({ nullable: true }) emailVerifiedAt: Date | null;
  @column.time() @Index('mail_tokens_expiry') expiresAt: Date;
}
