import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialAuthenticator } from '../../../src/modules/auth/credentials/credential-authenticator.js';
import { LastUses } from '../../../src/modules/auth/credentials/last-uses.js';
import { OWNED_PER_USER_MAX } from '../../../src/modules/auth/owned/owned-credentials.js';
import { AccessTokensService } from '../../../src/modules/auth/tokens/access-tokens.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import type { Reply } from '../../support/caller.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

let service: TestApp;
let anyone: UserCaller;
let operator: UserCaller;
let alice: UserCaller;
let bob: UserCaller;

beforeAll(async () => {
  service = await startTestApp({ rateLimits: 'off' });
  anyone = new UserCaller(service.url);
  operator = await clientOf(service, 'admin');
  alice = await logIn(service, 'alice');
  bob = await logIn(service, 'bob');
});
afterAll(() => service.close());

let made = 0;

/** A new user and a session. */
async function makeUser(): Promise<{ username: string; session: UserCaller }> {
  const username = `owner-${++made}`;
  const password = `${username}-password`;
  expect((await operator.post('/user', { username, password })).status).toBe(200);
  return { username, session: await logIn(service, username) };
}

const CLIENT = { name: 'Price watcher', scopes: ['account:read'] };
const CODE_CLIENT = {
  name: 'App',
  scopes: ['account:read', 'read:pets'],
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://app.example.com/callback'],
};

/** A token for a newly made client. */
function tokenFor({ body }: Reply): Promise<Reply> {
  return anyone.tryToken(body.client_id, body.client_secret);
}

/** A client of a user, and a token in its own name. */
async function makeClient(
  owner: UserCaller,
): Promise<{ clientId: string; caller: UserCaller; answer: Reply }> {
  const answer = await owner.post('/auth/clients', CLIENT);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const token = await tokenFor(answer);
  expect(token.status, JSON.stringify(token.body)).toBe(200);
  return { clientId: answer.body.client_id, caller: anyone.withBearer(token.body.access_token), answer };
}

async function makeKey(
  owner: UserCaller,
  fields: object = {},
): Promise<{ keyId: string; caller: UserCaller; answer: Reply }> {
  const answer = await owner.post('/auth/api-keys', { name: 'Sheet', scopes: ['account:read'], ...fields });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { keyId: answer.body.api_key_id, caller: anyone.withApiKey(answer.body.api_key), answer };
}

/** The tests that both kinds share. */
const KINDS = [
  ['/auth/clients', CLIENT, 'client_id', 'client_secret'],
  ['/auth/api-keys', { name: 'Sheet', scopes: ['account:read'] }, 'api_key_id', 'api_key'],
] as const;

