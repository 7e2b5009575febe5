/**
 * What makes a request a repeat: the same principal, the same `Idempotency-Key`, and the same fingerprint. The core keeps
 * the answers of its commands (`core/keys/command-keys.ts`), `@Idempotent()` those of other routes, and `KeyedRows` finds the row
 * that a request has made.
 */
import { hash } from 'node:crypto';

/** For how long a key stands for the request that it came with first. */
export const KEY_KEPT_HOURS = 24;
export const KEY_KEPT_MS = KEY_KEPT_HOURS * 60 * 60 * 1_000;

/** The answer to a request whose key came with another fingerprint. */
export const KEY_REUSED = {
  code: 'idempotency_key_reused',
  message: 'This Idempotency-Key came with another request before; use a new key for a new request.',
} as const;

/**
 * A digest of a request, independent of the order of its body's fields. The same key with another fingerprint is
 * refused with `idempotency_key_reused`.
 */
export function fingerprintOf(method: string, route: string, body: unknown): string {
  return hash('sha256', `${method} ${route}\n${canonicalJson(body)}`, 'hex');
}

/** A digest of who sent which key, for a table that has no use for either; null without a key. */
export function requestHashOf(owner: string, key: string | undefined): string | null {
  return key === undefined ? null : hash('sha256', `${owner}\n${key}`, 'hex');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
