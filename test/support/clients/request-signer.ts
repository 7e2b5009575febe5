/** Signs requests by RFC 9421 with nothing but node:crypto, as a client in any language would. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import { callerFor, type Json, type Reply } from '../caller.js';
import { UserCaller } from './users-client.js';

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** In base64, as the service takes it. */
  readonly publicKey: string;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  return { privateKey, publicKey: Buffer.from(x!, 'base64url').toString('base64') };
}

/** A key that is registered. */
export interface Signer extends KeyPair {
  readonly keyId: string;
}

/** Registers a key for the user behind the session. */
export async function newSigner(session: UserCaller, terms: Json = {}): Promise<Signer> {
  const pair = newKeyPair();
  const reply = await session.post('/auth/signing-keys', {
    name: 'Desk',
    scopes: ['account:read', 'markets:trade'],
    ...terms,
    public_key: pair.publicKey,
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return { ...pair, keyId: reply.body.signing_key_id };
}

/** Money for the account of a user. */
export async function fund({ url }: TestApp, session: UserCaller): Promise<void> {
  const [account] = (await session.get('/accounts')).body.data;
  const operator = await callerFor(url, 'admin');
  const deposit = { asset: 'USD', amount: '100000', reference: 'test' };
  const reply = await operator.post(`/admin/accounts/${account.account_id}/deposits`, deposit);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
}

/** What a test may do otherwise than a client that means well. */
export interface SigningOptions {
  readonly createdS?: number;
  /** How far the clock of the client is off. */
  readonly aheadS?: number;
  readonly nonce?: string;
  readonly keyId?: string;
  readonly label?: string;
  readonly covered?: readonly string[];
  /** Behind the others, such as `;alg="ed25519"`. */
  readonly moreParameters?: string;
  /** Further fields that `covered` names. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Never used before. */
export function nonce(): string {
  return randomBytes(16).toString('base64url');
}

export function digestOf(body: string | Uint8Array, algorithm: 'sha-256' | 'sha-512' = 'sha-256'): string {
  const digest = createHash(algorithm.replace('-', '')).update(body).digest('base64');
  return `${algorithm}=:${digest}:`;
}

/** The headers of a signed request. */
export function signed(
  { privateKey, keyId }: Signer,
  method: string,
  url: string,
  body?: string | Uint8Array,
  options: SigningOptions = {},
): Record<string, string> {
  const fields: Record<string, string> = {
    ...(body !== undefined && { 'content-digest': digestOf(body) }),
    ...options.fields,
  };
  const values: Record<string, string> = { '@method': method, '@target-uri': url, ...fields };
  const covered = options.covered ?? ['@method', '@target-uri', ...Object.keys(fields)];
  const names = covered.map((name) => `"${name}"`).join(' ');
  const created = options.createdS ?? Math.floor(Date.now() / 1000) + (options.aheadS ?? 0);
  const parameters =
    `(${names});created=${created};nonce="${options.nonce ?? nonce()}"` +
    `;keyid="${options.keyId ?? keyId}"${options.moreParameters ?? ''}`;
  const base = [
    ...covered.map((name) => `"${name}": ${values[name] ?? ''}`),
    `"@signature-params": ${parameters}`,
  ];
  const signature = signBytes(null, Buffer.from(base.join('\n')), privateKey).toString('base64');
  const label = options.label ?? 'sig1';
  return { ...fields, 'signature-input': `${label}=${parameters}`, signature: `${label}=:${signature}:` };
}

/** A caller that signs each request. */
export class SigningCaller extends UserCaller {
  constructor(
    url: string,
    private readonly signer: Signer,
  ) {
    super(url);
  }

  override send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const proof = signed(this.signer, method, this.url + path, body);
    return super.send(method, path, body, { ...proof, ...headers });
  }
}