describe.each(KINDS)('%s', (path, body, idField, secretField) => {
  it('shows the secret once and stores no more than a digest of it', async () => {
    const answer = await alice.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const secret: string = answer.body[secretField];
    expect(secret).toMatch(/^tp[sk]_[\w-]{43}$/);
    expect(answer.body).toMatchObject({
      name: body.name,
      scopes: ['account:read'],
      prefix: secret.slice(0, 8),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      last_used_at: null,
    });
    const listed = (await alice.get(path)).body.data[0];
    const { [secretField]: _shownOnce, ...rest } = answer.body;
    expect(listed).toEqual(rest);
    for (const table of ['oauth_clients', 'api_keys']) {
      const rows = await queryOnce(service.config.databaseUrl!, `SELECT * FROM ${table}`);
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });

  it('ignores the Idempotency-Key: a secret is not kept to be shown again', async () => {
    const key = { 'idempotency-key': `make ${path}` };
    const first = await alice.post(path, body, key);
    const second = await alice.post(path, body, key);
    expect(second.status).toBe(201);
    expect(second.body[idField]).not.toBe(first.body[idField]);
  });

  it('is for users who are logged in, and for nobody who acts for them', async () => {
    const own = await alice.post(path, body);
    const { caller: ownClient } = await makeClient(alice);
    const { caller: ownKey } = await makeKey(alice);
    const tokens = service.app.nest.get(AccessTokensService);
    const [user] = await queryOnce<{ user_id: string }>(
      service.config.databaseUrl!,
      `SELECT user_id FROM users WHERE username = 'alice'`,
    );
    await tokens.store({
      token: `granted ${path}`.replaceAll(/\W/g, '-'),
      clientId: 'petstore-ui',
      userId: user!.user_id,
      scopes: ['read:pets', 'write:pets'],
      expiresAt: new Date(Date.now() + 60_000),
    });
    const granted = anyone.withBearer(`granted ${path}`.replaceAll(/\W/g, '-'));
    for (const caller of [await clientOf(service, 'demo'), operator, ownClient, ownKey, granted]) {
      expect(refusalOf(await caller.post(path, body))).toBe('403 forbidden');
      expect(refusalOf(await caller.get(path))).toBe('403 forbidden');
      expect(refusalOf(await caller.delete(`${path}/${own.body[idField]}`))).toBe('403 forbidden');
    }
    for (const caller of [ownClient, ownKey, granted]) {
      expect(refusalOf(await caller.get('/user/alice'))).toBe('403 forbidden');
      expect(refusalOf(await caller.put('/user/alice', { password: 'taken over' }))).toBe('403 forbidden');
      expect(refusalOf(await caller.delete('/user/alice'))).toBe('403 forbidden');
      expect(refusalOf(await caller.post('/user', { username: 'made-by', password: 'secret' }))).toBe(
        '403 forbidden',
      );
      expect(refusalOf(await caller.get('/user/logout'))).toBe('403 forbidden');
    }
    expect(refusalOf(await anyone.post(path, body))).toBe('401 authentication_required');
  });

  it('gives no more than its maker has, and never the scope admin', async () => {
    expect(refusalOf(await alice.post(path, { ...body, scopes: ['admin'] }))).toBe('400 validation_failed');
    const admin = await logIn(service, 'admin');
    expect(refusalOf(await admin.post(path, { ...body, scopes: ['admin'] }))).toBe('400 validation_failed');
    const byQuery = await logIn(service, 'alice', 'alice-password', 'query');
    const wider = await byQuery.post(path, { ...body, scopes: ['account:read', 'wallets:sign'] });
    expect(refusalOf(wider)).toBe('403 insufficient_scope');
    expect(wider.headers.get('www-authenticate')).toContain('scope="wallets:sign"');
    expect((await byQuery.post(path, body)).status).toBe(201);
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['an endless name', { name: 'x'.repeat(101) }],
    ['a name that is written from right to left', { name: 'abc\u202Ecba' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['an unknown scope', { scopes: ['account:write'] }],
    ['a scope twice', { scopes: ['account:read', 'account:read'] }],
    ['scopes in one text', { scopes: 'account:read' }],
    ['an id of its own', { client_id: 'demo' }],
    ['a secret of its own', { client_secret: 'x', api_key: 'x' }],
    ['an owner', { owner_user_id: '1' }],
    ['an account', { account_owner: 'client:demo' }],
  ])('refuses %s', async (_what, fields) => {
    expect(refusalOf(await alice.post(path, { ...body, ...fields }))).toBe('400 validation_failed');
  });

  it('lists its owner’s own by pages, newest first', async () => {
    const { session } = await makeUser();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await session.post(path, body)).body[idField] as string);
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page++) {
      const { body: list } = await session.get(`${path}${query}`);
      seen.push(...(list.data as Record<string, string>[]).map((item) => item[idField]!));
      expect(list.next_cursor === null).toBe(page === 2);
      query = `?limit=2&cursor=${list.next_cursor}`;
    }
    expect(seen).toEqual(ids.toReversed());
    expect(refusalOf(await session.get(`${path}?cursor=nonsense`))).toBe('400 invalid_cursor');
    expect((await bob.get(path)).body.data).not.toContainEqual(
      expect.objectContaining({ [idField]: ids[0] }),
    );
  });

  it('does not know those of others, nor of the service', async () => {
    const { body: own } = await alice.post(path, body);
    const nobodys = await bob.delete(`${path}/${idField === 'client_id' ? 'cli' : 'key'}_7ZZZZZZZZZZ`);
    expect(refusalOf(nobodys)).toBe('404 not_found');
    for (const id of [own[idField], 'demo', 'petstore-ui', 'key_demo', 'x', '%E2%80%AE', "'--"]) {
      const answer = await bob.delete(`${path}/${id}`);
      expect(refusalOf(answer), String(id)).toBe('404 not_found');
      expect(answer.body.error.message).toBe(nobodys.body.error.message);
    }
    expect((await alice.delete(`${path}/${own[idField]}`)).status).toBe(204);
    expect(refusalOf(await alice.delete(`${path}/${own[idField]}`))).toBe('404 not_found');
  });

  it('is had a bounded number of times, also by requests at the same time', async () => {
    const { session } = await makeUser();
    const answers: Reply[] = [];
    for (let i = 0; i < 4; i++) {
      answers.push(...(await Promise.all(Array.from({ length: 15 }, () => session.post(path, body)))));
    }
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(refusalOf)).toEqual(refused.map(() => '409 conflict'));
    expect(answers.length - refused.length).toBe(OWNED_PER_USER_MAX);
    const one = answers.find(({ status }) => status === 201)!.body[idField] as string;
    expect((await session.delete(`${path}/${one}`)).status).toBe(204);
    expect((await session.post(path, body)).status).toBe(201);
  });
});

