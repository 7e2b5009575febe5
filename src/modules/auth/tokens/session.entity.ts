import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
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
  @PrimaryColumn({ name: 'session_id', type: 'text', primaryKeyConstraintName: 'sessions_pkey' })
  sessionId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'sessions_user_id_fkey' })
  userId: string;

  /** What the program that logged in calls itself, for people: `Firefox on Windows`, `curl`. */
  @Column({ name: 'device', type: 'text' })
  device: string;

  /** Where it logged in from. */
  @Column({ name: 'address', type: 'text' })
  address: string;

  @Column({ name: 'started_at', type: 'timestamptz' })
  startedAt: Date;

  /** Written by `LastUses`, a minute late at most. */
  @Column({ name: 'last_used_at', type: 'timestamptz' })
  lastUsedAt: Date;

  /** When somebody last proved to be the user, at the log-in or since; null where that was no proof. */
  @Column({ name: 'proved_at', type: 'timestamptz', nullable: true })
  provedAt: Date | null;

  @Column({ name: 'proved_by', type: 'text', nullable: true })
  provedBy: ProvedBy | null;

  /** When the last of what refers to it expires; it is purged after that. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('sessions_expiry')
  expiresAt: Date;
}
