import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignedKeys, type SignedText } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { answered, newUser } from '../../support/clients/accounts-client.js';
import { refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';

const TEXT = Buffer.from('symbol=BTCUSD&side=BUY&timestamp=1790000000000');
const HOME = '192.0.2.7';
const INVALID = { code: 'signature_invalid', status: 401 };

let app: TestApp;
let keys: SignedKeys;
let user: UserCaller;

beforeAll(async () => {
  app = await startTestApp();
  keys = app.app.nest.get(SignedKeys);
  user = await newUser(app, 'signer');
});
afterAll(() => app.close());

function made(terms: Json = {}): Promise<Json> {
  const body = { name: 'Bot', scopes: ['markets:trade', 'account:read'], ...terms };
  return answered(user.post('/auth/api-keys', body), 201);
}

function byHmac({ api_key: apiKey, secret }: Json, more: Partial<SignedText> = {}): SignedText {
  const signature = createHmac('sha256', secret).update(TEXT).digest();
  return { apiKey, signed: TEXT, signature, address: HOME, ...more };
}

function byEd25519({ api_key: apiKey }: Json, key: KeyObject, more: Partial<SignedText> = {}): SignedText {
  return { apiKey, signed: TEXT, signature: sign(null, TEXT, key), address: HOME, ...more };
}

function pair(): { readonly privateKey: KeyObject; readonly pem: string; readonly base64: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
  const base64 = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return { privateKey, pem, base64 };
}

describe('a key that signs by HMAC', () => {
  it('is the principal of its owner, whose secret is told once', async () => {
    const key = await made({ signing: 'hmac-sha256', markets: ['BTC-USD'] });
    expect(key).toMatchObject({ api_key: key.api_key_id, signing: 'hmac-sha256', prefix: 'tph_' });
    const { principal, credential } = await keys.signerOf(byHmac(key));
    expect(principal).toMatchObject({
      kind: 'api_key',
      id: key.api_key_id,
      allowedMarkets: ['BTC-USD'],
      scopes: new Set(['markets:trade', 'account:read']),
    });
    expect(await keys.principalOf(credential)).toEqual(principal);
    const { body } = await user.get('/auth/api-keys?limit=200');
    expect(JSON.stringify(body)).toContain(key.api_key_id);
    expect(JSON.stringify(body)).not.toContain(key.secret);
    const rows = await queryOnce(app.config.databaseUrl!, 'SELECT api_keys::text AS row FROM api_keys');
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(key.secret);
    expect(stored).not.toContain(Buffer.from(key.secret).toString('hex'));
  });

  it('signs a text for one use: until it is old, the same text is good for no other', async () => {
    const [key, another] = [await made({ signing: 'hmac-sha256' }), await made({ signing: 'hmac-sha256' })];
    const goodUntilMs = Date.now() + 60_000;
    const used = (name: string, by = key) => keys.signerOf(byHmac(by, { use: { name, goodUntilMs } }));
    await Promise.all([used('GET /order'), used('GET /order')]);
    await used('GET /order');
    await expect(used('DELETE /order')).rejects.toMatchObject({ code: 'signature_replayed', status: 401 });
    await used('DELETE /order', another);
    // What nobody signed binds nothing.
    const forged = byHmac(another, { signature: Buffer.alloc(32), use: { name: 'GET /order', goodUntilMs } });
    await expect(keys.signerOf(forged)).rejects.toMatchObject(INVALID);
    await used('DELETE /order', another);
  });

  it('is no key to be sent', async () => {
    const key = await made({ signing: 'hmac-sha256' });
    for (const sent of [key.api_key, key.secret]) {
      const caller = new UserCaller(app.url).withApiKey(sent);
      expect(refusalOf(await caller.get('/accounts'))).toBe('401 invalid_api_key');
    }
  });

  it('refuses whatever else is signed, or signs', async () => {
    const key = await made({ signing: 'hmac-sha256' });
    const foreign = await made({ signing: 'hmac-sha256' });
    const plain = await made();
    const { signature } = byHmac(key);
    const tampered = Buffer.from(TEXT);
    tampered[0]! ^= 1;
    const wrong: Partial<SignedText>[] = [
      { signed: tampered },
      { signature: byHmac(foreign).signature },
      { signature: Buffer.alloc(0) },
      { signature: signature.subarray(0, 31) },
      { signature: Buffer.concat([signature, Buffer.alloc(1)]) },
      { apiKey: foreign.api_key },
      { apiKey: plain.api_key },
      { apiKey: plain.api_key_id },
      { apiKey: 'key_99999999999' },
      { apiKey: '' },
      { apiKey: 'x'.repeat(100_000) },
      { apiKey: ['x'] as never },
    ];
    for (const each of wrong) await expect(keys.signerOf(byHmac(key, each))).rejects.toMatchObject(INVALID);
    await expect(keys.signerOf(byHmac(key))).resolves.toBeDefined();
  });

  it('is refused from elsewhere, once it is deleted, and once it has expired', async () => {
    const bound = await made({ signing: 'hmac-sha256', allowed_addresses: ['192.0.2.0/24'] });
    await expect(keys.signerOf(byHmac(bound))).resolves.toBeDefined();
    await expect(keys.signerOf(byHmac(bound, { address: '198.51.100.1' }))).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
    const { credential } = await keys.signerOf(byHmac(bound));
    await answered(user.delete(`/auth/api-keys/${bound.api_key_id}`), 204);
    await expect(keys.signerOf(byHmac(bound))).rejects.toMatchObject(INVALID);
    expect(await keys.principalOf(credential)).toBeUndefined();

    const key = await made({
      signing: 'hmac-sha256',
      expires_at: new Date(Date.now() + 1_500).toISOString(),
    });
    await eventually(() => expect(keys.signerOf(byHmac(key))).rejects.toMatchObject(INVALID));
  });

  it('gets another secret by a rotation, and leaves no data key behind', async () => {
    const count = async (): Promise<unknown> =>
      queryOnce(
        app.config.databaseUrl!,
        `SELECT count(*) FROM vault_data_keys WHERE context LIKE 'api_keys.%'`,
      );
    const before = await count();
    const key = await made({ signing: 'hmac-sha256' });
    const path = `/auth/api-keys/${key.api_key_id}`;
    const rotated = await answered(user.post(`${path}/rotate`, {}), 200);
    expect(rotated).toMatchObject({ api_key: key.api_key, signing: 'hmac-sha256' });
    expect(rotated.secret).not.toBe(key.secret);
    expect((await keys.signerOf(byHmac(key))).principal.isByFormerKey).toBe(true);
    expect((await keys.signerOf(byHmac(rotated))).principal.isByFormerKey).toBeUndefined();
    const last = await answered(user.post(`${path}/rotate`, { overlap_seconds: 0 }), 200);
    for (const former of [key, rotated])
      await expect(keys.signerOf(byHmac(former))).rejects.toMatchObject(INVALID);
    await expect(keys.signerOf(byHmac(last))).resolves.toBeDefined();
    await answered(user.delete(path), 204);
    expect(await count()).toEqual(before);
  });
});

describe('a key that signs by Ed25519', () => {
  it('is taken in PEM and in base64, and listed with the signing keys', async () => {
    for (const form of ['pem', 'base64'] as const) {
      const half = pair();
      const key = await made({ signing: 'ed25519', public_key: half[form] });
      expect(key).toMatchObject({ api_key: key.api_key_id, signing: 'ed25519' });
      expect(key).not.toHaveProperty('secret');
      const { principal } = await keys.signerOf(byEd25519(key, half.privateKey));
      expect(principal).toMatchObject({ kind: 'api_key', id: key.api_key_id });
      await expect(keys.signerOf(byEd25519(key, pair().privateKey))).rejects.toMatchObject(INVALID);
      const cut = { signature: sign(null, TEXT, half.privateKey).subarray(1) };
      await expect(keys.signerOf(byEd25519(key, half.privateKey, cut))).rejects.toMatchObject(INVALID);
      const { body } = await user.get('/auth/signing-keys?limit=200');
      expect(body.data.map(({ signing_key_id: id }: Json) => id)).toContain(key.api_key_id);
      await answered(user.delete(`/auth/signing-keys/${key.api_key_id}`), 204);
      await expect(keys.signerOf(byEd25519(key, half.privateKey))).rejects.toMatchObject(INVALID);
    }
  });

  it.each<[string, Json]>([
    ['no half', { signing: 'ed25519' }],
    ['a half without its method', { public_key: pair().base64 }],
    ['a half for HMAC', { signing: 'hmac-sha256', public_key: pair().base64 }],
    ['another method', { signing: 'rsa' }],
    [
      'a point of low order',
      { signing: 'ed25519', public_key: spkiOf(Buffer.from([1, ...Buffer.alloc(31)])) },
    ],
    ['no point', { signing: 'ed25519', public_key: spkiOf(Buffer.alloc(32, 0xff)) }],
    ['another curve', { signing: 'ed25519', public_key: otherCurve('x25519') }],
    ['a curve for ECDSA', { signing: 'ed25519', public_key: otherCurve('P-256') }],
    ['the private half', { signing: 'ed25519', public_key: privatePem() }],
    ['the raw bytes', { signing: 'ed25519', public_key: Buffer.alloc(32, 7).toString('base64') }],
    ['more bytes', { signing: 'ed25519', public_key: `${pair().base64}AAAA` }],
    ['a long text', { signing: 'ed25519', public_key: 'A'.repeat(100_000) }],
    ['a secret of one’s own', { signing: 'hmac-sha256', secret: 'x'.repeat(1_000) }],
    ['a sealed secret', { signing: 'hmac-sha256', sealed_secret: 'eA==', sealedSecret: 'eA==' }],
    ['another owner', { signing: 'hmac-sha256', owner_user_id: '1', account_owner: 'user:1' }],
  ])('is refused with %s', async (_what, terms) => {
    const reply = await user.post('/auth/api-keys', { name: 'Bot', scopes: [], ...terms });
    expect(refusalOf(reply)).toBe('400 validation_failed');
  });
});

describe('the owner of keys that sign', () => {
  it('takes them along', async () => {
    const leaving = await newUser(app, 'leaving');
    const terms = { name: 'Bot', scopes: ['account:read'], signing: 'hmac-sha256' };
    const key = await answered(leaving.post('/auth/api-keys', terms), 201);
    await expect(keys.signerOf(byHmac(key))).resolves.toBeDefined();
    expect((await leaving.delete('/user/leaving')).status).toBeLessThan(300);
    await expect(keys.signerOf(byHmac(key))).rejects.toMatchObject(INVALID);
    const context = `api_keys.sealed_secret:${key.api_key_id}`;
    const left = await queryOnce(
      app.config.databaseUrl!,
      `SELECT 1 FROM vault_data_keys WHERE context = '${context}'`,
    );
    expect(left).toEqual([]);
  });
});

function spkiOf(raw: Buffer): string {
  return Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]).toString('base64');
}

function otherCurve(name: 'x25519' | 'P-256'): string {
  const { publicKey } =
    name === 'x25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: name });
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}

function privatePem(): string {
  return pair().privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
}
