/** The form of a token request; both token routes read it by the rules of RFC 6749, not of class-validator. */
export class TokenRequestDto {
  /**
   * How the client proves its right to a token.
   * @example client_credentials
   */
  grant_type: string;

  /**
   * The id of the client.
   * @example demo
   */
  client_id: string;

  /**
   * The secret of the client.
   * @example demo-secret
   */
  client_secret: string;

  /**
   * The scopes asked for, separated by spaces; without it, all that the client has.
   * @example markets:trade account:read
   */
  scope?: string;
}

/** An issued access token (RFC 6749, 5.1). */
export class TokenResponse {
  /** Send it as `Authorization: Bearer <access_token>`. */
  access_token: string;

  /** Always `Bearer`. */
  token_type: string;

  /**
   * Seconds until the token stops working.
   * @example 3600
   */
  expires_in: number;

  /**
   * The scopes that the token has, separated by spaces.
   * @example markets:trade account:read
   */
  scope: string;
}

/** A refused token request (RFC 6749, 5.2). */
export class OAuthErrorResponse {
  /** @example invalid_client */
  error: string;

  /** What to do about it. */
  error_description: string;
}

/** Metadata of the authorization server (RFC 8414). */
export class AuthorizationServerMetadata {
  issuer: string;
  token_endpoint: string;
  token_endpoint_auth_methods_supported: string[];
  grant_types_supported: string[];
  response_types_supported: string[];
  scopes_supported: string[];
  service_documentation: string;
}
