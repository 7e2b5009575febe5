import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../kit/config/config.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { SignedRequest } from '../../../kit/security/signed-request.js';
import { SignatureVerifier } from './signature-verifier.js';
import { publicHalfOf, type SigningKey } from './signing-key.js';
import type { UsedNonces } from './used-nonces.js';

const KEY_ID = 'key_00000000001';
const PRINCIPAL = { id: KEY_ID } as Principal;

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const RAW = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
const KEY: SigningKey = { halves: [publicHalfOf(RAW, PRINCIPAL)] };

/** Uses nonces up in memory. */
function verifier(): SignatureVerifier {
  const used = new Set<string>();
  const nonces = {
    use: (keyId: string, nonce: string) => Promise.resolve(used.size < used.add(`${keyId} ${nonce}`).size),
  };
  const config = { publicUrl: 'https://trade.example' } as Config;
  return new SignatureVerifier(nonces as unknown as UsedNonces, config);
}

function signedRequest(): SignedRequest {
  const created = Math.floor(Date.now() / 1000);
  const parameters = `("@method" "@target-uri" "content-digest");created=${created};nonce="${randomBytes(16).toString('base64url')}";keyid="${KEY_ID}"`;
  const base = [
    '"@method": POST',
    '"@target-uri": https://trade.example/orders?a=1',
    '"content-digest": sha-256=:AAAA:',
    `"@signature-params": ${parameters}`,
  ].join('\n');
  return {
    method: 'POST',
    target: '/orders?a=1',
    headers: { 'content-digest': ['sha-256=:AAAA:'] },
    hasBody: true,
    signatureInput: `sig1=${parameters}`,
    signature: `sig1=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`,
  };
}

async function outcomeOf(request: SignedRequest, key: SigningKey | undefined = KEY): Promise<string> {
  try {
    return (await verifier().signerOf(request, () => Promise.resolve(key))).half.principal.id;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** A text with one character put in, taken away or replaced. */
function changed(text: string, at: number, what: 'insert' | 'remove' | 'replace', character: string): string {
  const place = at % text.length;
  const behind = text.slice(what === 'insert' ? place : place + 1);
  return `${text.slice(0, place)}${what === 'remove' ? '' : character}${behind}`;
}

const CHANGE = fc.tuple(
  fc.nat(1_000),
  fc.constantFrom('insert' as const, 'remove' as const, 'replace' as const),
  fc.string({ minLength: 1, maxLength: 1 }),
);

describe('SignatureVerifier', () => {
  it('finds who signed', async () => {
    expect(await outcomeOf(signedRequest())).toBe(KEY_ID);
  });

  it('refuses any change of any part that is covered, and of the signature', async () => {
    const parts = fc.constantFrom('method', 'target', 'content-digest', 'signatureInput', 'signature');
    await fc.assert(
      fc.asyncProperty(parts, CHANGE, async (part, [at, what, character]) => {
        const request = signedRequest();
        const change = (text: string): string => changed(text, at, what, character);
        const other: SignedRequest =
          part === 'content-digest'
            ? { ...request, headers: { 'content-digest': [change('sha-256=:AAAA:')] } }
            : { ...request, [part]: change(request[part as 'method']) };
        fc.pre(JSON.stringify(other) !== JSON.stringify(request));
        // Blanks around a field are no part of it.
        fc.pre(part !== 'content-digest' || other.headers['content-digest']![0]!.trim() !== 'sha-256=:AAAA:');
        expect(await outcomeOf(other)).toBe('signature_invalid');
      }),
      { numRuns: 300 },
    );
  });

  it('takes a former half until its time is over, and no other key', async () => {
    const { publicKey: other } = generateKeyPairSync('ed25519');
    const present = publicHalfOf(Buffer.from(other.export({ format: 'jwk' }).x!, 'base64url'), PRINCIPAL);
    const former = (endsAtMs: number): SigningKey => ({
      halves: [present, publicHalfOf(RAW, { ...PRINCIPAL, isByFormerKey: true }, endsAtMs)],
    });
    expect(await outcomeOf(signedRequest(), former(Date.now() + 60_000))).toBe(KEY_ID);
    expect(await outcomeOf(signedRequest(), former(Date.now()))).toBe('signature_invalid');
    expect(await outcomeOf(signedRequest(), { halves: [present] })).toBe('signature_invalid');
    expect(await outcomeOf(signedRequest(), { halves: [] })).toBe('signature_invalid');
  });

  it('uses a nonce up once', async () => {
    const one = verifier();
    const request = signedRequest();
    const lookUp = (): Promise<SigningKey> => Promise.resolve(KEY);
    await one.signerOf(request, lookUp);
    await expect(one.signerOf(request, lookUp)).rejects.toMatchObject({ code: 'signature_replayed' });
  });
});
