import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';
import { SessionEntity } from './session.entity.js';

/** A browser that is logged in at the authorization endpoint. The API ignores it, since it takes only tokens. */
@Entity('login_sessions')
export class LoginSessionEntity {
  @key.text() sessionHash: string;
  @column.bigint() @ForeignKey(() => UserEntity) @Index('login_sessions_user') userId: string;
  @column.time() @Index('login_sessions_expiry') expiresAt: Date;
  /** Only the password has come: the browser is not logged in before the second factor has. */
  @column.boolean({ default: false }) isPending: boolean;
  /** Null for log-ins from before sessions were kept. */
  @column.text({ nullable: true })
  @ForeignKey(() => SessionEntity, { onDelete: 'CASCADE' })
  @Index('login_sessions_session', { where: 'session_id IS NOT NULL' })
  sessionId: string | null;
}
