import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** What a secret begins with, so that people and secret scanners recognise one that went astray. */
export type SecretKind = 'tpa' | 'tps' | 'tpk';

/** An access token (`tpa_`), client secret (`tps_`) or API key (`tpk_`) with 256 random bits. */
export function newSecret(kind: SecretKind): string {
  return `${kind}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/**
 * What is stored of a random secret, and what it is found by. One SHA-256 suffices where there is
 * nothing to guess; what people choose needs `PasswordHasher` instead.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
