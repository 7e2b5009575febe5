/** The refusals of the guard, with the `WWW-Authenticate` that RFC 6750 requires. */
import {
  AUTHENTICATION_REQUIRED,
  INVALID_TOKEN,
  INVALID_API_KEY,
  SIGNATURE_INVALID,
  SIGNATURE_REPLAYED,
  INSUFFICIENT_SCOPE,
  INVALID_REQUEST,
} from '../http/error-codes.js';

import { ApiError } from '../http/errors.js';
import { scopesOf, type ScopeRequirement } from './scope.js';

const REALM = 'Bearer realm="tradepost"';

/** 401: no credential was presented, so the challenge names no error. */
export function authenticationRequired(): ApiError {
  return new ApiError(
    AUTHENTICATION_REQUIRED,
    'Send an access token as `Authorization: Bearer <token>`, or an API key in the header `api_key`.',
    { headers: { 'WWW-Authenticate': REALM } },
  );
}

/** 401: the bearer token is unknown, expired or revoked. */
export function invalidToken(): ApiError {
  const description = 'The access token is unknown, expired or revoked';
  return new ApiError(INVALID_TOKEN, `${description}; get a new one from /oauth/token.`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="${description}"` },
  });
}

/** 401: the API key is unknown or revoked, or may not be used here. */
export function invalidApiKey(
  what = 'The API key is unknown or revoked; check the header `api_key`',
): ApiError {
  return new ApiError(INVALID_API_KEY, `${what}.`, {
    headers: { 'WWW-Authenticate': REALM },
  });
}

/** 401: what is wrong with the signature of a request, as far as that helps nobody to forge one. */
export function signatureInvalid(what: string): ApiError {
  return new ApiError(SIGNATURE_INVALID, what, { headers: { 'WWW-Authenticate': REALM } });
}

/**
 * 401: no signature of a key that is good. An unknown key is answered like a wrong signature, so that nobody learns
 * which keys there are.
 */
export function signatureMismatch(): ApiError {
  return signatureInvalid(
    'The signature is of no key that is good: check `keyid`, the private key, and the text that was signed; see docs/signing.md.',
  );
}

/** 401: the nonce came with an earlier request. */
export function signatureReplayed(): ApiError {
  return new ApiError(SIGNATURE_REPLAYED, 'This request came before; sign it again with another `nonce`.', {
    headers: { 'WWW-Authenticate': REALM },
  });
}

/** 401: the credential has ended, of whatever kind it was. */
export function refusalOfCredential(scheme: 'bearer' | 'api_key' | 'signature'): ApiError {
  if (scheme === 'signature') return signatureMismatch();
  return scheme === 'bearer' ? invalidToken() : invalidApiKey();
}

/** 401: the stream ticket is unknown or expired, or was made for another path, or its credential has ended. */
export function invalidTicket(): ApiError {
  return new ApiError(
    INVALID_TOKEN,
    'The ticket is unknown, expired or for another path; get a new one from POST /auth/stream-tickets.',
    { headers: { 'WWW-Authenticate': REALM } },
  );
}

/** 400: a token in the address ends up in logs, histories and `Referer`; OAuth 2.1 forbids it. */
export function tokenInQuery(): ApiError {
  const description = 'Send the access token in the header Authorization, never in the address';
  return new ApiError(INVALID_REQUEST, `${description}; revoke this one if it was real.`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_request", error_description="${description}"` },
  });
}

/** 403: the credential is valid, but lacks the scopes. */
export function insufficientScope(requirement: ScopeRequirement): ApiError {
  const scopes = scopesOf(requirement);
  const wanted = scopes.join('anyOf' in requirement ? ' or ' : ' and ');
  return new ApiError(INSUFFICIENT_SCOPE, `Use a credential with the scope ${wanted}.`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
  });
}
