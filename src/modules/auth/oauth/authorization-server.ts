import { AuthorizationServer, DateInterval } from '@jmondi/oauth2-server';
import type { FactoryProvider } from '@nestjs/common';
import { Settings } from '../../../kit/config/settings.js';
import { SESSION_LENGTHS } from '../tokens/session-lengths.js';
import { AuthCodeRepository } from './auth-code.repository.js';
import { ClientRepository } from './client.repository.js';
import { OpaqueTokens } from './opaque-tokens.js';
import { ScopeRepository } from './scope.repository.js';
import { TokenRepository } from './token.repository.js';
import { UserRepository } from './user.repository.js';

/** The grants of the token endpoints; the metadata advertises them. */
export const TOKEN_GRANTS = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type TokenGrant = (typeof TOKEN_GRANTS)[number];

/**
 * The library that implements RFC 6749 and 7636, on our tables. Every client must use PKCE, as in OAuth 2.1: if no code
 * works without a challenge, an attacker cannot omit the challenge.
 */
export const authorizationServerProvider: FactoryProvider<AuthorizationServer> = {
  provide: AuthorizationServer,
  inject: [ClientRepository, TokenRepository, ScopeRepository, AuthCodeRepository, UserRepository, Settings],
  useFactory: (
    clients: ClientRepository,
    tokens: TokenRepository,
    scopes: ScopeRepository,
    authCodeRepository: AuthCodeRepository,
    userRepository: UserRepository,
    settings: Settings,
  ) => {
    const server = new AuthorizationServer(clients, tokens, scopes, new OpaqueTokens(), {
      requiresPKCE: true,
      requiresS256: true,
      implicitRedirectMode: 'fragment',
      useOpaqueAuthorizationCodes: true,
      useOpaqueRefreshTokens: true,
    });
    const lifetime = new DateInterval(`${settings.get(SESSION_LENGTHS).accessTokenSeconds}s`);
    server.enableGrantType('client_credentials', lifetime);
    server.enableGrantType('refresh_token', lifetime);
    server.enableGrantType('implicit', lifetime);
    server.enableGrantType({ grant: 'authorization_code', authCodeRepository, userRepository }, lifetime);
    return server;
  },
};