describe('a client', () => {
  it('acts on its owner’s account, with no more than its scopes', async () => {
    const { caller } = await makeClient(alice);
    const own = (await alice.get('/accounts')).body;
    expect((await caller.get('/accounts')).body).toEqual(own);
    expect(refusalOf(await caller.post('/orders', {}))).toBe('403 insufficient_scope');
  });

  it('ends with its tokens, at once', async () => {
    const { clientId, caller, answer } = await makeClient(alice);
    expect((await caller.get('/accounts')).status).toBe(200);
    expect((await alice.delete(`/auth/clients/${clientId}`)).status).toBe(204);
    expect(refusalOf(await caller.get('/accounts'))).toBe('401 invalid_token');
    expect(refusalOf(await tokenFor(answer))).toBe('401 invalid_client');
  });

  it('is told apart by what it was registered for', async () => {
    const app = await alice.post('/auth/clients', CODE_CLIENT);
    expect(app.status, JSON.stringify(app.body)).toBe(201);
    expect(app.body).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://app.example.com/callback'],
      public: false,
    });
    expect(refusalOf(await tokenFor(app))).toBe('400 unauthorized_client');
    const browser = await alice.post('/auth/clients', {
      ...CODE_CLIENT,
      grant_types: ['implicit'],
      redirect_uris: ['http://127.0.0.1/callback'],
      public: true,
    });
    expect(browser.body).toMatchObject({ public: true, client_secret: null, prefix: null });
    expect((await alice.get('/auth/clients')).body.data[0]).toMatchObject({ public: true, prefix: null });
  });

  it('is what it would be without the fields that are null', async () => {
    const nothing = { grant_types: null, redirect_uris: null, public: null };
    const made = await alice.post('/auth/clients', { ...CLIENT, ...nothing });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body).toMatchObject({
      grant_types: ['client_credentials'],
      redirect_uris: [],
      public: false,
      client_secret: expect.stringMatching(/^tps_/) as string,
    });
    const code = { ...CODE_CLIENT, redirect_uris: null };
    expect(refusalOf(await alice.post('/auth/clients', code))).toBe('400 validation_failed');
    const key = await alice.post('/auth/api-keys', { name: 'Sheet', scopes: null, expires_at: null });
    expect(key.body).toMatchObject({ scopes: [], expires_at: null });
  });

  it.each([
    ['an unknown grant', { grant_types: ['password'] }],
    ['no grant', { grant_types: [] }],
    ['a grant twice', { grant_types: ['client_credentials', 'client_credentials'] }],
    ['no scope', { scopes: [] }],
    ['a code with nowhere to send it', { grant_types: ['authorization_code'] }],
    ['implicit with nowhere to send it', { grant_types: ['implicit'], scopes: ['read:pets'] }],
    ['an address that nothing is sent to', { redirect_uris: ['https://app.example.com/'] }],
    ['refresh alone', { grant_types: ['client_credentials', 'refresh_token'] }],
    ['a public client in its own name', { public: true }],
    [
      'implicit without a scope that it may issue',
      { ...CODE_CLIENT, grant_types: ['implicit'], scopes: ['account:read'] },
    ],
    ['plain http', { ...CODE_CLIENT, redirect_uris: ['http://app.example.com/callback'] }],
    ['a fragment', { ...CODE_CLIENT, redirect_uris: ['https://app.example.com/callback#'] }],
    ['a wildcard', { ...CODE_CLIENT, redirect_uris: ['https://*.example.com/callback'] }],
    ['a user', { ...CODE_CLIENT, redirect_uris: ['https://app.example.com@evil.example/'] }],
    ['a backslash', { ...CODE_CLIENT, redirect_uris: ['https://evil.example\\@app.example.com/'] }],
    ['a script', { ...CODE_CLIENT, redirect_uris: ['javascript:alert(1)'] }],
    [
      'eleven addresses',
      { ...CODE_CLIENT, redirect_uris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) },
    ],
  ])('is refused with %s', async (_what, fields) => {
    expect(refusalOf(await alice.post('/auth/clients', { ...CLIENT, ...fields }))).toBe(
      '400 validation_failed',
    );
  });
});

