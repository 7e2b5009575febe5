import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { byPassword, invalidCredentials } from '../../users/password-login.js';
import { UserStatus, type UserEntity } from '../../users/user.entity.js';
import { digestOf, newSecret } from '../secrets.js';
import { LoginSessionEntity } from './login-session.entity.js';
import type { SessionOrigin } from './session-origin.js';
import { insertSession } from './session-rows.js';

/** What a browser logs in for. */
export type LogInPurpose = 'consent' | 'console';

const LIFETIMES_MS: Readonly<Record<LogInPurpose, number>> = {
  /** Long enough to read a consent page, short enough for a shared computer. */
  consent: 15 * 60_000,
  /** As long as a session: the console keeps its tokens in memory, and gets new ones when its page is loaded again. */
  console: 12 * 3_600_000,
};

/** The user logged in at the authorization endpoint. */
export interface LoggedInUser {
  readonly userId: string;
  readonly username: string;
  readonly isOperator: boolean;
  /** Null for a log-in from before sessions were kept. */
  readonly sessionId: string | null;
}

/** Log-ins at the authorization endpoint, one for each browser, identified by a secret of the browser. */
@Injectable()
export class LoginSessionsService {
  constructor(
    @InjectRepository(LoginSessionEntity) private readonly sessions: Repository<LoginSessionEntity>,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Logs in a user whose password was just verified, and returns the session's secret. Throws `invalid_credentials`
   * (401) if the password was changed, or the user closed, meanwhile.
   */
  async start(
    user: Pick<UserEntity, 'userId' | 'username' | 'passwordHash'>,
    purpose: LogInPurpose,
    origin: SessionOrigin,
  ): Promise<string> {
    const { userId, username, passwordHash } = user;
    const secret = newSecret('tpl');
    const expiresAt = new Date(Date.now() + LIFETIMES_MS[purpose]);
    // The lock serializes this with a password change, which ends existing sessions.
    await this.sessions.manager.transaction(async (manager) => {
      const started = await manager.query<unknown[]>(
        `INSERT INTO login_sessions (session_hash, user_id, expires_at)
       SELECT $1, user_id, $2 FROM users
        WHERE user_id = $3 AND password_hash = $4 AND user_status = $5 FOR SHARE
       RETURNING session_hash`,
        [digestOf(secret), expiresAt, userId, passwordHash, UserStatus.active],
      );
      if (started.length === 0) throw invalidCredentials();
      const sessionId = await insertSession(manager, userId, origin, expiresAt);
      await manager.update(LoginSessionEntity, { sessionHash: digestOf(secret) }, { sessionId });
      await this.audit.record(manager, { target: { type: 'user', id: username } }, byPassword(user));
    });
    return secret;
  }

  /** The user of a session; null if it has ended or its user may no longer log in. */
  async find(secret: string): Promise<LoggedInUser | null> {
    const [row] = await this.sessions.query<
      {
        readonly user_id: string;
        readonly username: string;
        readonly is_operator: boolean;
        readonly session_id: string | null;
      }[]
    >(
      `SELECT user_id, username, is_operator, session_id FROM login_sessions JOIN users USING (user_id)
        WHERE session_hash = $1 AND expires_at > $2 AND user_status = $3`,
      [digestOf(secret), new Date(), UserStatus.active],
    );
    if (row === undefined) return null;
    return {
      userId: row.user_id,
      username: row.username,
      isOperator: row.is_operator,
      sessionId: row.session_id,
    };
  }

  async end(secret: string): Promise<void> {
    await this.sessions.delete({ sessionHash: digestOf(secret) });
  }
}
