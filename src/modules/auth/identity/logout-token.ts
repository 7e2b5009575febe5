import type { JWTVerifyGetKey } from 'jose';
import { type EndedIdentity, IdentityRefused } from './identity-provider.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const AGE_MAX = '2 minutes';
const CLOCK_TOLERANCE = '30 seconds';
const TEXT_LENGTH_MAX = 255;

/** Signatures alone: a secret shared with the provider, or none, proves nothing here. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

interface Expected {
  readonly issuer: string;
  readonly clientId: string;
  readonly keys: JWTVerifyGetKey;
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout, 2.6): signature, issuer, audience, age, `jti`, the event,
 * a session or a subject, and no nonce, which would make of it an ID token. Rejects with an IdentityRefused.
 */
export async function readLogoutToken(
  token: string,
  { issuer, clientId, keys }: Expected,
): Promise<EndedIdentity> {
  const { jwtVerify } = await import('jose');
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    maxTokenAge: AGE_MAX,
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ['iat', 'jti', 'events'],
  });
  const { typ } = protectedHeader;
  const { sub = null, sid = null, jti, events, nonce } = payload;
  const refuse = (what: string): never => {
    throw new IdentityRefused(`This is no logout token: ${what}.`);
  };
  if (typ !== undefined && !/^(?:application[/])?(?:logout[+]jwt|jwt)$/i.test(typ))
    refuse('its type is another one');
  if (nonce !== undefined) refuse('it has a nonce');
  if (!isObject(events) || !isObject(events[EVENT])) refuse('it is about no log-out');
  if (sub === null && sid === null) refuse('it names neither a session nor a subject');
  if (!isText(jti) || (sid !== null && !isText(sid)) || (sub !== null && !isText(sub)))
    refuse('a claim is no text');
  return { issuer, subject: sub, sessionId: sid as string | null, messageId: jti as string };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_LENGTH_MAX;
}