describe('an API key', () => {
  it('acts on its owner’s account, with no more than its scopes', async () => {
    const { caller } = await makeKey(alice);
    expect((await caller.get('/accounts')).body).toEqual((await alice.get('/accounts')).body);
    expect(refusalOf(await caller.post('/orders', {}))).toBe('403 insufficient_scope');
    const { caller: bare } = await makeKey(alice, { scopes: undefined });
    expect(refusalOf(await bare.get('/orders'))).toBe('403 insufficient_scope');
  });

  it('is refused at once when it is deleted', async () => {
    const { keyId, caller } = await makeKey(alice);
    expect((await caller.get('/accounts')).status).toBe(200);
    expect((await alice.delete(`/auth/api-keys/${keyId}`)).status).toBe(204);
    expect(refusalOf(await caller.get('/accounts'))).toBe('401 invalid_api_key');
  });

  it('is refused once it has expired', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { keyId, caller, answer } = await makeKey(alice, { expires_at: expiresAt });
    expect(answer.body.expires_at).toBe(expiresAt);
    expect((await caller.get('/accounts')).status).toBe(200);
    await queryOnce(
      service.config.databaseUrl!,
      `UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE api_key_id = $1`,
      [keyId],
    );
    service.app.nest.get(CredentialAuthenticator).forgetAllOf(`api_key:${keyId}`);
    expect(refusalOf(await caller.get('/accounts'))).toBe('401 invalid_api_key');
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow', 1, '2026-02-31T00:00:00Z']) {
      const refused = await alice.post('/auth/api-keys', { name: 'Late', expires_at });
      expect(refusalOf(refused)).toBe('400 validation_failed');
    }
  });
});

describe('the last use', () => {
  it('is written now and then, of keys, clients and the clients that users let act', async () => {
    const { session } = await makeUser();
    const { caller: client } = await makeClient(session);
    const { caller: key } = await makeKey(session);
    const lastUses = service.app.nest.get(LastUses);
    await lastUses.flush();
    const before = Date.now();
    for (let i = 0; i < 20; i++) {
      expect((await client.get('/accounts')).status).toBe(200);
      expect((await key.get('/accounts')).status).toBe(200);
    }
    const seen = async (path: string): Promise<string | null> =>
      (await session.get(path)).body.data[0].last_used_at;
    expect(await seen('/auth/clients')).toBeNull();
    expect(await seen('/auth/api-keys')).toBeNull();
    await lastUses.flush();
    for (const path of ['/auth/clients', '/auth/api-keys']) {
      expect(Date.parse((await seen(path))!)).toBeGreaterThanOrEqual(before - 1_000);
    }
  });
});

describe('a user who is closed', () => {
  it('takes clients and keys along, at once and for good', async () => {
    const { username, session } = await makeUser();
    const { caller: client, answer } = await makeClient(session);
    const { caller: key } = await makeKey(session);
    for (const caller of [client, key]) expect((await caller.get('/accounts')).status).toBe(200);
    expect((await session.delete(`/user/${username}`)).status).toBe(200);
    expect(refusalOf(await client.get('/accounts'))).toBe('401 invalid_token');
    expect(refusalOf(await key.get('/accounts'))).toBe('401 invalid_api_key');
    expect(refusalOf(await tokenFor(answer))).toBe('401 invalid_client');
    const [left] = await queryOnce<{ rows: number }>(
      service.config.databaseUrl!,
      `SELECT (SELECT count(*) FROM oauth_clients WHERE owner_user_id = user_id)::int
            + (SELECT count(*) FROM api_keys WHERE owner_user_id = user_id)::int
            + (SELECT count(*) FROM oauth_tokens token WHERE token.user_id = users.user_id)::int AS rows
         FROM users WHERE username = $1`,
      [username],
    );
    expect(left!.rows).toBe(0);
  });

  it('locked, has clients and keys that are refused until the lock is gone', async () => {
    const { username, session } = await makeUser();
    const { caller: client, answer } = await makeClient(session);
    const { caller: key } = await makeKey(session);
    const setStatus = async (status: number): Promise<void> => {
      const [user] = await queryOnce<{ user_id: string }>(
        service.config.databaseUrl!,
        'UPDATE users SET user_status = $2 WHERE username = $1 RETURNING user_id',
        [username, status],
      );
      service.app.nest.get(CredentialAuthenticator).forgetAllOf(`user:${user!.user_id}`);
    };
    await setStatus(1);
    for (const caller of [session, client, key]) expect((await caller.get('/accounts')).status).toBe(401);
    expect(refusalOf(await tokenFor(answer))).toBe('401 invalid_client');
    await setStatus(0);
    for (const caller of [session, client, key]) expect((await caller.get('/accounts')).status).toBe(200);
  });
});
