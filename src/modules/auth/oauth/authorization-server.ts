import { AuthorizationServer, DateInterval } from '@jmondi/oauth2-server';
import type { FactoryProvider } from '@nestjs/common';
import { AuthCodeRepository } from './auth-code.repository.js';
import { ClientRepository } from './client.repository.js';
import { OpaqueTokens } from './opaque-tokens.js';
import { ScopeRepository } from './scope.repository.js';
import { TokenRepository } from './token.repository.js';
import { UserRepository } from './user.repository.js';

/** The grants that the token endpoints serve, which the metadata advertise. */
export const TOKEN_GRANTS = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type TokenGrant = (typeof TOKEN_GRANTS)[number];

export const ACCESS_TOKEN_LIFETIME_S = 3_600;

/**
 * The library that knows the rules of RFC 6749 and 7636, on our tables. PKCE is asked of every client, as
 * OAuth 2.1 does: where there is no code without a challenge, nobody can leave the challenge out on another's behalf.
 */
export const authorizationServerProvider: FactoryProvider<AuthorizationServer> = {
  provide: AuthorizationServer,
  inject: [ClientRepository, TokenRepository, ScopeRepository, AuthCodeRepository, UserRepository],
  useFactory: (
    clients: ClientRepository,
    tokens: TokenRepository,
    scopes: ScopeRepository,
    authCodeRepository: AuthCodeRepository,
    userRepository: UserRepository,
  ) => {
    const server = new AuthorizationServer(clients, tokens, scopes, new OpaqueTokens(), {
      requiresPKCE: true,
      requiresS256: true,
      implicitRedirectMode: 'fragment',
      useOpaqueAuthorizationCodes: true,
      useOpaqueRefreshTokens: true,
    });
    const lifetime = new DateInterval(`${ACCESS_TOKEN_LIFETIME_S}s`);
    server.enableGrantType('client_credentials', lifetime);
    server.enableGrantType('refresh_token', lifetime);
    server.enableGrantType('implicit', lifetime);
    server.enableGrantType({ grant: 'authorization_code', authCodeRepository, userRepository }, lifetime);
    return server;
  },
};
