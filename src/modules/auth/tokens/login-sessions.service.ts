import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Settings } from '../../../kit/config/settings.js';
import type { ProvedBy } from '../../../kit/security/principal.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { byProof, invalidCredentials } from '../../users/password-login.js';
import { NO_OPERATOR, type OperatorStanding } from '../../users/operator-standing.js';
import { UserStatus, UserEntity } from '../../users/user.entity.js';
import { digestOf, newSecret } from '../secrets/secrets.js';
import { LoginSessionEntity } from './login-session.entity.js';
import type { SessionOrigin } from '../../../kit/http/session-origin.js';
import { SESSION_LENGTHS } from './session-lengths.js';
import { attachIdentity, insertSession } from './session-rows.js';

/** What a browser logs in for. */
export type LogInPurpose = 'consent' | 'console';

/** For how long a password stands while the app with the second factor is looked for. */
const PENDING_MS = 5 * 60_000;

type VerifiedUser = Pick<UserEntity, 'userId' | 'username' | 'passwordHash'>;

/** What a log-in in a browser is proved by. */
export interface BrowserProof {
  readonly by: ProvedBy;
  /** When the user was there; just now by default, null where nobody knows. */
  readonly at?: Date | null | undefined;
  /** What the cookie of the browser has had so far. */
  readonly formerSecret: string;
}

/** The user logged in at the authorization endpoint; of operators who need a second factor and have not shown one, without roles. */
export interface LoggedInUser extends OperatorStanding {
  readonly userId: string;
  readonly username: string;
  /** Null for a log-in from before sessions were kept. */
  readonly sessionId: string | null;
  /** When the user last proved to be there; null for such a log-in, too. */
  readonly provedAt: Date | null;
}

/** Log-ins at the authorization endpoint, one for each browser, identified by a secret of the browser. */
@Injectable()
export class LoginSessionsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectRepository(LoginSessionEntity) private readonly sessions: Repository<LoginSessionEntity>,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
  ) {}

  /**
   * Logs in a user whose password and second factor, passkey or outside identity were just verified, and returns the session's secret. Throws
   * `invalid_credentials` (401) if the password was changed, or the user closed, meanwhile.
   */
  async start(
    user: VerifiedUser,
    purpose: LogInPurpose,
    origin: SessionOrigin,
    { by: provedBy, at, formerSecret }: BrowserProof,
  ): Promise<string> {
    const { userId, username } = user;
    const secret = newSecret('tpl');
    const expiresAt = new Date(Date.now() + this.secondsOf(purpose) * 1_000);
    await this.sessions.manager.transaction(async (manager) => {
      await insertFor(manager, user, { secret, expiresAt, isPending: false });
      const sessionId = await insertSession(manager, userId, origin, expiresAt, provedBy, at);
      await attachIdentity(manager, { userId, formerSecret }, { sessionId });
      await manager.update(LoginSessionEntity, { sessionHash: digestOf(secret) }, { sessionId });
      await this.audit.record(
        manager,
        { target: { type: 'user', id: username }, details: { proved_by: provedBy } },
        byProof(user, provedBy),
      );
    });
    return secret;
  }

  /** Keeps for a while that the user's password, or an outside identity, was right, until the second factor comes. Throws as `start`. */
  async startPending(user: VerifiedUser, formerSecret: string): Promise<string> {
    const secret = newSecret('tpl');
    const expiresAt = new Date(Date.now() + PENDING_MS);
    await this.sessions.manager.transaction(async (manager) => {
      await insertFor(manager, user, { secret, expiresAt, isPending: true });
      await attachIdentity(manager, { userId: user.userId, formerSecret }, { secret });
    });
    return secret;
  }

  /** The user whose second factor is awaited; null where none is. */
  async findPending(secret: string): Promise<UserEntity | null> {
    return this.sessions.manager
      .createQueryBuilder(UserEntity, 'user')
      .where(
        `user.user_status = :active AND user.user_id = (
           SELECT user_id FROM login_sessions WHERE session_hash = :hash AND is_pending AND expires_at > :now)`,
        { active: UserStatus.active, hash: digestOf(secret), now: new Date() },
      )
      .getOne();
  }

  /** The user of a session; null if it has ended or its user may no longer log in. */
  async find(secret: string): Promise<LoggedInUser | null> {
    const [row] = await this.sessions.query<
      {
        readonly user_id: string;
        readonly username: string;
        readonly is_operator: boolean;
        readonly operator_roles: readonly string[];
        readonly identity_roles: readonly string[];
        readonly is_proved: boolean;
        readonly session_id: string | null;
        readonly proved_at: Date | null;
      }[]
    >(
      `SELECT users.user_id, username, login_sessions.session_id, proved_at, is_operator, operator_roles,
              CASE WHEN identity.session_id IS NULL THEN '{}' ELSE identity_roles END AS identity_roles,
              NOT $4 OR coalesce(proved_by NOT IN ('password', 'identity'), false)
                OR coalesce(identity.has_second_factor, false) AS is_proved
         FROM login_sessions JOIN users USING (user_id) LEFT JOIN sessions USING (session_id, user_id)
         LEFT JOIN identity_sessions identity ON identity.session_id = login_sessions.session_id
        WHERE session_hash = $1 AND login_sessions.expires_at > $2 AND user_status = $3 AND NOT is_pending`,
      [digestOf(secret), new Date(), UserStatus.active, this.config.operatorsNeedSecondFactor],
    );
    if (row === undefined) return null;
    return {
      userId: row.user_id,
      username: row.username,
      ...(row.is_proved
        ? {
            isOperator: row.is_operator,
            operatorRoles: [...row.operator_roles],
            identityRoles: [...row.identity_roles],
          }
        : NO_OPERATOR),
      sessionId: row.session_id,
      provedAt: row.proved_at,
    };
  }

  async end(secret: string): Promise<void> {
    await this.sessions.delete({ sessionHash: digestOf(secret) });
  }

  /** The console keeps its tokens in memory, and gets new ones when its page is loaded again. */
  private secondsOf(purpose: LogInPurpose): number {
    const { sessionSeconds, consentSessionSeconds } = this.settings.get(SESSION_LENGTHS);
    return purpose === 'console' ? sessionSeconds : consentSessionSeconds;
  }
}

/** The lock serializes this with a password change, which ends existing sessions. */
async function insertFor(
  manager: EntityManager,
  { userId, passwordHash }: VerifiedUser,
  { secret, expiresAt, isPending }: { secret: string; expiresAt: Date; isPending: boolean },
): Promise<void> {
  const started = await manager.query<unknown[]>(
    `INSERT INTO login_sessions (session_hash, user_id, expires_at, is_pending)
     SELECT $1, user_id, $2, $6 FROM users
      WHERE user_id = $3 AND password_hash IS NOT DISTINCT FROM $4 AND user_status = $5 FOR SHARE
     RETURNING session_hash`,
    [digestOf(secret), expiresAt, userId, passwordHash, UserStatus.active, isPending],
  );
  if (started.length === 0) throw invalidCredentials();
}
