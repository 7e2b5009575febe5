import {
  OAuthException,
  type OAuthClient,
  type OAuthScope,
  type OAuthToken,
  type OAuthTokenRepository,
  type OAuthUser,
} from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { newSecret } from '../secrets/secrets.js';
import { AccessTokensService, type NewAccessToken } from '../tokens/access-tokens.service.js';
import { SESSION_LENGTHS } from '../tokens/session-lengths.js';
import { GrantsService, type LiveGrant } from '../tokens/grants.service.js';
import { IdentityRenewals } from '../identity/identity-renewals.js';

/**
 * Stores the library's tokens. The library would store a token and revoke what it was exchanged for in separate steps,
 * which leaves a race. Here `persist` does both atomically; `originatingAuthCodeId` holds the exchanged code or refresh
 * token.
 */
@Injectable()
export class TokenRepository implements OAuthTokenRepository {
  constructor(
    private readonly tokens: AccessTokensService,
    private readonly grants: GrantsService,
    private readonly renewals: IdentityRenewals,
    private readonly settings: Settings,
    @InjectDataSource() private readonly database: DataSource,
  ) {}

  /** The library sets the expiry by the grant's lifetime before it persists the token. */
  issueToken(client: OAuthClient, scopes: OAuthScope[], user?: OAuthUser | null): Promise<OAuthToken> {
    return Promise.resolve({
      accessToken: newSecret('tpa'),
      accessTokenExpiresAt: new Date(),
      client,
      user: user ?? null,
      scopes,
    });
  }

  /** Throws `invalid_grant` if the code or refresh token is no longer valid. */
  async persist(token: OAuthToken): Promise<void> {
    const scopes = token.scopes.map((scope) => scope.name);
    const exchanged = token.originatingAuthCodeId;
    if (exchanged === undefined) {
      const userId = token.user ? String(token.user.id) : null;
      const { accessToken, accessTokenExpiresAt: expiresAt, client } = token;
      await this.store({ token: accessToken, clientId: client.id, userId, scopes, expiresAt });
      return;
    }
    const { refreshTokenSeconds } = this.settings.get(SESSION_LENGTHS);
    const refreshToken = token.client.allowedGrants.includes('refresh_token') ? newSecret('tpr') : null;
    const issued = {
      accessToken: token.accessToken,
      accessTokenExpiresAt: token.accessTokenExpiresAt,
      scopes,
      refreshToken,
      refreshTokenExpiresAt: new Date(Date.now() + refreshTokenSeconds * 1_000),
    };
    const isDone = isRefreshToken(exchanged)
      ? await this.grants.rotateRefreshToken(exchanged, issued)
      : await this.grants.redeemCode(exchanged, issued);
    if (!isDone) throw await this.refuse(exchanged);
    token.refreshToken = refreshToken;
  }

  /** A user's token without a code comes from the implicit flow: it is stored with the user's consent. */
  private async store(token: NewAccessToken): Promise<void> {
    const { userId, clientId, scopes } = token;
    if (userId === null || clientId === null) {
      await this.tokens.store(token);
      return;
    }
    await this.database.transaction(async (manager) => {
      await this.tokens.store(token, manager);
      await this.grants.recordConsent(manager, { userId, clientId, scopes });
    });
  }

  /**
   * The refusal of a code or refresh token. A second use by anyone shows that it was stolen, and revokes everything of
   * its grant (RFC 6749, 4.1.2; RFC 9700, 4.14.2).
   */
  async refuse(exchanged: string): Promise<OAuthException> {
    if (isRefreshToken(exchanged)) await this.grants.endByUsedRefreshToken(exchanged);
    else await this.grants.endByUsedCode(exchanged);
    return OAuthException.invalidGrant();
  }

  /** `persist` has done this. */
  issueRefreshToken(token: OAuthToken): Promise<OAuthToken> {
    return Promise.resolve(token);
  }

  /** Throws `invalid_grant` for a refresh token that is unknown, expired or used, and as `IdentityRenewals.renew`. */
  async getByRefreshToken(refreshToken: string): Promise<OAuthToken> {
    const grant = await this.findVouchedFor(refreshToken);
    if (grant === null) throw await this.refuse(refreshToken);
    return {
      accessToken: '',
      accessTokenExpiresAt: grant.expiresAt,
      refreshToken,
      refreshTokenExpiresAt: grant.expiresAt,
      client: clientReference(grant.clientId),
      user: { id: grant.userId },
      scopes: grant.scopes.map((name) => ({ name })),
      originatingAuthCodeId: refreshToken,
    };
  }

  /** With the scopes that the provider, if one began the session, leaves to its user now. */
  private async findVouchedFor(refreshToken: string): Promise<LiveGrant | null> {
    const grant = await this.grants.findByRefreshToken(refreshToken);
    if (grant?.sessionId == null) return grant;
    await this.renewals.renew(grant.sessionId);
    return this.grants.findByRefreshToken(refreshToken);
  }

  /** `getByRefreshToken` finds no revoked token. */
  isRefreshTokenRevoked(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** The library calls this for a refresh token whose successor it is about to persist, which revokes it. */
  revoke(): Promise<void> {
    return Promise.resolve();
  }
}

function isRefreshToken(exchanged: string): boolean {
  return exchanged.startsWith('tpr_');
}

/** The part of a client that the library compares. */
export function clientReference(clientId: string): OAuthClient {
  return { id: clientId, name: '', redirectUris: [], allowedGrants: [], scopes: [] };
}
