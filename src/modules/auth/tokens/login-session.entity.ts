import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';
import { SessionEntity } from './session.entity.js';

/** A browser that is logged in at the authorization endpoint. The API ignores it, since it takes only tokens. */
@Entity('login_sessions')
export class LoginSessionEntity {
  @PrimaryColumn({ name: 'session_hash', type: 'text', primaryKeyConstraintName: 'login_sessions_pkey' })
  sessionHash: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'login_sessions_user_id_fkey' })
  @Index('login_sessions_user')
  userId: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('login_sessions_expiry')
  expiresAt: Date;

  /** Only the password has come: the browser is not logged in before the second factor has. */
  @Column({ name: 'is_pending', type: 'boolean', default: false })
  isPending: boolean;

  /** Null for log-ins from before sessions were kept. */
  @Column({ name: 'session_id', type: 'text', nullable: true })
  @ForeignKey(() => SessionEntity, { name: 'login_sessions_session_id_fkey', onDelete: 'CASCADE' })
  @Index('login_sessions_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
