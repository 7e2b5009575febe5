import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { HeldCredential } from '../../../kit/security/authenticator.js';
import type { LogInMethod, Principal, ProvedBy } from '../../../kit/security/principal.js';
import { clientKeyOf } from '../clients/oauth-clients.service.js';
import { UserStatus, principalKeyOf } from '../../users/user.entity.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { hasSecondFactor } from './has-second-factor.js';
import { holdsRoleIn } from './holds-role.js';
import { PrincipalAccounts } from '../../accounts/owners/principal-accounts.js';
import type { Credential } from '../../../kit/security/credential-cache.js';

interface TokenRow {
  readonly token_hash: string;
  readonly client_id: string | null;
  /** The account owner of the client; null without one. */
  readonly account_owner: string | null;
  readonly owner_user_id: string | null;
  /** The user at the top of who made the client's owner, or the user. */
  readonly root_user_id: string | null;
  readonly user_id: string | null;
  readonly grant_id: string | null;
  readonly session_id: string | null;
  readonly username: string | null;
  readonly scopes: readonly string[];
  readonly login_method: LogInMethod | null;
  readonly proved_by: ProvedBy | null;
  readonly proved_at: Date | null;
  readonly has_second_factor: boolean;
  readonly issued_at: Date;
  readonly expires_at: Date;
}

interface TicketRow {
  readonly ticket_hash: string;
  /** Of the token that created it; null if a key did. */
  readonly token_hash: string | null;
  readonly key_hash: string | null;
  readonly signing_key: string | null;
  readonly expires_at: Date;
}

/** Reads tokens and tickets by their digests. Credentials of locked or closed users are not found. */
@Injectable()
export class CredentialStore {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: PrincipalAccounts,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Access tokens. A token's scopes are limited to its client's current scopes, and a role of operators needs a user who
   * holds it, with a second factor where operators need one.
   */
  async findTokens(digests: readonly string[]): Promise<ReadonlyMap<string, Credential>> {
    const rows = await this.database.query<TokenRow[]>(
      `SELECT token.token_hash, token.client_id, client.account_owner, client.owner_user_id,
              CASE WHEN token.user_id IS NULL THEN owner.creation_root_id ELSE holder.creation_root_id END AS root_user_id,
              token.user_id, token.grant_id, token.session_id, holder.username, token.expires_at, token.login_method, token.issued_at,
              session.proved_by, session.proved_at, factors.are_enrolled AS has_second_factor,
              ARRAY(SELECT scope FROM unnest(token.scopes) scope
                     WHERE (client.scopes IS NULL OR scope = ANY(client.scopes))
                       AND (scope <> ALL($4::text[]) OR token.user_id IS NULL
                            OR ${holdsRoleIn('holder', 'scope', 'identity.session_id IS NOT NULL')}
                               AND (factors.are_enrolled OR coalesce(identity.has_second_factor, false) OR NOT $3))) AS scopes
         FROM oauth_tokens token
         LEFT JOIN oauth_clients client USING (client_id)
         LEFT JOIN users owner ON owner.user_id = client.owner_user_id
         LEFT JOIN users holder ON holder.user_id = token.user_id
         LEFT JOIN sessions session ON session.session_id = token.session_id
         LEFT JOIN identity_sessions identity ON identity.session_id = token.session_id
        CROSS JOIN LATERAL (SELECT ${hasSecondFactor('token.user_id')} AS are_enrolled) factors
        WHERE token.token_hash = ANY($1)
          AND coalesce(owner.user_status, $2) = $2 AND coalesce(holder.user_status, $2) = $2`,
      [digests, UserStatus.active, this.config.operatorsNeedSecondFactor, this.scopes.roles],
    );
    const entries = rows.map(async (row): Promise<[string, Credential]> => [
      row.token_hash,
      {
        answer: await this.principalOfToken(row),
        expiresAtMs: row.expires_at.getTime(),
        heldBy: holdersOf(row),
      },
    ]);
    return new Map(await Promise.all(entries));
  }

  /** Stream tickets, and the credentials behind them. */
  async findTickets(digests: readonly string[]): Promise<ReadonlyMap<string, Credential<HeldCredential>>> {
    const rows = await this.database.query<TicketRow[]>(
      `SELECT ticket_hash, token_hash, key_hash, signing_key, expires_at
         FROM stream_tickets WHERE ticket_hash = ANY($1)`,
      [digests],
    );
    return new Map(
      rows.map((row) => [
        row.ticket_hash,
        { answer: heldOf(row), expiresAtMs: row.expires_at.getTime(), heldBy: [] },
      ]),
    );
  }

  /** A token with a user acts for the user, whichever client got it. */
  private async principalOfToken(row: TokenRow): Promise<Principal> {
    if (row.user_id !== null) {
      const key = principalKeyOf({ userId: row.user_id });
      const user = await this.principal('user', row.username as string, key, key, row);
      const held = { ...user, hasSecondFactor: row.has_second_factor, ...sessionOf(row) };
      if (row.client_id !== null) return { ...held, delegatedTo: row.client_id };
      if (row.login_method === null) return held;
      return { ...held, login: { method: row.login_method, at: row.issued_at } };
    }
    const clientId = row.client_id as string;
    return this.principal('client', clientId, clientKeyOf(clientId), row.account_owner as string, row);
  }

  private async principal(
    kind: 'user' | 'client',
    id: string,
    key: string,
    accountOwner: string,
    { scopes, root_user_id: rootId }: TokenRow,
  ): Promise<Principal> {
    const accountId = await this.accounts.accountOf(accountOwner);
    const principal = { kind, key, id, accountOwner, accountId, scopes: new Set(scopes) };
    return rootId === null
      ? principal
      : { ...principal, registrationRoot: principalKeyOf({ userId: rootId }) };
  }
}

function sessionOf({ session_id: sessionId, proved_by: by, proved_at: at }: TokenRow): Partial<Principal> {
  if (sessionId === null) return {};
  return by === null || at === null ? { sessionId } : { sessionId, proof: { by, at } };
}

function heldOf({ token_hash, key_hash, signing_key }: TicketRow): HeldCredential {
  if (token_hash !== null) return { scheme: 'bearer', digest: token_hash };
  if (key_hash !== null) return { scheme: 'api_key', digest: key_hash };
  return { scheme: 'signature', digest: signing_key as string };
}

function holdersOf(row: TokenRow): string[] {
  const client = row.client_id === null ? [] : [clientKeyOf(row.client_id)];
  const grant = row.grant_id === null ? [] : [grantKeyOf(row.grant_id)];
  const session = row.session_id === null ? [] : [sessionKeyOf(row.session_id)];
  return [...client, ...grant, ...session, ...userKeys(row.owner_user_id), ...userKeys(row.user_id)];
}

/** The holder key of a session. */
export function sessionKeyOf(sessionId: string): string {
  return `session:${sessionId}`;
}

/** The holder key of a grant. */
export function grantKeyOf(grantId: string): string {
  return `grant:${grantId}`;
}

function userKeys(userId: string | null): string[] {
  return userId === null ? [] : [principalKeyOf({ userId })];
}
