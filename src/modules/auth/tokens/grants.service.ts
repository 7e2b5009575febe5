import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import type { Row } from '../../../kit/database/rows.js';
import { CONSOLE_CLIENT_ID } from '../../../kit/security/principal.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { principalKeyOf, UserStatus } from '../../users/user.entity.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { holdsRoleIn } from '../credentials/holds-role.js';
import { grantKeyOf } from '../credentials/credential-store.js';
import { digestOf } from '../secrets/secrets.js';
import type { GrantEntity } from './grant.entity.js';
import { deleteSessions } from './session-rows.js';

export interface NewGrant {
  readonly code: string;
  readonly codeExpiresAt: Date;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Of PKCE, by S256. */
  readonly codeChallenge: string;
  readonly redirectUri: string;
  /** The log-in that it belongs to and ends with; null for a grant that outlives it. */
  readonly sessionId: string | null;
}

/** A grant with a valid code or refresh token. */
export interface LiveGrant {
  readonly clientId: string;
  readonly userId: string;
  readonly username: string;
  /** The granted scopes that client and user still have; never empty. */
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  readonly redirectUri: string;
  /** The log-in that it belongs to; null where it outlives it. */
  readonly sessionId: string | null;
  /** When the code or refresh token that it was found by expires. */
  readonly expiresAt: Date;
}

/** What a code or refresh token is exchanged for. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly accessTokenExpiresAt: Date;
  readonly scopes: readonly string[];
  /** Null for a client that may not refresh. */
  readonly refreshToken: string | null;
  readonly refreshTokenExpiresAt: Date;
}

type EndedGrantRow = Row<GrantEntity, 'grantId' | 'clientId' | 'userId' | 'scopes' | 'sessionId'>;

interface GrantRow extends Row<
  GrantEntity,
  'clientId' | 'userId' | 'scopes' | 'codeChallenge' | 'redirectUri' | 'sessionId' | 'expiresAt'
> {
  readonly username: string;
}

const IS_BY_IDENTITY = 'EXISTS (SELECT FROM identity_sessions WHERE session_id = given.session_id)';

/**
 * The end of a SELECT for the current state of a grant, up to its WHERE. A locked or closed user's grants are not
 * found. Its parameter $3 has all roles of operators.
 */
const LIVE_GRANT = `
  given.client_id, given.user_id, holder.username, given.code_challenge, given.redirect_uri, given.session_id,
  ARRAY(SELECT scope FROM unnest(given.scopes) scope
         WHERE scope = ANY(client.scopes) AND (scope <> ALL($3::text[]) OR ${holdsRoleIn('holder', 'scope', IS_BY_IDENTITY)})) AS scopes
  FROM oauth_grants given
  JOIN oauth_clients client USING (client_id)
  JOIN users holder ON holder.user_id = given.user_id AND holder.user_status = ${UserStatus.active}`;

/**
 * Users' grants to clients. A code and each refresh token can be exchanged once: one statement takes it and stores the
 * new tokens, so that of concurrent attempts one succeeds.
 *
 * Every statement locks the grant before its tokens, to avoid deadlocks.
 */
