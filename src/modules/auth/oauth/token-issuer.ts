import { AuthorizationServer, ErrorType, OAuthException } from '@jmondi/oauth2-server';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../../kit/config/settings.js';
import { UNAUTHORIZED_CLIENT } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { SESSION_LENGTHS } from '../tokens/session-lengths.js';
import { TOKEN_GRANTS } from './authorization-server.js';
import {
  invalidClient,
  invalidGrant,
  invalidRequest,
  invalidScope,
  type TokenRequest,
  unsupportedGrantType,
} from './token-request.js';
import type { StandardTokenResponse } from './oauth.dto.js';

const USE_A_GRANT = `Use grant_type=${TOKEN_GRANTS.join(' or ')}.`;

/** Issues tokens by the rules of RFC 6749, which the library knows. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly settings: Settings,
  ) {}

  /**
   * Issues a token to an authenticated client. The second use of a code or refresh token revokes everything that came
   * from it. Rejects with `invalid_request`, `invalid_client`, `invalid_grant`, `invalid_scope`, `unauthorized_client`,
   * `unsupported_grant_type`; with `rate_limited` if too many clients authenticate at once.
   */
  async issue(request: TokenRequest): Promise<StandardTokenResponse> {
    // The library enables grants by default that this service does not offer.
    if (!TOKEN_GRANTS.some((grant) => grant === request.grantType)) throw unsupportedGrantType(USE_A_GRANT);
    try {
      const { body } = await this.server.respondToAccessTokenRequest({
        headers: {},
        query: {},
        body: {
          grant_type: request.grantType,
          client_id: request.clientId,
          client_secret: request.clientSecret,
          scope: request.scope,
          code: request.code,
          redirect_uri: request.redirectUri,
          code_verifier: request.codeVerifier,
          refresh_token: request.refreshToken,
        },
      });
      const refreshToken = body.refresh_token as string | undefined;
      return {
        access_token: body.access_token as string,
        token_type: 'Bearer',
        expires_in: this.settings.get(SESSION_LENGTHS).accessTokenSeconds,
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        scope: body.scope as string,
      };
    } catch (error) {
      throw error instanceof OAuthException ? apiErrorOf(error, request) : error;
    }
  }
}

/** Translates the library's refusals; other errors pass unchanged. */
function apiErrorOf(error: OAuthException, request: TokenRequest): Error {
  switch (error.errorType) {
    case ErrorType.InvalidClient:
      return invalidClient();
    case ErrorType.InvalidScope:
    case ErrorType.UnauthorizedScope:
      return invalidScope();
    case ErrorType.UnauthorizedClient:
      return new ApiError(UNAUTHORIZED_CLIENT, 'This client is not registered for this grant_type.');
    case ErrorType.UnsupportedGrantType:
      return unsupportedGrantType(USE_A_GRANT);
    case ErrorType.InvalidGrant:
      return invalidGrant();
    case ErrorType.InvalidRequest:
      // Incomplete requests were refused earlier. What the library still calls invalid is a code or refresh token with
      // another client, redirect_uri or verifier.
      return request.grantType === 'client_credentials'
        ? invalidRequest('A field is missing or malformed; see RFC 6749, section 4.4.2.')
        : invalidGrant();
    default:
      return error;
  }
}
