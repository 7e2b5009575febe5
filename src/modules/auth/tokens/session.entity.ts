import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import type { ProvedBy } from '../../../kit/security/principal.js';
import { UserEntity } from '../../users/user.entity.js';

/**
 * A log-in of a user, by the API or in a browser. What follows from it refers to it: its token, the log-in of the
 * browser, the console's grants. All of that goes with its row.
 */
@Entity('sessions')
@Check('sessions_proof', '(proved_at IS NULL) = (proved_by IS NULL)')
@Index('sessions_user', ['userId', 'sessionId'])
export class SessionEntity {
  @key.text() sessionId: string;
  @column.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** What the program that logged in calls itself, for people: `Firefox on Windows`, `curl`. */
  @column.text() device: string;
  /** Where it logged in from. */
  @column.text() address: string;
  @column.time() startedAt: Date;
  /** Written by `LastUses`, a minute late at most. */
  @column.time() lastUsedAt: Date;
  /** When somebody last proved to be the user, at the log-in or since; null where that was no proof. */
  @column.time({ nullable: true }) provedAt: Date | null;
  @column.text({ nullable: true }) provedBy: ProvedBy | null;
  /** When the last of what refers to it expires; it is purged after that. */
  @column.time() @Index('sessions_expiry') expiresAt: Date;
}
