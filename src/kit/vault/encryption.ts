/** AES-256-GCM in the single format that the vault stores: nonce, ciphertext, tag. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Encrypts under a fresh nonce. `context` is authenticated, not hidden: the same context is needed to decrypt. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, context: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(context);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Returns the plaintext in a buffer that the caller wipes. Throws where key, bytes or context are not those of
 * `encrypt`.
 */
export function decrypt(key: Uint8Array, encrypted: Uint8Array, context: Uint8Array): Buffer {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('too short to have been encrypted');
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const ciphertext = encrypted.subarray(NONCE_BYTES, encrypted.length - TAG_BYTES);
  const tag = encrypted.subarray(encrypted.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(context)
    .setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
  } catch (error) {
    // The plaintext is not authentic, but most of it may be right.
    plaintext.fill(0);
    throw error;
  }
  return plaintext;
}
