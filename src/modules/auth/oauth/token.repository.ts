import type { OAuthClient, OAuthScope, OAuthToken, OAuthTokenRepository } from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { newSecret } from '../secrets.js';
import { AccessTokensService } from '../tokens/access-tokens.service.js';

/** Stores what the library issues. Refresh tokens are not issued. */
@Injectable()
export class TokenRepository implements OAuthTokenRepository {
  constructor(private readonly tokens: AccessTokensService) {}

  /** The library itself sets the time of expiry, by the grant's lifetime, before it persists the token. */
  issueToken(client: OAuthClient, scopes: OAuthScope[]): Promise<OAuthToken> {
    return Promise.resolve({
      accessToken: newSecret('tpa'),
      accessTokenExpiresAt: new Date(),
      client,
      scopes,
    });
  }

  persist(token: OAuthToken): Promise<void> {
    return this.tokens.store({
      token: token.accessToken,
      clientId: token.client.id,
      userId: null,
      scopes: token.scopes.map((scope) => scope.name),
      expiresAt: token.accessTokenExpiresAt,
    });
  }

  revoke(token: OAuthToken): Promise<void> {
    return this.tokens.revoke(token.accessToken);
  }

  issueRefreshToken(): Promise<OAuthToken> {
    return Promise.reject(new Error('refresh tokens are not issued'));
  }

  isRefreshTokenRevoked(): Promise<boolean> {
    return Promise.resolve(true);
  }

  getByRefreshToken(): Promise<OAuthToken> {
    return Promise.reject(new Error('refresh tokens are not issued'));
  }
}
