import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** What a secret begins with, so that people and secret scanners recognise one that went astray. */
export type SecretKind = 'tpa' | 'tpr' | 'tpc' | 'tps' | 'tpk' | 'tpl' | 'tpt';

/**
 * A secret with 256 random bits: an access token (`tpa_`), refresh token (`tpr_`), authorization code (`tpc_`),
 * client secret (`tps_`), API key (`tpk_`), log-in at the authorization endpoint (`tpl_`) or stream ticket (`tpt_`).
 */
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

/** What is stored of a stream ticket: with another path there is no such ticket. */
export function ticketDigestOf(ticket: string, path: string): string {
  return digestOf(`${ticket} ${path}`);
}
