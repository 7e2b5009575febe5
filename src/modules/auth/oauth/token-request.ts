import { INVALID_REQUEST } from '../../../kit/http/error-codes.js';
import { INVALID_CLIENT, INVALID_GRANT, UNSUPPORTED_GRANT_TYPE, INVALID_SCOPE } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';

/** A token request in a form that is common to both endpoints. */
export interface TokenRequest {
  readonly grantType: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The requested scopes, separated by spaces; undefined for all scopes of the client. */
  readonly scope: string | undefined;
  /** These three only with `authorization_code`, which requires all of them. */
  readonly code?: string;
  readonly redirectUri?: string;
  readonly codeVerifier?: string;
  /** With `refresh_token`. */
  readonly refreshToken?: string;
}

/** The credentials of a client. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

const HOUSE_GRANT = 'client_credentials';
const FIELDS: ReadonlySet<string> = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** VSCHAR of RFC 6749, the characters of client ids and secrets. */
const CREDENTIAL_TEXT = /^[\x20-\x7e]{1,255}$/;
/** RFC 7636 (4.1). */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
export const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/**
 * Reads a form that contains the client's credentials; unknown fields are refused. Throws `invalid_request`,
 * `invalid_client`, `invalid_scope`, `unsupported_grant_type`.
 */
export function readHouseTokenRequest(form: unknown): TokenRequest {
  const fields = readFields(form);
  const grantType = fields.get('grant_type') ?? HOUSE_GRANT;
  if (grantType !== HOUSE_GRANT) {
    throw unsupportedGrantType(`Use grant_type=${HOUSE_GRANT} here; /oauth/token takes the others.`);
  }
  const unknown = [...fields.keys()].filter((name) => !FIELDS.has(name));
  if (unknown.length > 0) throw invalidRequest(`Leave out every field but ${[...FIELDS].join(', ')}.`);
  return tokenRequestOf(fields, requireClientFields(fields));
}

/**
 * Reads a form whose client is named in it or in `Authorization: Basic`, never in both. Unknown fields are ignored, as
 * RFC 6749 (3.2) requires. Throws `invalid_request`, `invalid_client`, `invalid_scope`.
 */
export function readStandardTokenRequest(form: unknown, authorization: string | undefined): TokenRequest {
  const fields = readFields(form);
  return tokenRequestOf(fields, readClient(fields, authorization));
}

/** The request of both revocation (RFC 7009) and introspection (RFC 7662). */
export interface TokenManagementRequest {
  readonly client: ClientCredentials;
  readonly token: string;
}

/**
 * Reads such a form. `token_type_hint` is ignored, since looking up both kinds is cheap. Throws `invalid_request`,
 * `invalid_client`.
 */
export function readTokenManagementRequest(
  form: unknown,
  authorization: string | undefined,
): TokenManagementRequest {
  const fields = readFields(form);
  const client = requirePossible(readClient(fields, authorization));
  const token = fields.get('token');
  if (token === undefined) throw invalidRequest('Send token.');
  return { client, token };
}

/** The client that a request names, authenticated or not; empty if none. */
export function claimedClientOf(form: unknown, authorization: string | undefined): string {
  const named = typeof form === 'object' && form !== null && 'client_id' in form ? form.client_id : undefined;
  if (typeof named === 'string') return named;
  return (authorization === undefined ? undefined : decodeBasic(authorization)?.clientId) ?? '';
}

/** Each field at most once; an empty field counts as absent, as RFC 6749 (3.2) says. */
function readFields(form: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries((form ?? {}) as Record<string, unknown>)) {
    if (typeof value !== 'string') throw invalidRequest('Send every field once.');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

function readClient(
  fields: ReadonlyMap<string, string>,
  authorization: string | undefined,
): ClientCredentials {
  if (authorization === undefined) return requireClientFields(fields);
  const credentials = readBasic(authorization);
  const named = fields.get('client_id');
  if (fields.has('client_secret') || (named !== undefined && named !== credentials.clientId)) {
    throw invalidRequest('Authenticate the client in one way only: by the header or by form fields.');
  }
  return credentials;
}

function requireClientFields(fields: ReadonlyMap<string, string>): ClientCredentials {
  const clientId = fields.get('client_id');
  if (clientId === undefined)
    throw invalidRequest('Send client_id, and client_secret where the client has one.');
  return { clientId, clientSecret: fields.get('client_secret') };
}

function readBasic(authorization: string): ClientCredentials {
  const credentials = decodeBasic(authorization);
  if (credentials === undefined) throw invalidClient();
  return credentials;
}

/** RFC 6749 (2.3.1): both halves are form-encoded before they are joined and base64-encoded. */
function decodeBasic(authorization: string): ClientCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, clientId, clientSecret] =
    /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (clientId === undefined || clientSecret === undefined) return undefined;
  try {
    return { clientId: formDecode(clientId), clientSecret: formDecode(clientSecret) };
  } catch {
    return undefined;
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function tokenRequestOf(fields: ReadonlyMap<string, string>, client: ClientCredentials): TokenRequest {
  const grantType = fields.get('grant_type');
  const scope = fields.get('scope');
  if (grantType === undefined) throw invalidRequest('Send grant_type.');
  requirePossible(client);
  if (scope !== undefined && !SCOPE_LIST.test(scope)) throw invalidScope();
  return { grantType, ...client, scope, ...readExchanged(grantType, fields) };
}

/** The code or refresh token to exchange, if the grant has one. */
function readExchanged(grantType: string, fields: ReadonlyMap<string, string>): Partial<TokenRequest> {
  if (grantType === 'refresh_token') {
    const refreshToken = fields.get('refresh_token');
    if (refreshToken === undefined) throw invalidRequest('Send refresh_token.');
    return { refreshToken };
  }
  if (grantType !== 'authorization_code') return {};
  const [code, redirectUri, codeVerifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
    fields.get(name),
  );
  if (code === undefined || redirectUri === undefined || codeVerifier === undefined) {
    throw invalidRequest('Send code, redirect_uri and code_verifier.');
  }
  if (!CODE_VERIFIER.test(codeVerifier)) {
    throw invalidRequest('A code_verifier has 43 to 128 letters, digits, -, ., _ or ~.');
  }
  return { code, redirectUri, codeVerifier };
}

/** Refuses ids and secrets that no client can have. */
function requirePossible(client: ClientCredentials): ClientCredentials {
  if (!CREDENTIAL_TEXT.test(client.clientId) || !CREDENTIAL_TEXT.test(client.clientSecret ?? 'none')) {
    throw invalidClient();
  }
  return client;
}

export function invalidRequest(message: string): ApiError {
  return new ApiError(INVALID_REQUEST, message);
}

export function invalidClient(): ApiError {
  return new ApiError(INVALID_CLIENT, 'Check the client id and the client secret.');
}

export function invalidGrant(): ApiError {
  return new ApiError(
    INVALID_GRANT,
    'The code or refresh token is unknown, expired, used or revoked, or belongs to another client, redirect_uri or code_verifier; authorize again.',
  );
}

export function unsupportedGrantType(message: string): ApiError {
  return new ApiError(UNSUPPORTED_GRANT_TYPE, message);
}

export function invalidScope(): ApiError {
  return new ApiError(
    INVALID_SCOPE,
    'Ask only for scopes that the client is registered for, separated by single spaces, or for none to get them all.',
  );
}
