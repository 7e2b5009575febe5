/** The two primitives that proofs need. A bundle for browsers has others of the same names in place of this file. */
import { createPublicKey, hash, verify } from 'node:crypto';

/** What SPKI says of an Ed25519 key before its 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY_BYTES = 32;

/** SHA-256 of the parts, one after the other. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  // In one call: for short texts each further one costs as much as the hash.
  return hash('sha256', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'buffer');
}

/** Whether it is the Ed25519 signature of the message by the key of 32 bytes; false for whatever is no key. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== PUBLIC_KEY_BYTES) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, message, key, signature);
}
