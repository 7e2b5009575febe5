import { OmitType } from '@nestjs/swagger';

/** The form of a token request; its rules are those of RFC 6749, so it is not class-validator that reads it. */
export class TokenRequestDto {
  /**
   * How the client proves its right to a token.
   * @example client_credentials
   */
  grant_type: 'client_credentials';

  /** @example demo */
  client_id: string;

  /** @example demo-secret */
  client_secret: string;

  /**
   * The scopes asked for, separated by spaces; without it, all that the client has.
   * @example markets:trade account:read
   */
  scope?: string;
}

/** A token request whose client may also prove itself in the header `Authorization`. */
export class StandardTokenRequestDto extends OmitType(TokenRequestDto, ['client_id', 'client_secret']) {
  /** @example demo */
  client_id?: string;

  /** @example demo-secret */
  client_secret?: string;
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
