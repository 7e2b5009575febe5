import { IntersectionType, OmitType } from '@nestjs/swagger';
import type { TokenGrant } from './authorization-server.js';

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

/** Where a client proves itself in the form; it may do so in the header `Authorization` instead. */
class ClientFieldsDto {
  /** @example demo */
  client_id?: string;

  /** @example demo-secret */
  client_secret?: string;
}

/** A token request by any grant. */
export class StandardTokenRequestDto extends IntersectionType(
  OmitType(TokenRequestDto, ['grant_type', 'client_id', 'client_secret']),
  ClientFieldsDto,
) {
  /**
   * How the client proves its right to a token.
   * @example client_credentials
   */
  grant_type: TokenGrant;

  /** With `authorization_code`: the code, good once and for 60 seconds. */
  code?: string;

  /** With `authorization_code`: where the code was sent, exactly as it was asked for. */
  redirect_uri?: string;

  /** With `authorization_code`: what the `code_challenge` was made from (RFC 7636). */
  code_verifier?: string;

  /** With `refresh_token`: good once; the answer has its successor. */
  refresh_token?: string;
}

/** A request about a token that the client was issued. */
export class TokenManagementRequestDto extends ClientFieldsDto {
  /**
   * An access token or a refresh token.
   * @example tpa_unknown
   */
  token: string;

  /** Taken and not needed: a token is recognised whatever it is said to be. */
  token_type_hint?: string;
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

/** Issued tokens (RFC 6749, 5.1). */
export class StandardTokenResponse extends TokenResponse {
  /** Only for a user's grant to a client that may refresh: good once, for 30 days. */
  refresh_token?: string;
}

/** What a token is good for at this moment (RFC 7662, 2.2). */
export class IntrospectionResponse {
  /** Whether the token works. If not, nothing else is told. */
  active: boolean;

  /**
   * What it may do, separated by spaces.
   * @example read:pets write:pets
   */
  scope?: string;

  /** @example petstore-ui */
  client_id?: string;

  /**
   * The user whom the client acts for; absent where it acts in its own name.
   * @example alice
   */
  username?: string;

  /** `Bearer`; absent for a refresh token. */
  token_type?: string;

  /** When it expires, in seconds since 1970. */
  exp?: number;

  /** When it was issued, in seconds since 1970; absent for a refresh token. */
  iat?: number;

  /** Whom it acts for, as a key among all principals: `user:7`, `client:demo`. */
  sub?: string;

  /** The issuer. */
  iss?: string;
}

/** Who the caller is, as the credential of the request says. */
export class UserInfo {
  /** A key among all principals: `user:7`, `client:demo`. */
  sub: string;

  /**
   * The user who calls, or whom a client acts for; null for a client or a key in its own name.
   * @example alice
   */
  username: string | null;

  /**
   * What the credential may do, separated by spaces; `admin` only for operators.
   * @example markets:trade account:read
   */
  scope: string;

  /**
   * The account used where a request names none; null for principals without money.
   * @example acc_00000000001
   */
  account_id: string | null;
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
  authorization_endpoint: string;
  token_endpoint: string;
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint: string;
  revocation_endpoint_auth_methods_supported: string[];
  introspection_endpoint: string;
  introspection_endpoint_auth_methods_supported: string[];
  grant_types_supported: string[];
  response_types_supported: string[];
  response_modes_supported: string[];
  code_challenge_methods_supported: string[];
  /** Every answer of the authorization endpoint names its issuer as `iss` (RFC 9207). */
  authorization_response_iss_parameter_supported: boolean;
  scopes_supported: string[];
  service_documentation: string;
}
