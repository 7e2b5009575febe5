import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { INVALID_REQUEST, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { sessionKeyOf } from '../credentials/credential-store.js';
import { digestOf } from '../secrets/secrets.js';
import { UsedNonces } from '../signatures/used-nonces.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';
import { deleteSessions } from '../tokens/session-rows.js';
import { IdentityProviders } from './identity-providers.js';
import { type EndedIdentity, IdentityRefused } from './identity-provider.js';

/** Longer than the age at which a logout token is refused. */
const REMEMBERED_MS = 10 * 60_000;

interface EndedRow {
  readonly user_id: string;
  readonly username: string;
  readonly session_id: string | null;
  readonly browser_hash: string | null;
}

/** Log-outs that providers tell of by themselves (OpenID Connect Back-Channel Logout). */
@Injectable()
export class IdentityLogouts {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly providers: IdentityProviders,
    private readonly usedTokens: UsedNonces,
    private readonly tokens: AccessTokensService,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Ends the session that the token names, or all sessions, browsers and grants of the user whom it names alone. Throws
   * `not_found` (404), `invalid_request` (400) for what is no logout token of the provider, or one that came before, and
   * `temporarily_unavailable` (503) where its keys cannot be had.
   */
  async take(name: string, logoutToken: unknown): Promise<void> {
    const ended = await this.read(name, logoutToken);
    const isNew = await this.usedTokens.use(
      `identity:${name}`,
      digestOf(ended.messageId),
      Date.now() + REMEMBERED_MS,
    );
    if (!isNew) throw refused('It came before.');
    await (ended.sessionId === null ? this.endAllOf(ended) : this.endThat(ended));
  }

  private async read(name: string, logoutToken: unknown): Promise<EndedIdentity> {
    const provider = this.providers.get(name);
    if (provider.readLogout === undefined || typeof logoutToken !== 'string')
      throw refused('Send logout_token once, as a form.');
    try {
      return await provider.readLogout(logoutToken);
    } catch (error) {
      if (error instanceof IdentityRefused) throw refused('It is none, or none for this service.');
      throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The keys of the provider cannot be had just now.', {
        cause: error,
      });
    }
  }

  private async endThat({ issuer, subject, sessionId }: EndedIdentity): Promise<void> {
    const rows = await this.database.query<EndedRow[]>(
      `SELECT user_id, username, session_id, browser_hash
         FROM identity_sessions JOIN users USING (user_id)
        WHERE issuer = $1 AND provider_session_id = $2 AND subject = coalesce($3, subject)`,
      [issuer, sessionId, subject],
    );
    const ids = rows.flatMap(({ session_id: id }) => id ?? []);
    await this.database.transaction(async (manager) => {
      await deleteSessions(manager, ids);
      const browsers = rows.flatMap(({ browser_hash: browser }) => browser ?? []);
      await manager.query('DELETE FROM login_sessions WHERE session_hash = ANY($1)', [browsers]);
      await manager.query('DELETE FROM identity_sessions WHERE browser_hash = ANY($1)', [browsers]);
      if (rows[0] !== undefined) await this.record(manager, rows[0].username, issuer, { sessions: ids });
    });
    for (const id of ids) this.authenticator.forgetAllOf(sessionKeyOf(id));
  }

  private async endAllOf({ issuer, subject }: EndedIdentity): Promise<void> {
    const [user] = await this.database.query<{ readonly user_id: string; readonly username: string }[]>(
      `SELECT user_id, username FROM user_identities JOIN users USING (user_id) WHERE issuer = $1 AND subject = $2`,
      [issuer, subject],
    );
    if (user === undefined) return;
    await this.database.transaction(async (manager) => {
      // Those of browsers whose second factor is awaited: the others go with their sessions.
      await manager.query('DELETE FROM identity_sessions WHERE user_id = $1 AND session_id IS NULL', [
        user.user_id,
      ]);
      await this.record(manager, user.username, issuer, { sessions: 'all' });
    });
    await this.tokens.revokeAllOfUser(user.user_id);
  }

  private record(
    manager: DataSource['manager'],
    username: string,
    issuer: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record(
      manager,
      { target: { type: 'user', id: username }, details: { ...details, issuer, identity: 'logged_out' } },
      { person: null, credential: `identity:${username}` },
    );
  }
}

function refused(message: string): ApiError {
  return new ApiError(INVALID_REQUEST, `The logout token is not taken. ${message}`);
}
