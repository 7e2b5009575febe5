import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LastUses } from '../../../src/modules/auth/credentials/last-uses.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { newKeyPair, newSigner, SigningCaller, type KeyPair } from '../../support/clients/request-signer.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/accounts/me/balances';
const INVALID_KEY = '401 invalid_api_key';
const INVALID_SIGNATURE = '401 signature_invalid';

let app: TestApp;
let alice: UserCaller;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  alice = await logIn(app, 'alice');
});
afterAll(() => app?.close());

async function newKey(terms: Json = {}): Promise<Json> {
  const reply = await alice.post('/auth/api-keys', { name: 'Bot', scopes: ['account:read'], ...terms });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body;
}

async function rotated(id: string, body: Json = {}): Promise<Json> {
  const reply = await alice.post(`/auth/api-keys/${id}/rotate`, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  return reply.body;
}

async function statusWith(key: string): Promise<string> {
  const reply = await new UserCaller(app.url).withApiKey(key).get(PATH);
  return reply.status === 200 ? '200' : refusalOf(reply);
}

async function listed(id: string, path = '/auth/api-keys'): Promise<Json> {
  const { body } = await alice.get(`${path}?limit=200`);
  return body.data.find((key: Json) => [key.api_key_id, key.signing_key_id].includes(id));
}

/** Sets the clock of one key forward. */
function age(id: string, column: 'expires_at' | 'previous_expires_at'): Promise<unknown> {
  return queryOnce(
    app.config.databaseUrl!,
    `UPDATE api_keys SET ${column} = now() - interval '1 second' WHERE api_key_id = $1`,
    [id],
  );
}

describe('an API key that is rotated', () => {
  it('keeps its id, its terms and its principal, with two keys alive for a while', async () => {
    const first = await newKey({ markets: ['BTC-USD'] });
    expect(await statusWith(first.api_key)).toBe('200');
    const second = await rotated(first.api_key_id);
    const { api_key: _, prefix: __, ...terms } = first;
    expect(second).toMatchObject({ ...terms, previous_expires_at: expect.any(String), last_used_at: null });
    expect(second.api_key).not.toBe(first.api_key);
    const overlapMs = Date.parse(second.previous_expires_at) - Date.now();
    expect(overlapMs).toBeGreaterThan(86_000_000);
    expect(overlapMs).toBeLessThanOrEqual(86_400_000);
    expect(await statusWith(first.api_key)).toBe('200');
    expect(await statusWith(second.api_key)).toBe('200');
  });

  it('ends the oldest at once when it is rotated again', async () => {
    const first = await newKey();
    const second = await rotated(first.api_key_id, { overlap_seconds: 600 });
    expect(await statusWith(first.api_key)).toBe('200');
    const third = await rotated(first.api_key_id);
    expect(await statusWith(first.api_key)).toBe(INVALID_KEY);
    expect(await statusWith(second.api_key)).toBe('200');
    expect(await statusWith(third.api_key)).toBe('200');
  });

  it('ends the former one at once where no overlap is asked for', async () => {
    const first = await newKey();
    expect(await statusWith(first.api_key)).toBe('200');
    const second = await rotated(first.api_key_id, { overlap_seconds: 0 });
    expect(second.previous_expires_at).toBeNull();
    expect(await statusWith(first.api_key)).toBe(INVALID_KEY);
    expect(await statusWith(second.api_key)).toBe('200');
  });

  it('ends the former one when its time is over, and both with the key', async () => {
    const first = await newKey({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const second = await rotated(first.api_key_id);
    await age(first.api_key_id, 'previous_expires_at');
    await eventually(async () => (await statusWith(first.api_key)) === INVALID_KEY, 'the former key ends');
    expect(await statusWith(second.api_key)).toBe('200');
    expect(await listed(first.api_key_id)).toMatchObject({ previous_expires_at: null });
    const third = await rotated(first.api_key_id);
    expect(await statusWith(second.api_key)).toBe('200');
    await age(first.api_key_id, 'expires_at');
    for (const { api_key: key } of [second, third]) {
      await eventually(async () => (await statusWith(key)) === INVALID_KEY, 'the key ends');
    }
    const late = await alice.post(`/auth/api-keys/${first.api_key_id}/rotate`, {});
    expect(refusalOf(late)).toBe('409 conflict');
  });

  it('has two keys alive at most, however many rotate it at once', async () => {
    const first = await newKey();
    const others = await Promise.all(Array.from({ length: 6 }, () => rotated(first.api_key_id)));
    const statuses = await Promise.all([first, ...others].map(({ api_key }) => statusWith(api_key)));
    expect(statuses.filter((status) => status === '200')).toHaveLength(2);
    expect(statuses[0]).toBe(INVALID_KEY);
  });

  it('tells whether the former one is still used', async () => {
    const first = await newKey();
    const second = await rotated(first.api_key_id);
    expect(await statusWith(second.api_key)).toBe('200');
    await app.app.nest.get(LastUses, { strict: false }).flush();
    expect(await listed(first.api_key_id)).toMatchObject({
      last_used_at: expect.any(String),
      previous_last_used_at: null,
    });
    expect(await statusWith(first.api_key)).toBe('200');
    await app.app.nest.get(LastUses, { strict: false }).flush();
    expect(await listed(first.api_key_id)).toMatchObject({ previous_last_used_at: expect.any(String) });
  });

  it('is rotated by its owner alone, who has to be there for what moves money', async () => {
    const key = await newKey({ scopes: ['markets:trade'] });
    const path = `/auth/api-keys/${key.api_key_id}/rotate`;
    const bob = await logIn(app, 'bob');
    expect(refusalOf(await bob.post(path, {}))).toBe('404 not_found');
    expect(refusalOf(await alice.post('/auth/api-keys/key_00000099999/rotate', {}))).toBe('404 not_found');
    expect(
      refusalOf(
        await alice.post(`/auth/signing-keys/${key.api_key_id}/rotate`, {
          public_key: newKeyPair().publicKey,
        }),
      ),
    ).toBe('404 not_found');
    expect(refusalOf(await new UserCaller(app.url).withApiKey(key.api_key).post(path, {}))).toBe(
      '403 forbidden',
    );
    const stale = await logIn(app, 'alice');
    await queryOnce(app.config.databaseUrl!, `UPDATE sessions SET proved_at = now() - interval '6 minutes'`);
    await eventually(
      async () => refusalOf(await stale.post(path, {})) === '403 step_up_required',
      'the proof is too old',
    );
    alice = await logIn(app, 'alice');
  });

  it.each([[-1], [604_801], [1.5], ['60'], [true]])('takes no overlap of %j', async (overlap_seconds) => {
    const key = await newKey();
    const reply = await alice.post(`/auth/api-keys/${key.api_key_id}/rotate`, { overlap_seconds });
    expect(refusalOf(reply)).toBe('400 validation_failed');
    await alice.delete(`/auth/api-keys/${key.api_key_id}`);
  });
});

describe('a signing key', () => {
  const call = ({ keyId, ...pair }: KeyPair & { keyId: string }): Promise<Reply> =>
    new SigningCaller(app.url, { keyId, ...pair }).get(PATH);

  it('is listed and deleted among its own kind', async () => {
    const signer = await newSigner(alice, { name: 'Listed', markets: ['BTC-USD'] });
    expect(await listed(signer.keyId, '/auth/signing-keys')).toMatchObject({
      signing_key_id: signer.keyId,
      name: 'Listed',
      public_key: signer.publicKey,
      markets: ['BTC-USD'],
    });
    expect(await listed(signer.keyId)).toBeUndefined();
    expect(refusalOf(await alice.delete(`/auth/api-keys/${signer.keyId}`))).toBe('404 not_found');
    const bob = await logIn(app, 'bob');
    expect(refusalOf(await bob.delete(`/auth/signing-keys/${signer.keyId}`))).toBe('404 not_found');
    expect((await call(signer)).status).toBe(200);
    expect((await alice.delete(`/auth/signing-keys/${signer.keyId}`)).status).toBe(204);
    expect(refusalOf(await call(signer))).toBe(INVALID_SIGNATURE);
  });

  it('rotates with two halves alive, and at most two', async () => {
    const first = await newSigner(alice);
    const path = `/auth/signing-keys/${first.keyId}/rotate`;
    const [second, third] = [newKeyPair(), newKeyPair()].map((pair) => ({ ...pair, keyId: first.keyId }));
    expect((await alice.post(path, { public_key: second!.publicKey })).status).toBe(200);
    expect([(await call(first)).status, (await call(second!)).status]).toEqual([200, 200]);
    expect(refusalOf(await alice.post(path, { public_key: second!.publicKey }))).toBe('409 conflict');
    expect((await alice.post(path, { public_key: third!.publicKey })).status).toBe(200);
    expect(refusalOf(await call(first))).toBe(INVALID_SIGNATURE);
    expect([(await call(second!)).status, (await call(third!)).status]).toEqual([200, 200]);
    await age(first.keyId, 'previous_expires_at');
    await eventually(
      async () => refusalOf(await call(second!)) === INVALID_SIGNATURE,
      'the former half ends',
    );
    expect((await call(third!)).status).toBe(200);
    await age(first.keyId, 'expires_at');
    await eventually(async () => refusalOf(await call(third!)) === INVALID_SIGNATURE, 'the key ends');
  });

  it('does not count from addresses that it is not bound to', async () => {
    expect(refusalOf(await call(await newSigner(alice, { allowed_addresses: ['203.0.113.9'] })))).toBe(
      INVALID_KEY,
    );
    expect((await call(await newSigner(alice, { allowed_addresses: ['127.0.0.1', '::1'] }))).status).toBe(
      200,
    );
  });

  it('is refused while its owner is locked', async () => {
    const operator = await clientOf(app, 'admin');
    const bob = await newSigner(await logIn(app, 'bob'));
    expect((await call(bob)).status).toBe(200);
    expect((await operator.post('/admin/users/bob/lock', { reason: 'A stolen phone.' })).status).toBeLessThan(
      300,
    );
    expect(refusalOf(await call(bob))).toBe(INVALID_SIGNATURE);
    expect((await operator.post('/admin/users/bob/unlock', {})).status).toBeLessThan(300);
    expect((await call(bob)).status).toBe(200);
  });

  it.each([
    ['nothing', undefined],
    ['what is short', Buffer.alloc(31, 1).toString('base64')],
    ['what is no point', Buffer.alloc(32, 2).toString('base64')],
    ['a point of small order', Buffer.alloc(32, 0).toString('base64')],
    ['the neutral element', Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64')],
    ['hex', 'ab'.repeat(32)],
    ['base64url', newKeyPair().publicKey.replaceAll('/', '_').replace('=', '')],
    ['bits to spare', newKeyPair().publicKey.replace(/.=$/, '/=')],
    ['a list', [newKeyPair().publicKey]],
  ])('is none of %s', async (_what, public_key) => {
    const reply = await alice.post('/auth/signing-keys', { name: 'Desk', public_key });
    expect(refusalOf(reply)).toBe('400 validation_failed');
  });
});
