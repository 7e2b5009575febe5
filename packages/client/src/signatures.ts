import type { Credentials, Signing } from './credentials.js';
import { TradepostError } from './errors.js';

/** A key of `POST /auth/signing-keys`. */
export interface SigningKeyOptions {
  /** The `signing_key_id` that the service answered. */
  readonly keyId: string;
  /** Of Ed25519: a `CryptoKey`, which need not be extractable, or PKCS#8 as PEM. */
  readonly privateKey: CryptoKey | string;
}

/** A request as it is going to be sent. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: ArrayBuffer | undefined;
}

/**
 * Signs every request by RFC 9421, and the handshake of every socket; nothing that is sent can be used again. Browsers do
 * this on pages with https alone, or of one's own machine.
 */
export function signingKey({ keyId, privateKey }: SigningKeyOptions): Credentials {
  let key: Promise<CryptoKey> | undefined;
  return {
    isRenewable: false,
    async issue() {
      key ??= typeof privateKey === 'string' ? importKey(privateKey) : Promise.resolve(privateKey);
      const imported = await key;
      const sign: Signing['sign'] = (request) => signatureOf(keyId, imported, request);
      return { scheme: 'signature', sign, expiresAtMs: undefined };
    },
  };
}

/** The headers that prove who sends a request: a new nonce in each, so a request that is repeated is signed again. */
async function signatureOf(
  keyId: string,
  key: CryptoKey,
  { method, url, body }: UnsignedRequest,
): Promise<Record<string, string>> {
  const digest = body && `sha-256=:${base64(await crypto.subtle.digest('SHA-256', body))}:`;
  const components = [
    ['@method', method],
    ['@target-uri', url],
    ...(digest === undefined ? [] : [['content-digest', digest]]),
  ];
  const names = components.map(([name]) => `"${name}"`).join(' ');
  const nonce = base64(crypto.getRandomValues(new Uint8Array(18)).buffer);
  const created = Math.floor(Date.now() / 1_000);
  const parameters = `(${names});created=${created};nonce="${nonce}";keyid="${keyId}"`;
  const base = [
    ...components.map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const signature = await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(base));
  return {
    ...(digest !== undefined && { 'Content-Digest': digest }),
    'Signature-Input': `sig1=${parameters}`,
    Signature: `sig1=:${base64(signature)}:`,
  };
}

async function importKey(pem: string): Promise<CryptoKey> {
  try {
    const encoded = pem.replace(/-----(?:BEGIN|END) PRIVATE KEY-----|\s/g, '');
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
  } catch {
    // The runtime's own complaint could repeat the key.
    throw new TradepostError({
      code: 'signature_invalid',
      message: 'The private key is none of Ed25519 as PKCS#8 in PEM, or this runtime knows no Ed25519.',
      operation: 'authentication',
    });
  }
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