@Injectable()
export class GrantsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
    private readonly scopes: ScopeCatalogue,
  ) {}

  async store(grant: NewGrant): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO oauth_grants
         (grant_id, client_id, user_id, scopes, code_hash, code_challenge, redirect_uri, granted_at, code_expires_at, expires_at, session_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, (SELECT session_id FROM sessions WHERE session_id = $10))`,
        [
          randomUUID(),
          grant.clientId,
          grant.userId,
          grant.scopes,
          digestOf(grant.code),
          grant.codeChallenge,
          grant.redirectUri,
          new Date(),
          grant.codeExpiresAt,
          grant.sessionId,
        ],
      );
      await this.recordConsent(manager, grant);
    });
  }

  /** The grant of a code; null if it is unknown, expired, used, or has no scopes left. */
  async findByCode(code: string): Promise<LiveGrant | null> {
    const [row] = await this.database.query<GrantRow[]>(
      `SELECT given.code_expires_at AS expires_at, ${LIVE_GRANT}
        WHERE given.code_hash = $1 AND given.code_redeemed_at IS NULL AND given.code_expires_at > $2`,
      [digestOf(code), new Date(), this.scopes.roles],
    );
    return liveGrantOf(row);
  }

  /** As `findByCode`, for a refresh token. */
  async findByRefreshToken(refreshToken: string): Promise<LiveGrant | null> {
    const [row] = await this.database.query<GrantRow[]>(
      `SELECT refresh.expires_at, ${LIVE_GRANT}
         JOIN refresh_tokens refresh USING (grant_id)
        WHERE refresh.token_hash = $1 AND refresh.rotated_at IS NULL AND refresh.expires_at > $2`,
      [digestOf(refreshToken), new Date(), this.scopes.roles],
    );
    return liveGrantOf(row);
  }

  /** Exchanges a code for tokens. Returns false and stores nothing if the code is no longer valid. */
  async redeemCode(code: string, issued: IssuedTokens): Promise<boolean> {
    const redeemed = await this.database.query<unknown[]>(
      `WITH given AS (
         UPDATE oauth_grants SET code_redeemed_at = $2, expires_at = $3
          WHERE code_hash = $1 AND code_redeemed_at IS NULL AND code_expires_at > $2
         RETURNING grant_id, client_id, user_id, session_id),
       ${ISSUE_FROM_GIVEN}
       SELECT grant_id FROM given`,
      issueParameters(code, issued),
    );
    return redeemed.length > 0;
  }

  /** As `redeemCode`, for a refresh token, of which the one in `issued` is the successor. */
  async rotateRefreshToken(refreshToken: string, issued: IssuedTokens): Promise<boolean> {
    const rotated = await this.database.query<unknown[]>(
      `WITH family AS (
         UPDATE oauth_grants SET expires_at = greatest(expires_at, $3)
          WHERE grant_id = (SELECT grant_id FROM refresh_tokens
                             WHERE token_hash = $1 AND rotated_at IS NULL AND expires_at > $2)
         RETURNING grant_id, client_id, user_id, session_id),
       given AS (
         UPDATE refresh_tokens used SET rotated_at = $2 FROM family
          WHERE used.token_hash = $1 AND used.grant_id = family.grant_id AND used.rotated_at IS NULL
         RETURNING family.*),
       ${ISSUE_FROM_GIVEN}
       SELECT grant_id FROM given`,
      issueParameters(refreshToken, issued),
    );
    return rotated.length > 0;
  }

  /** Ends the grant of a client's refresh token, with everything that came from it. An unknown token is no error. */
  async endByRefreshToken(refreshToken: string, clientId: string): Promise<void> {
    await this.end(
      `client_id = $2 AND grant_id = (SELECT grant_id FROM refresh_tokens WHERE token_hash = $1)`,
      [digestOf(refreshToken), clientId],
    );
  }

  /** Ends the grant of a code, redeemed or not; an unknown code is no error. */
  endByCode(code: string): Promise<void> {
    return this.end('code_hash = $1', [digestOf(code)]);
  }

  /** Ends the grant of an access token; does nothing for a token that came from none. */
  endByAccessToken(accessToken: string): Promise<void> {
    return this.end('grant_id = (SELECT grant_id FROM oauth_tokens WHERE token_hash = $1)', [
      digestOf(accessToken),
    ]);
  }

  /** Ends the grant of a redeemed code; does nothing for any other. */
  endByUsedCode(code: string): Promise<void> {
    return this.end('code_hash = $1 AND code_redeemed_at IS NOT NULL', [digestOf(code)]);
  }

  /** Ends the grant of a used refresh token; does nothing for any other. */
  endByUsedRefreshToken(refreshToken: string): Promise<void> {
    return this.end(
      `grant_id = (SELECT grant_id FROM refresh_tokens WHERE token_hash = $1 AND rotated_at IS NOT NULL)`,
      [digestOf(refreshToken)],
    );
  }

  /** Records a user's consent at the authorization endpoint; for the console that is the log-in. */
  async recordConsent(
    manager: EntityManager,
    grant: Pick<NewGrant, 'clientId' | 'userId' | 'scopes'>,
  ): Promise<void> {
    await this.audit.record(manager, actOn(grant), {
      person: principalKeyOf(grant),
      credential: grant.clientId === CONSOLE_CLIENT_ID ? 'login_page' : 'consent_page',
    });
  }

  /** Either the client ended it, or a code or token of it was used twice. */
  private async recordEnd(manager: EntityManager, row: EndedGrantRow): Promise<void> {
    const { client_id: clientId, user_id: userId, scopes } = row;
    const act = actOn({ clientId, scopes }, { ended: true, user: principalKeyOf({ userId }) });
    await this.audit.record(manager, act, { credential: `client:${clientId}` });
  }

  /**
   * Ends grants, and of the console's the log-ins that they belong to: as it asks nobody for consent, a log-in that went on
   * would give it a new grant.
   */
  private async end(condition: string, parameters: readonly string[]): Promise<void> {
    const ended = await this.database.transaction(async (manager) => {
      const [grants] = await manager.query<[EndedGrantRow[], number]>(
        `DELETE FROM oauth_grants
          WHERE (${condition}) OR session_id IN (SELECT session_id FROM oauth_grants WHERE ${condition})
         RETURNING grant_id, client_id, user_id, scopes, session_id`,
        [...parameters],
      );
      for (const grant of grants) await this.recordEnd(manager, grant);
      const sessions = new Set(grants.flatMap(({ session_id: id }) => (id === null ? [] : [id])));
      await deleteSessions(manager, [...sessions]);
      return grants;
    });
    for (const { grant_id: grantId } of ended) this.authenticator.forgetAllOf(grantKeyOf(grantId));
  }
}

/** The audit record of a user's consent. */
function actOn(
  grant: { readonly clientId: string; readonly scopes: readonly string[] },
  details: Act['details'] = {},
): Act {
  return { target: { type: 'client', id: grant.clientId }, details: { scopes: grant.scopes, ...details } };
}

/** Stores tokens for the one row of `given`, where there is one. Parameters as of `issueParameters`. */
const ISSUE_FROM_GIVEN = `
  access AS (
    INSERT INTO oauth_tokens (token_hash, client_id, user_id, grant_id, session_id, scopes, issued_at, expires_at)
    SELECT $4, client_id, user_id, grant_id, session_id, $5::text[], $2, $6::timestamptz FROM given),
  session AS (
    UPDATE sessions SET expires_at = greatest(expires_at, $3) FROM given
     WHERE sessions.session_id = given.session_id),
  refresh AS (
    INSERT INTO refresh_tokens (token_hash, grant_id, expires_at)
    SELECT $7::text, grant_id, $8::timestamptz FROM given WHERE $7::text IS NOT NULL)`;

function issueParameters(exchanged: string, issued: IssuedTokens): unknown[] {
  const { accessToken, accessTokenExpiresAt, scopes, refreshToken, refreshTokenExpiresAt } = issued;
  const lastExpiry = refreshToken === null ? accessTokenExpiresAt : refreshTokenExpiresAt;
  return [
    digestOf(exchanged),
    new Date(),
    lastExpiry,
    digestOf(accessToken),
    scopes,
    accessTokenExpiresAt,
    refreshToken === null ? null : digestOf(refreshToken),
    refreshTokenExpiresAt,
  ];
}

function liveGrantOf(row: GrantRow | undefined): LiveGrant | null {
  if (row === undefined || row.scopes.length === 0) return null;
  return {
    clientId: row.client_id,
    userId: row.user_id,
    username: row.username,
    scopes: row.scopes,
    codeChallenge: row.code_challenge,
    redirectUri: row.redirect_uri,
    sessionId: row.session_id,
    expiresAt: row.expires_at,
  };
}
