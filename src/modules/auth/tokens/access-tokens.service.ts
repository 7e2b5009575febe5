import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import type { LogInMethod } from '../../../kit/security/principal.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { clientKeyOf } from '../clients/oauth-clients.service.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { digestOf } from '../secrets/secrets.js';
import { OAuthTokenEntity } from './oauth-token.entity.js';

/** At least one of client and user holds the token. */
export interface NewAccessToken {
  readonly token: string;
  /** Null for a session of a logged-in user. */
  readonly clientId: string | null;
  /** Null for a client that acts in its own name. */
  readonly userId: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  /** How the user has just logged in, for a session. */
  readonly loginMethod?: LogInMethod;
  readonly sessionId?: string;
}

/** Expired rows; a grant goes with everything that came from it. */
export const EXPIRED_TOKENS: readonly PurgedRows[] = (
  [
    ['oauth_tokens', 'token_hash'],
    ['oauth_grants', 'grant_id'],
    ['refresh_tokens', 'token_hash'],
    ['login_sessions', 'session_hash'],
    ['sessions', 'session_id'],
    ['stream_tickets', 'ticket_hash'],
    ['passkey_challenges', 'challenge_hash'],
  ] as const
).map(([table, key]) => ({ table, key: [key], over: 'expires_at < now()', orderBy: 'expires_at' }));

/** Those that no session began with; all others go with their sessions. */
export const UNUSED_IDENTITY_SESSIONS: PurgedRows = {
  table: 'identity_sessions',
  key: ['identity_session_id'],
  over: 'session_id IS NULL AND expires_at < now()',
  orderBy: 'expires_at',
};

/** Issued access tokens: opaque texts, stored as digests. */
@Injectable()
export class AccessTokensService {
  constructor(
    @InjectRepository(OAuthTokenEntity) private readonly tokens: Repository<OAuthTokenEntity>,
    private readonly authenticator: CredentialAuthenticator,
  ) {}

  async store(
    { token, clientId, userId, scopes, expiresAt, loginMethod, sessionId }: NewAccessToken,
    manager: EntityManager = this.tokens.manager,
  ): Promise<void> {
    await manager.insert(OAuthTokenEntity, {
      tokenHash: digestOf(token),
      clientId,
      userId,
      grantId: null,
      scopes: [...scopes],
      loginMethod: loginMethod ?? null,
      sessionId: sessionId ?? null,
      issuedAt: new Date(),
      expiresAt,
    });
  }

  /**
   * Revokes a token: at once in this process, within a second in others. An unknown token is no error. Ending a session
   * also logs the user out of the authorization endpoint. `also` runs in the same transaction.
   */
  async revoke(token: string, also?: (manager: EntityManager) => Promise<void>): Promise<void> {
    const tokenHash = digestOf(token);
    await this.tokens.manager.transaction(async (manager) => {
      await manager.query(
        `WITH ended AS (
           DELETE FROM oauth_tokens WHERE token_hash = $1 RETURNING client_id, user_id, session_id),
         logged_out AS (
           DELETE FROM login_sessions login USING ended
            WHERE login.user_id = ended.user_id AND ended.client_id IS NULL)
         DELETE FROM sessions session USING ended
          WHERE session.session_id = ended.session_id AND ended.client_id IS NULL`,
        [tokenHash],
      );
      await also?.(manager);
    });
    this.authenticator.forgetToken(tokenHash);
  }

  /**
   * Revokes everything that a user logged in to or granted: sessions, clients' access and refresh tokens, log-ins at
   * the authorization endpoint. `exceptToken` stays with its grant and its browser, for a password change in a session.
   * Tokens that the user's own clients and keys hold in their own name stay too.
   */
  async revokeAllOfUser(userId: string, exceptToken?: string): Promise<void> {
    const kept = exceptToken === undefined ? null : digestOf(exceptToken);
    await this.tokens.manager.transaction(async (transaction) => {
      // Lock grants first, as every exchange and revocation does, to avoid deadlocks.
      await transaction.query(
        `DELETE FROM oauth_grants WHERE user_id = $1 AND grant_id IS DISTINCT FROM
           (SELECT grant_id FROM oauth_tokens WHERE token_hash = $2)`,
        [userId, kept],
      );
      await transaction.query(
        'DELETE FROM oauth_tokens WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2',
        [userId, kept],
      );
      await transaction.query(
        `DELETE FROM login_sessions WHERE user_id = $1 AND NOT EXISTS
           (SELECT FROM oauth_tokens WHERE token_hash = $2 AND session_id = login_sessions.session_id)`,
        [userId, kept],
      );
      await transaction.query(
        `DELETE FROM sessions WHERE user_id = $1 AND session_id IS DISTINCT FROM
           (SELECT session_id FROM oauth_tokens WHERE token_hash = $2)`,
        [userId, kept],
      );
    });
    this.authenticator.forgetAllOf(principalKeyOf({ userId }));
  }

  /** Revokes the tokens that the clients of a user got in their own name; other users' grants to them stay. */
  async revokeOwnOfClientsOf(ownerUserId: string): Promise<void> {
    await this.tokens.query(
      `DELETE FROM oauth_tokens WHERE user_id IS NULL
         AND client_id IN (SELECT client_id FROM oauth_clients WHERE owner_user_id = $1)`,
      [ownerUserId],
    );
    this.authenticator.forgetAllOf(principalKeyOf({ userId: ownerUserId }));
  }

  /** Revokes all tokens of a client, in its own name and in that of users. */
  async revokeAllOfClient(clientId: string): Promise<void> {
    await this.tokens.manager.transaction(async (transaction) => {
      await transaction.query('DELETE FROM oauth_grants WHERE client_id = $1', [clientId]);
      await transaction.query('DELETE FROM oauth_tokens WHERE client_id = $1', [clientId]);
    });
    this.authenticator.forgetAllOf(clientKeyOf(clientId));
  }
}
