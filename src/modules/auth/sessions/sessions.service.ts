import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Settings } from '../../../kit/config/settings.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import {
  isInPerson,
  isSecondFactor,
  type LogInMethod,
  type Principal,
  type ProvedBy,
} from '../../../kit/security/principal.js';
import { PasswordLogin, byPassword, byProof, invalidCredentials } from '../../users/password-login.js';
import { NO_OPERATOR } from '../../users/operator-standing.js';
import { loginRequired } from '../../users/user-access.js';
import type { UserEntity } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PasskeyLogin } from '../passkeys/passkey-login.js';
import type { PresentedResponse } from '../passkeys/relying-party.js';
import { SecondFactors } from '../factors/second-factors.js';
import { newSecret } from '../secrets/secrets.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { GrantsService } from '../tokens/grants.service.js';
import type { SessionOrigin } from '../../../kit/http/session-origin.js';
import { SESSION_LENGTHS } from '../tokens/session-lengths.js';
import { insertSession } from '../tokens/session-rows.js';
import { UserSessions } from './user-sessions.service.js';
import type { PresentedLogIn } from '../credentials/presented-password.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { sessionScopesOf } from '../credentials/session-scopes.js';

export interface StartedSession {
  /** The bearer token that the session consists of. */
  readonly token: string;
  readonly expiresAt: Date;
}

interface VerifiedLogIn {
  readonly method: LogInMethod;
  readonly provedBy: ProvedBy;
  readonly origin: SessionOrigin;
}

/** Sessions of logged-in users: access tokens without a client. */
@Injectable()
export class SessionsService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly passwords: PasswordLogin,
    private readonly factors: SecondFactors,
    private readonly passkeys: PasskeyLogin,
    private readonly users: UsersService,
    private readonly tokens: AccessTokensService,
    private readonly grants: GrantsService,
    private readonly sessions: UserSessions,
    @InjectDataSource() private readonly database: DataSource,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
    private readonly settings: Settings,
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
    const provedBy = await this.factors.prove(user, presented.code, { addressBucket });
    const method = presented.sentIn === 'query' ? 'query' : 'basic';
    return this.open(user, { method, provedBy, origin });
  }

  /** Logs in the user whose passkey has signed. Rejects as `PasskeyLogin.verify`, which gets `addressBucket`. */
  async startByPasskey(
    response: PresentedResponse,
    addressBucket: string,
    origin: SessionOrigin,
  ): Promise<StartedSession> {
    const user = await this.passkeys.verify(response, null, addressBucket);
    return this.open(user, { method: 'passkey', provedBy: 'passkey', origin });
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

  private async open(user: UserEntity, { method, provedBy, origin }: VerifiedLogIn): Promise<StartedSession> {
    const { sessionSeconds } = this.settings.get(SESSION_LENGTHS);
    const session = { token: newSecret('tpa'), expiresAt: new Date(Date.now() + sessionSeconds * 1_000) };
    const isProved = isSecondFactor(provedBy) || !this.config.operatorsNeedSecondFactor;
    const standing = isProved ? { ...user, identityRoles: [] } : NO_OPERATOR;
    const scopes = sessionScopesOf(this.scopes, standing, method);
    // A password that others may have seen proves nothing.
    const proof = method === 'query' && provedBy === 'password' ? null : provedBy;
    await this.database.transaction(async (manager) => {
      const { userId } = user;
      const sessionId = await insertSession(manager, userId, origin, session.expiresAt, proof);
      await this.tokens.store(
        { ...session, clientId: null, userId, scopes, loginMethod: method, sessionId },
        manager,
      );
      await this.audit.record(
        manager,
        { target: targetOf(user), details: { login_method: method, proved_by: provedBy } },
        byProof(user, provedBy),
      );
    });
    await this.requireUnchanged(user, session.token);
    await this.sessions.endOldest(user.userId);
    return session;
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
