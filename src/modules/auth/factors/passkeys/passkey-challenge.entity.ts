import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../../users/user.entity.js';

export type ChallengePurpose = 'register' | 'log_in' | 'step_up';

/** A challenge that a passkey has not signed yet; only its digest. */
@Entity('passkey_challenges')
@Check('passkey_challenges_purpose_check', `purpose IN ('register', 'log_in', 'step_up')`)
export class PasskeyChallengeEntity {
  @PrimaryColumn({
    name: 'challenge_hash',
    type: 'text',
    primaryKeyConstraintName: 'passkey_challenges_pkey',
  })
  challengeHash: string;

  @Column({ name: 'purpose', type: 'text' })
  purpose: ChallengePurpose;

  /** Whose passkey has to sign; null for a log-in of anybody. */
  @Column({ name: 'user_id', type: 'bigint', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'passkey_challenges_user_id_fkey' })
  userId: string | null;

  /** The session, or a digest of the browser, that asked and alone may answer; null for a log-in by the API. */
  @Column({ name: 'asked_by', type: 'text', nullable: true })
  askedBy: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('passkey_challenges_expiry')
  expiresAt: Date;
}
