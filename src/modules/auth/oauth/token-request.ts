import { ApiError } from '../../../platform/http/errors.js';

/** A token request in the one form that both endpoints bring it into. */
export interface TokenRequest {
  readonly grantType: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The scopes asked for, separated by spaces; undefined for all that the client has. */
  readonly scope: string | undefined;
}

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

const FIELDS: ReadonlySet<string> = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** VSCHAR of RFC 6749: what client ids and secrets consist of. Anything else is nobody's. */
const CREDENTIAL_TEXT = /^[\x20-\x7e]{1,255}$/;
const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/**
 * Reads a form that carries everything itself; the house refuses fields that it does not know.
 * Throws `invalid_request`, `invalid_client`, `invalid_scope`.
 */
export function readHouseTokenRequest(form: unknown): TokenRequest {
  const fields = readFields(form);
  const unknown = [...fields.keys()].filter((name) => !FIELDS.has(name));
  if (unknown.length > 0) throw invalidRequest(`Leave out every field but ${[...FIELDS].join(', ')}.`);
  return tokenRequestOf(fields, requireClientFields(fields));
}

/**
 * Reads a form whose client is named in it or in `Authorization: Basic`, never in both. Fields that the
 * endpoint does not know are ignored, as RFC 6749 (3.2) demands.
 * Throws `invalid_request`, `invalid_client`, `invalid_scope`.
 */
export function readStandardTokenRequest(form: unknown, authorization: string | undefined): TokenRequest {
  const fields = readFields(form);
  if (authorization === undefined) return tokenRequestOf(fields, requireClientFields(fields));
  const credentials = readBasic(authorization);
  const named = fields.get('client_id');
  if (fields.has('client_secret') || (named !== undefined && named !== credentials.clientId)) {
    throw invalidRequest('Authenticate the client in one way only: by the header or by form fields.');
  }
  return tokenRequestOf(fields, credentials);
}

/** The client that a request says to come from, proven or not; empty where it names none. */
export function claimedClientOf(form: unknown, authorization: string | undefined): string {
  const named = typeof form === 'object' && form !== null && 'client_id' in form ? form.client_id : undefined;
  if (typeof named === 'string') return named;
  return (authorization === undefined ? undefined : decodeBasic(authorization)?.clientId) ?? '';
}

/** Each field once; an empty one counts as left out, as RFC 6749 (3.2) says. */
function readFields(form: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries((form ?? {}) as Record<string, unknown>)) {
    if (typeof value !== 'string') throw invalidRequest('Send every field once.');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

function requireClientFields(fields: ReadonlyMap<string, string>): ClientCredentials {
  const clientId = fields.get('client_id');
  if (clientId === undefined) throw invalidRequest('Send client_id and client_secret.');
  return { clientId, clientSecret: fields.get('client_secret') };
}

function readBasic(authorization: string): ClientCredentials {
  const credentials = decodeBasic(authorization);
  if (credentials === undefined) throw invalidClient();
  return credentials;
}

/** RFC 6749 (2.3.1): both halves are form-encoded before they are joined and put into base64. */
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

function tokenRequestOf(fields: ReadonlyMap<string, string>, credentials: ClientCredentials): TokenRequest {
  const { clientId, clientSecret } = credentials;
  const grantType = fields.get('grant_type');
  const scope = fields.get('scope');
  if (grantType === undefined) throw invalidRequest('Send grant_type.');
  if (!CREDENTIAL_TEXT.test(clientId) || !CREDENTIAL_TEXT.test(clientSecret ?? 'none')) throw invalidClient();
  if (scope !== undefined && !SCOPE_LIST.test(scope)) throw invalidScope();
  return { grantType, clientId, clientSecret, scope };
}

export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

export function invalidClient(): ApiError {
  return new ApiError('invalid_client', 'Check the client id and the client secret.');
}

export function invalidScope(): ApiError {
  return new ApiError(
    'invalid_scope',
    'Ask only for scopes that the client is registered for, separated by single spaces, or for none to get them all.',
  );
}
