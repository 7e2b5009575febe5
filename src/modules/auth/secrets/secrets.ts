import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** The prefix of a secret, by which people and secret scanners recognise a leaked one. */
export type SecretKind = 'tpa' | 'tpr' | 'tpc' | 'tps' | 'tpk' | 'tph' | 'tpl' | 'tpt' | 'tpm';

/**
 * A secret with 256 random bits: an access token (`tpa_`), refresh token (`tpr_`), authorization code (`tpc_`),
 * client secret (`tps_`), API key (`tpk_`), secret of a key that signs by HMAC (`tph_`), log-in at the authorization endpoint (`tpl_`), stream ticket (`tpt_`) or
 * token in a mail (`tpm_`).
 */
export function newSecret(kind: SecretKind): string {
  return `${kind}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/**
 * The stored form of a random secret, and its lookup key. One SHA-256 suffices since it cannot be guessed; chosen
 * secrets need `PasswordHasher`.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** The stored form of a stream ticket: with another path it does not match. */
export function ticketDigestOf(ticket: string, path: string): string {
  return digestOf(`${ticket} ${path}`);
}
