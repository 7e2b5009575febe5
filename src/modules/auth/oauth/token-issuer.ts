import { AuthorizationServer, DateInterval, ErrorType, OAuthException } from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/http/errors.js';
import { ClientRepository } from './client.repository.js';
import { OpaqueTokens } from './opaque-tokens.js';
import { ScopeRepository } from './scope.repository.js';
import { TokenRepository } from './token.repository.js';
import { invalidClient, invalidRequest, invalidScope, type TokenRequest } from './token-request.js';
import type { TokenResponse } from './oauth.dto.js';

/** The grants that the token endpoints serve, which the metadata advertise. */
export const TOKEN_GRANTS = ['client_credentials'] as const;

const ACCESS_TOKEN_LIFETIME_S = 3_600;

/** Issues access tokens by the rules of RFC 6749, which the library knows. */
@Injectable()
export class TokenIssuer {
  private readonly server: AuthorizationServer;

  constructor(clients: ClientRepository, tokens: TokenRepository, scopes: ScopeRepository) {
    this.server = new AuthorizationServer(clients, tokens, scopes, new OpaqueTokens());
    const lifetime = new DateInterval(`${ACCESS_TOKEN_LIFETIME_S}s`);
    for (const grant of TOKEN_GRANTS) this.server.enableGrantType(grant, lifetime);
  }

  /**
   * Issues a token to a client that proves itself.
   * Rejects with `invalid_request`, `invalid_client`, `invalid_scope`, `unauthorized_client`,
   * `unsupported_grant_type`; with `rate_limited` when too many clients prove themselves at once.
   */
  async issue(request: TokenRequest): Promise<TokenResponse> {
    // The library enables grants of its own accord that are not offered here.
    if (!TOKEN_GRANTS.some((grant) => grant === request.grantType)) throw unsupportedGrantType();
    try {
      const { body } = await this.server.respondToAccessTokenRequest({
        headers: {},
        query: {},
        body: {
          grant_type: request.grantType,
          client_id: request.clientId,
          client_secret: request.clientSecret,
          scope: request.scope,
        },
      });
      return {
        access_token: body.access_token as string,
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_LIFETIME_S,
        scope: body.scope as string,
      };
    } catch (error) {
      throw error instanceof OAuthException ? apiErrorOf(error) : error;
    }
  }
}

/** The library's refusals in our words; what it did not mean as a refusal stays what it is. */
function apiErrorOf(error: OAuthException): Error {
  switch (error.errorType) {
    case ErrorType.InvalidClient:
      return invalidClient();
    case ErrorType.InvalidScope:
    case ErrorType.UnauthorizedScope:
      return invalidScope();
    case ErrorType.UnauthorizedClient:
      return new ApiError('unauthorized_client', 'This client is not registered for this grant_type.');
    case ErrorType.UnsupportedGrantType:
      return unsupportedGrantType();
    case ErrorType.InvalidRequest:
      return invalidRequest('A field is missing or malformed; see RFC 6749, section 4.4.2.');
    default:
      return error;
  }
}

function unsupportedGrantType(): ApiError {
  return new ApiError('unsupported_grant_type', `Use grant_type=${TOKEN_GRANTS.join(' or ')}.`);
}
