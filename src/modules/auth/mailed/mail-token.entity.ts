import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** What a token in a mail is for. */
export type MailTokenPurpose = 'verify' | 'reset';

/** The token of a mail, of which only the newest of a user and purpose is good. */
@Entity('mail_tokens')
@Check('mail_tokens_purpose_check', `purpose IN ('verify', 'reset')`)
export class MailTokenEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', primaryKeyConstraintName: 'mail_tokens_pkey' })
  @ForeignKey(() => UserEntity, { name: 'mail_tokens_user_id_fkey' })
  userId: string;

  @PrimaryColumn({ name: 'purpose', type: 'text', primaryKeyConstraintName: 'mail_tokens_pkey' })
  purpose: MailTokenPurpose;

  /** Only its digest. */
  @Column({ name: 'token_hash', type: 'text' })
  @Index('mail_tokens_token', { unique: true })
  tokenHash: string;

  /** Where it was sent: with another address of the user it is void. */
  @Column({ name: 'email', type: 'text' })
  email: string;

  /** When that was verified; null for one that is not. With another verification the token is void. */
  @Column({ name: 'email_verified_at', type: 'timestamptz', nullable: true })
  emailVerifiedAt: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('mail_tokens_expiry')
  expiresAt: Date;
}
