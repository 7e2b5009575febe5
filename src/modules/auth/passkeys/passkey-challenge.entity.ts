import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

export type ChallengePurpose = 'register' | 'log_in' | 'step_up';

/** A challenge that a passkey has not signed yet; only its digest. */
@Entity('passkey_challenges')
export class PasskeyChallengeEntity {
  @key.text() challengeHash: string;
  @column.text({ oneOf: ['register', 'log_in', 'step_up'] }) purpose: ChallengePurpose;
  /** Whose passkey has to sign; null for a log-in of anybody. */
  @column.bigint({ nullable: true }) @ForeignKey(() => UserEntity) userId: string | null;
  /** The session, or a digest of the browser, that asked and alone may answer; null for a log-in by the API. */
  @column.text({ nullable: true }) askedBy: string | null;
  @column.time() @Index('passkey_challenges_expiry') expiresAt: Date;
}
