/** What `src/domain/proof/crypto.ts` does by Node, for browsers: the bundler puts this in its place. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 as digest } from '@noble/hashes/sha2.js';
import { utf8 } from '../../../src/domain/proof/bytes.js';

export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const hash = digest.create();
  for (const part of parts) hash.update(typeof part === 'string' ? utf8(part) : part);
  return hash.digest();
}

export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    // As Node does, which has OpenSSL's rules.
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
