import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { ScopeCatalogue } from '../../../src/kit/security/scope.js';
import type { Json } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import {
  digestOf,
  fund,
  newSigner,
  nonce,
  signed,
  SigningCaller,
  type Signer,
} from '../../support/clients/request-signer.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const INVALID = '401 signature_invalid';
const REPLAYED = '401 signature_replayed';
const PATH = '/accounts/me/balances';
const ORDER = JSON.stringify(limit('BTC-USD', 'buy', '100.50', '2'));

let app: TestApp;
let alice: UserCaller;
let signer: Signer;
let anyone: UserCaller;

function send(method: string, path: string, body: string | undefined, headers: Record<string, string>) {
  return anyone.send(method, path, body, headers);
}

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  alice = await logIn(app, 'alice');
  signer = await newSigner(alice);
  await fund(app, alice);
  anyone = new UserCaller(app.url);
});
afterAll(() => app?.close());

describe('a signed request', () => {
  it('acts for the user whose key signed it', async () => {
    const desk = new SigningCaller(app.url, signer);
    const placed = await desk.post('/orders', JSON.parse(ORDER));
    expect(placed.status, JSON.stringify(placed.body)).toBe(201);
    expect((await alice.get(`/orders/${placed.body.order_id}`)).body.account_id).toBe(placed.body.account_id);
    expect((await desk.patch(`/orders/${placed.body.order_id}`, { size: '1' })).status).toBe(200);
    expect((await desk.delete(`/orders/${placed.body.order_id}`)).status).toBe(200);
    expect((await desk.get('/orders?market_id=BTC-USD&limit=2')).status).toBe(200);
  });

  it('passes on every route that says so', async () => {
    const desk = new SigningCaller(
      app.url,
      await newSigner(alice, { scopes: app.app.nest.get(ScopeCatalogue).grantable }),
    );
    const { paths } = (await anyone.get('/openapi.json')).body;
    const refused: string[] = [];
    const groups = new Set<string>();
    for (const [path, operations] of Object.entries<Json>(paths)) {
      for (const [method, { security = [], tags, requestBody }] of Object.entries<Json>(operations)) {
        if (!security.some((each: Json) => 'signature' in each)) continue;
        const takesJson = requestBody?.content['application/json'] !== undefined;
        const filled = path.replaceAll(/\{\w+\}/g, '1');
        const reply = await desk.send(method.toUpperCase(), filled, takesJson ? '{}' : undefined);
        if (reply.status === 401) refused.push(`${method} ${path} ${reply.body.error.code}`);
        groups.add(tags[0]);
      }
    }
    expect(refused).toEqual([]);
    expect([...groups]).toEqual(
      expect.arrayContaining(['Markets', 'Exchange', 'Wallets', 'Banking', 'Chat', 'News', 'Pets']),
    );
  });

  it('may have parameters and components that are not asked for, and a sha-512', async () => {
    const options = {
      moreParameters: `;expires=${Math.floor(Date.now() / 1000) + 5};alg="ed25519";tag="desk"`,
      fields: { 'content-digest': digestOf(ORDER, 'sha-512'), 'idempotency-key': nonce() },
    };
    const proof = signed(signer, 'POST', `${app.url}/orders`, ORDER, options);
    expect((await send('POST', '/orders', ORDER, proof)).status).toBe(201);
  });

  it('has the scopes of its key, and can do nothing that takes a person', async () => {
    const desk = new SigningCaller(app.url, await newSigner(alice, { scopes: ['account:read'] }));
    expect(refusalOf(await desk.post('/orders', JSON.parse(ORDER)))).toBe('403 insufficient_scope');
    expect(refusalOf(await desk.get('/auth/signing-keys'))).toBe('403 forbidden');
  });

  it('is refused where any part of it was changed', async () => {
    const url = `${app.url}/orders`;
    const proof = (): Record<string, string> => signed(signer, 'POST', url, ORDER);
    const other = ORDER.replace('100.50', '999.50');
    expect(refusalOf(await send('POST', '/orders', other, proof()))).toBe(INVALID);
    expect(refusalOf(await send('POST', '/orders/preview', ORDER, proof()))).toBe(INVALID);
    expect(refusalOf(await send('POST', '/orders?x=1', ORDER, proof()))).toBe(INVALID);
    const digest = signed(signer, 'POST', url, other)['content-digest']!;
    expect(refusalOf(await send('POST', '/orders', other, { ...proof(), 'content-digest': digest }))).toBe(
      INVALID,
    );
    // A second field of the same name, which only the reader of the first would miss.
    expect(
      refusalOf(
        await send('POST', '/orders', other, {
          ...proof(),
          'content-digest': `${proof()['content-digest']}, ${digest}`,
        }),
      ),
    ).toBe(INVALID);
    const reading = signed(signer, 'GET', app.url + PATH);
    expect(refusalOf(await send('DELETE', PATH, undefined, reading))).toMatch(/^4/);
    const deleting = signed(signer, 'GET', `${app.url}/orders?market_id=BTC-USD`);
    expect(refusalOf(await send('DELETE', '/orders?market_id=BTC-USD', undefined, deleting))).toBe(INVALID);
    expect(refusalOf(await send('GET', `${PATH}?limit=1`, undefined, reading))).toBe(INVALID);
  });

  it('is refused with a body that was taken away or added', async () => {
    const withBody = signed(signer, 'POST', `${app.url}/orders`, ORDER);
    expect(refusalOf(await send('POST', '/orders', undefined, withBody))).toBe(INVALID);
    const without = signed(signer, 'POST', `${app.url}/orders`);
    expect(refusalOf(await send('POST', '/orders', ORDER, without))).toBe(INVALID);
    const uncovered = signed(signer, 'POST', `${app.url}/orders`, ORDER, {
      covered: ['@method', '@target-uri'],
    });
    expect(refusalOf(await send('POST', '/orders', ORDER, uncovered))).toBe(INVALID);
  });

  it.each<[string, (proof: Record<string, string>) => Record<string, string>]>([
    ['no signature', ({ signature: _, ...rest }) => rest],
    ['no input', ({ 'signature-input': _, ...rest }) => rest],
    [
      'another label',
      ({ signature, 'signature-input': input }) => ({
        signature: signature!.replace('sig1', 'sig2'),
        'signature-input': input!,
      }),
    ],
    [
      'a bit that base64 has to spare',
      ({ signature, ...rest }) => ({
        ...rest,
        signature: signature!.replace(/.==:$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==:`),
      }),
    ],
    ['no padding', ({ signature, ...rest }) => ({ ...rest, signature: signature!.replace('==:', ':') })],
    ['a short signature', (rest) => ({ ...rest, signature: 'sig1=:AAAA:' })],
    ['a parameter twice', (rest) => ({ ...rest, 'signature-input': `${rest['signature-input']};created=1` })],
    [
      'the label twice',
      (rest) => ({ ...rest, 'signature-input': `${rest['signature-input']}, ${rest['signature-input']}` }),
    ],
    [
      'a component less',
      (rest) => ({ ...rest, 'signature-input': rest['signature-input']!.replace(' "@target-uri"', '') }),
    ],
    [
      'another nonce',
      (rest) => ({ ...rest, 'signature-input': rest['signature-input']!.replace(/nonce="./, 'nonce="~') }),
    ],
    [
      'a huge header',
      (rest) => ({ ...rest, 'signature-input': `${rest['signature-input']};tag="${'x'.repeat(8_000)}"` }),
    ],
    ['what is no dictionary', (rest) => ({ ...rest, 'signature-input': '(((' })],
    ['random bytes', (rest) => ({ ...rest, signature: `sig1=:${randomBytes(64).toString('base64')}:` })],
  ])('is refused with %s', async (_what, change) => {
    const headers = change(signed(signer, 'GET', app.url + PATH));
    expect(refusalOf(await send('GET', PATH, undefined, headers))).toBe(INVALID);
  });

  it.each([
    ['a label of its own', { label: 'mine' }],
    ['no method', { covered: ['@target-uri'] }],
    ['no address', { covered: ['@method'] }],
    ['the method twice', { covered: ['@method', '@method', '@target-uri'] }],
    ['a component that is not there', { covered: ['@method', '@target-uri', 'x-none'] }],
    ['a component that nobody knows', { covered: ['@method', '@target-uri', '@status'] }],
    ['a short nonce', { nonce: 'a'.repeat(15) }],
    ['a long nonce', { nonce: 'a'.repeat(65) }],
    ['another algorithm', { moreParameters: ';alg="hmac-sha256"' }],
    ['an algorithm that is no text', { moreParameters: ';alg=ed25519' }],
    ['an end that is past', { moreParameters: ';expires=1700000000' }],
    ['a key that is not there', { keyId: 'key_00000099999' }],
    ['an id that is none', { keyId: "'; DROP TABLE users; --" }],
    ['a time long ago', { aheadS: -31 }],
    ['a time to come', { aheadS: 31 }],
    ['a time that is none', { createdS: 1.5 }],
    ['an enormous time', { createdS: 999_999_999_999_999 }],
  ])('is refused with %s', async (_what, options) => {
    const reply = await send(
      'GET',
      PATH,
      undefined,
      signed(signer, 'GET', app.url + PATH, undefined, options),
    );
    expect(refusalOf(reply)).toBe(INVALID);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('is refused by the key of somebody else, with the same words as by one that is not there', async () => {
    const bob = await newSigner(await logIn(app, 'bob'));
    const words = [];
    for (const keyId of [signer.keyId, 'key_00000099999']) {
      const proof = signed(bob, 'GET', app.url + PATH, undefined, { keyId });
      const reply = await send('GET', PATH, undefined, proof);
      expect(refusalOf(reply)).toBe(INVALID);
      words.push(reply.body.error.message);
    }
    expect(words[0]).toBe(words[1]);
  });

  it('may have signatures of others beside its own', async () => {
    const proof = signed(signer, 'GET', app.url + PATH);
    const of = (name: string, own: string): string => `${proof[name]}, ${own}`;
    const both = {
      'signature-input': of('signature-input', 'proxy=("@method");created=1'),
      signature: of('signature', `proxy=:${randomBytes(64).toString('base64')}:`),
    };
    expect((await send('GET', PATH, undefined, both)).status).toBe(200);
  });

  it('leaves the word to a token or an API key that comes with it', async () => {
    const proof = signed(signer, 'GET', app.url + PATH);
    expect(refusalOf(await anyone.withApiKey('nonsense').send('GET', PATH, undefined, proof))).toBe(
      '401 invalid_api_key',
    );
    expect(refusalOf(await anyone.withBearer('nonsense').send('GET', PATH, undefined, proof))).toBe(
      '401 invalid_token',
    );
    expect((await send('GET', PATH, undefined, proof)).status).toBe(200);
  });

  it('is for the address of the service, whatever Host says', async () => {
    const { publicUrl } = app.config;
    const elsewhere = `https://elsewhere.example${PATH}`;
    const proof = signed(signer, 'GET', elsewhere);
    expect(refusalOf(await send('GET', PATH, undefined, { ...proof, host: 'elsewhere.example' }))).toBe(
      INVALID,
    );
    Object.assign(app.config, { publicUrl: 'https://trade.example/api' });
    try {
      const good = signed(signer, 'GET', `https://trade.example/api${PATH}`);
      expect((await send('GET', PATH, undefined, good)).status).toBe(200);
      const local = signed(signer, 'GET', app.url + PATH);
      expect(refusalOf(await send('GET', PATH, undefined, local))).toBe(INVALID);
    } finally {
      Object.assign(app.config, { publicUrl });
    }
  });
});

describe('a nonce', () => {
  it('is good once, of many requests at the same time too', async () => {
    const proof = signed(signer, 'POST', `${app.url}/orders`, ORDER);
    const replies = await Promise.all(Array.from({ length: 8 }, () => send('POST', '/orders', ORDER, proof)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401, 401, 401, 401]);
    expect(refusalOf(await send('POST', '/orders', ORDER, proof))).toBe(REPLAYED);
    // Another time with it is another signature, and the same nonce.
    const used = nonce();
    const created = Math.floor(Date.now() / 1000);
    const at = (createdS: number): Record<string, string> =>
      signed(signer, 'GET', app.url + PATH, undefined, { nonce: used, createdS });
    expect((await send('GET', PATH, undefined, at(created))).status).toBe(200);
    expect(refusalOf(await send('GET', PATH, undefined, at(created - 1)))).toBe(REPLAYED);
  });

  it('is used up by who can sign alone, and for one key alone', async () => {
    const used = `${nonce()}-Aa`;
    const bob = await newSigner(await logIn(app, 'bob'));
    const of = (key: Signer, text: string, keyId = key.keyId): Record<string, string> =>
      signed(key, 'GET', app.url + PATH, undefined, { nonce: text, keyId });
    expect(refusalOf(await send('GET', PATH, undefined, of(bob, used, signer.keyId)))).toBe(INVALID);
    expect((await send('GET', PATH, undefined, of(signer, used))).status).toBe(200);
    expect((await send('GET', PATH, undefined, of(bob, used))).status).toBe(200);
    expect((await send('GET', PATH, undefined, of(signer, used.toUpperCase()))).status).toBe(200);
  });

  it('is used up in all processes, and stays so over restarts', async () => {
    const publicUrl = 'https://trade.example';
    const database = await createDemoDatabase();
    const start = (): Promise<TestApp> =>
      startTestApp({ databaseUrl: database.url, publicUrl, rateLimits: 'off' });
    const proofOf = (key: Signer): Record<string, string> => signed(key, 'GET', publicUrl + PATH);
    const at = async ({ url }: TestApp, proof: Record<string, string>): Promise<string> =>
      refusalOf(await new UserCaller(url).send('GET', PATH, undefined, proof));
    const first = await start();
    try {
      const key = await newSigner(await logIn(first, 'alice'));
      const [used, usedLater] = [proofOf(key), proofOf(key)];
      expect(await at(first, used)).toMatch(/^200/);
      const second = await start();
      expect(await at(second, used)).toBe(REPLAYED);
      expect(await at(second, usedLater)).toMatch(/^200/);
      await first.close();
      expect(await at(second, proofOf(key))).toMatch(/^200/);
      await second.close();
      const third = await start();
      expect(await at(third, used)).toBe(REPLAYED);
      expect(await at(third, usedLater)).toBe(REPLAYED);
      await third.close();
    } finally {
      await database.drop();
    }
  });
});
