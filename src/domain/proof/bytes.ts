/** Bytes as text and back, by what Node and browsers both have. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const HASH = /^[0-9a-f]{64}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** @throws TypeError for what is no UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte]!;
  return text;
}

/**
 * A hash of 32 bytes from its hexadecimal digits.
 * @throws TypeError for any other text
 */
export function hashOf(text: unknown): Uint8Array {
  if (typeof text !== 'string' || !HASH.test(text)) throw new TypeError('a hash is 64 hexadecimal digits');
  return Uint8Array.from({ length: 32 }, (_, place) => parseInt(text.slice(2 * place, 2 * place + 2), 16));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** @throws TypeError for what is no base64 */
export function bytesOf(base64: unknown): Uint8Array {
  if (typeof base64 !== 'string' || !BASE64.test(base64)) throw new TypeError('this is no base64');
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
