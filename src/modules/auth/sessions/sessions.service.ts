import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { AuditTarget } from '../../../platform/audit/audit-entry.js';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { isInPerson, type Principal } from '../../../platform/security/principal.js';
import { PasswordLogin, byPassword, invalidCredentials } from '../../users/password-login.js';
import { loginRequired } from '../../users/user-access.js';
import type { UserEntity } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { SecondFactors } from '../factors/second-factors.js';
import { newSecret } from '../secrets.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { GrantsService } from '../tokens/grants.service.js';
import type { SessionOrigin } from '../tokens/session-origin.js';
import { insertSession } from '../tokens/session-rows.js';
import { UserSessions } from './user-sessions.service.js';
import type { PresentedLogIn } from '../credentials/presented-password.js';
import { ScopeCatalogue } from '../../../platform/security/plugin-scope.js';
import { sessionScopesOf } from '../credentials/session-scopes.js';

const LIFETIME_MS = 12 * 3_600_000;

export interface StartedSession {
  /** The bearer token that the session consists of. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Sessions of logged-in users: access tokens without a client. */
@Injectable()
export class SessionsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: PasswordLogin,
    private readonly factors: SecondFactors,
    private readonly users: UsersService,
    private readonly tokens: AccessTokensService,
    private readonly grants: GrantsService,
    private readonly sessions: UserSessions,
    @InjectDataSource() private readonly database: DataSource,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Logs a user in. Rejects as `PasswordLogin.verify` does, which gets `addressBucket`, and as `SecondFactors.prove`, which
   * gets the code.
   */
  async start(
    presented: PresentedLogIn,
    addressBucket: string,
    origin: SessionOrigin,
  ): Promise<StartedSession> {
    const user = await this.passwords.verify(presented.username, presented.password, addressBucket);
    const provedBy = await this.factors.prove(user, presented.code);
    const session = { token: newSecret('tpa'), expiresAt: new Date(Date.now() + LIFETIME_MS) };
    const isOperator = user.isOperator && (provedBy !== 'password' || !this.config.operatorsNeedSecondFactor);
    const scopes = sessionScopesOf(this.scopes, { isOperator }, presented.sentIn);
    const loginMethod = presented.sentIn === 'query' ? 'query' : 'basic';
    await this.database.transaction(async (manager) => {
      const { userId } = user;
      const sessionId = await insertSession(
        manager,
        userId,
        origin,
        session.expiresAt,
        presented.sentIn === 'query' && provedBy === 'password' ? null : provedBy,
      );
      await this.tokens.store(
        { ...session, clientId: null, userId, scopes, loginMethod, sessionId },
        manager,
      );
      await this.audit.record(
        manager,
        { target: targetOf(user), details: { login_method: loginMethod, proved_by: provedBy } },
        byPassword(user),
      );
    });
    await this.requireUnchanged(user, session.token);
    await this.sessions.endOldest(user.userId);
    return session;
  }

  /**
   * Ends the session of this token, or the user's time at the console, with the log-in of the browser. Throws
   * `forbidden` (403) for other principals.
   */
  async end(principal: Principal, token: string | undefined): Promise<void> {
    if (token === undefined || !isInPerson(principal)) throw loginRequired();
    if (principal.delegatedTo !== undefined) {
      await this.grants.endByAccessToken(token);
      return;
    }
    await this.tokens.revoke(token, (manager) =>
      this.audit.record(manager, { target: { type: 'user', id: principal.id } }),
    );
  }

  /**
   * If the password was changed or the user locked during verification, all other sessions were ended, but this one did
   * not exist yet. Throws `invalid_credentials` (401).
   */
  private async requireUnchanged(user: UserEntity, token: string): Promise<void> {
    const now = await this.users.find(user.userId);
    if (now?.passwordHash === user.passwordHash && now.userStatus === user.userStatus) return;
    await this.tokens.revoke(token, (manager) =>
      this.audit.record(manager, { target: targetOf(user), outcome: 'failed' }, byPassword(user)),
    );
    throw invalidCredentials();
  }
}

function targetOf({ username }: UserEntity): AuditTarget {
  return { type: 'user', id: username };
}
