import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import { digestOf } from '../../../src/modules/auth/secrets/secrets.js';
import { LoginSessionsService } from '../../../src/modules/auth/tokens/login-sessions.service.js';
import { UsersService } from '../../../src/modules/users/users.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { inRequest } from '../../support/audited.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import { PlainBrowser, type Page } from '../../support/oauth-browser.js';

const REDIRECT = 'https://shop.example/oauth/callback';
const SHOP = { client_id: 'shop', client_secret: 'shop-secret' };
const RIVAL = { client_id: 'rival', client_secret: 'rival-secret' };

const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let app: TestApp;
let database: pg.Client;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
  const clients = app.app.nest.get(OAuthClientsService);
  for (const clientId of ['shop', 'rival']) {
    await clients.ensure({
      clientId,
      name: `<script>alert("${clientId}")</script>`,
      secret: `${clientId}-secret`,
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris:
        clientId === 'shop' ? [REDIRECT] : ['https://rival.example/callback?a=b', 'http://127.0.0.1/cb'],
      scopes: clientId === 'shop' ? ['account:read', 'markets:trade'] : ['admin'],
    });
  }
});

afterAll(async () => {
  await database?.end();
  await app?.close();
});

/** The parameters of a valid request, with a test's changes; null removes one. */
function authorizeUrl(changes: Record<string, string | null> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: 'shop',
    redirect_uri: REDIRECT,
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given).toString()}`;
}

function browse(): PlainBrowser {
  return new PlainBrowser(app.url);
}

function open(changes: Record<string, string | null> = {}): Promise<Page> {
  return browse().open(authorizeUrl(changes));
}

/** The refusal that was sent to the client; it must have been sent nowhere else. */
function refusalOf(page: Page): Record<string, string> {
  expect(page.status).toBe(303);
  const location = new URL(page.location);
  expect(`${location.origin}${location.pathname}`).toBe(REDIRECT);
  return Object.fromEntries(location.searchParams);
}

function expectErrorPage(page: Page): void {
  expect(page.status).toBe(400);
  expect(page.response.headers.get('location')).toBeNull();
  expect(page.response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.title).toContain('Something is wrong');
}

async function codeFor(username: string, changes: Record<string, string | null> = {}): Promise<string> {
  const answer = await browse().authorize(authorizeUrl(changes), username);
  return String(answer.searchParams.get('code'));
}

function post(path: string, form: Record<string, string>): Promise<Response> {
  return fetch(`${app.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
}

function exchange(form: Record<string, string>): Promise<Response> {
  return post('/oauth/token', {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...SHOP,
    ...form,
  });
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function tokensFor(username: string): Promise<Tokens> {
  const response = await exchange({ code: await codeFor(username) });
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
}

async function expectError(response: Response, status: number, error: string): Promise<void> {
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([status, error]);
}

function read(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${app.url}${path}`, { headers });
}

describe('an address that is not the client’s', () => {
  it.each([
    ['with a suffix', `${REDIRECT}.evil.example`],
    ['with a longer path', `${REDIRECT}/more`],
    ['with a trailing slash', `${REDIRECT}/`],
    ['with a shorter path', 'https://shop.example/oauth'],
    ['on a subdomain', 'https://evil.shop.example/oauth/callback'],
    ['on a longer domain', 'https://shop.example.evil.example/oauth/callback'],
    ['behind a backslash', 'https://evil.example\\@shop.example/oauth/callback'],
    ['behind userinfo', 'https://shop.example@evil.example/oauth/callback'],
    ['with userinfo', 'https://evil@shop.example/oauth/callback'],
    ['with a fragment', `${REDIRECT}#evil`],
    ['with an empty fragment', `${REDIRECT}#`],
    ['with a query', `${REDIRECT}?next=https://evil.example`],
    ['with another port', 'https://shop.example:8443/oauth/callback'],
    ['with the default port', 'https://shop.example:443/oauth/callback'],
    ['in another scheme', 'http://shop.example/oauth/callback'],
    ['in capitals', 'https://SHOP.example/oauth/callback'],
    ['by a detour', 'https://shop.example/oauth/x/../callback'],
    ['by an encoded detour', 'https://shop.example/oauth/%2e%2e/oauth/callback'],
    ['with an encoded letter', 'https://shop.example/oauth/%63allback'],
    ['with a space before it', ` ${REDIRECT}`],
    ['with a newline after it', `${REDIRECT}\n`],
    ['of script', 'javascript:alert(1)//shop.example/oauth/callback'],
    ['of data', 'data:text/html,shop.example'],
    ['without a scheme', '//shop.example/oauth/callback'],
    ['on this machine', 'http://127.0.0.1/oauth/callback'],
    ['of nothing', ''],
    ['left out', null],
  ])('%s is never sent to', async (_how, redirectUri) => {
    expectErrorPage(await open({ redirect_uri: redirectUri }));
  });

  it.each([
    'http://127.0.0.1:80@evil.example/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:8080/cb/../cb',
    'http://127.0.0.1:8080/cb?x',
    'http://127.1:8080/cb',
    'http://localhost:8080/cb',
    'https://127.0.0.1:8080/cb',
    'http://[::1]:8080/cb',
  ])('%s is none of an app that listens on 127.0.0.1', async (redirectUri) => {
    expectErrorPage(await open({ client_id: 'rival', redirect_uri: redirectUri }));
  });

  it.each(['http://127.0.0.1:1/docs/oauth2-redirect.html', 'http://localhost:9/docs/oauth2-redirect.html'])(
    '%s gets no token of the implicit flow, which knows one port alone',
    async (redirectUri) => {
      const implicit = { client_id: 'petstore-ui', response_type: 'token', scope: 'read:pets' };
      expectErrorPage(await open({ ...implicit, redirect_uri: redirectUri }));
      const own = `${app.config.publicUrl}/docs/oauth2-redirect.html`;
      expect((await open({ ...implicit, redirect_uri: own })).title).toContain('Log in');
    },
  );

  it('has no free port for a code of a client that has a secret', async () => {
    expectErrorPage(await open({ client_id: 'rival', redirect_uri: 'http://127.0.0.1:9/cb' }));
    expect((await open({ client_id: 'rival', redirect_uri: 'http://127.0.0.1/cb' })).title).toContain(
      'Log in',
    );
  });

  it('is not reached by an error either', async () => {
    const evil = 'https://evil.example/';
    const refused: Record<string, string | null>[] = [
      { response_type: 'none' },
      { scope: 'nothing' },
      { prompt: 'none' },
      { code_challenge: null },
    ];
    for (const changes of refused) expectErrorPage(await open({ ...changes, redirect_uri: evil }));
    expectErrorPage(await open({ client_id: 'nobody' }));
    expectErrorPage(await open({ client_id: null }));
    // A client without the grant has no redirect address.
    expectErrorPage(await open({ client_id: 'demo' }));
  });

  it('keeps the query of one that has its own', async () => {
    const redirectUri = 'https://rival.example/callback?a=b';
    const page = await open({ client_id: 'rival', redirect_uri: redirectUri, scope: 'account:read' });
    expect(page.location).toMatch(/^https:\/\/rival\.example\/callback\?a=b&error=invalid_scope&/);
  });

  it('is an error page too if the parameter comes twice', async () => {
    expectErrorPage(await browse().open(`${authorizeUrl()}&redirect_uri=${encodeURIComponent(REDIRECT)}`));
    expectErrorPage(await browse().open(`${authorizeUrl()}&client_id=shop`));
  });
});

describe('a bad request of a good client', () => {
  it.each([
    ['without response_type', { response_type: null }, 'invalid_request'],
    ['of an unknown response_type', { response_type: 'code token' }, 'unsupported_response_type'],
    [
      'of a response_type named like a built-in',
      { response_type: 'constructor' },
      'unsupported_response_type',
    ],
    ['without a challenge', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with a challenge in the clear', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge of no method', { code_challenge_method: null }, 'invalid_request'],
    ['with a challenge that no digest is', { code_challenge: 'short' }, 'invalid_request'],
    ['with a scope that the client lacks', { scope: 'account:read admin' }, 'invalid_scope'],
    ['with a scope that nobody has', { scope: 'everything' }, 'invalid_scope'],
    ['with a scope of odd characters', { scope: 'account:read  "x"' }, 'invalid_scope'],
    ['that wants a code in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['that wants the answer posted', { response_mode: 'form_post' }, 'invalid_request'],
    ['that wants no page', { prompt: 'none' }, 'login_required'],
    ['that wants no page and one', { prompt: 'none login' }, 'invalid_request'],
    ['with a prompt that there is not', { prompt: 'create' }, 'invalid_request'],
  ])('%s is answered to the client', async (_how, changes, error) => {
    const { error: told, state, iss } = refusalOf(await open(changes));
    expect([told, state, iss]).toEqual([error, 'xyz', app.config.publicUrl]);
  });

  it.each(['state', 'scope', 'response_type', 'code_challenge', 'prompt', 'unknown'])(
    'that repeats %s is answered to the client',
    async (name) => {
      const page = await browse().open(`${authorizeUrl()}&${name}=a&${name}=b`);
      expect(refusalOf(page)['error']).toBe('invalid_request');
    },
  );

  it('has its state echoed as it is, whatever that is', async () => {
    const state = 'a b\r\nLocation: https://evil.example "<>&=#%00é';
    expect(refusalOf(await open({ scope: 'everything', state: state.replace('%00', '') }))['state']).toBe(
      state.replace('%00', ''),
    );
    expect(refusalOf(await open({ scope: 'everything', state: null }))).not.toHaveProperty('state');
  });

  it('ignores what it does not know', async () => {
    expect((await open({ nonce: 'x', max_age: '0', resource: 'https://x.example' })).title).toContain(
      'Log in',
    );
  });
});

describe('the pages', () => {
  it('are framed by nobody, run nothing, and are kept by nobody', async () => {
    const browser = browse();
    const login = await browser.open(authorizeUrl());
    const consent = await browser.logIn(authorizeUrl(), 'alice');
    const failure = await open({ client_id: 'nobody' });
    for (const page of [login, consent, failure]) {
      const policy = String(page.response.headers.get('content-security-policy')).split('; ');
      expect(policy).toEqual([
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        page === failure ? "form-action 'none'" : "form-action 'self' https://shop.example",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(page.response.headers.get('x-frame-options')).toBe('DENY');
      expect(page.response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.response.headers.get('cache-control')).toBe('no-store');
      expect(page.html).not.toMatch(/<script|style=|onload|javascript:/);
      expect(page.html).toContain('<html lang="en">');
    }
    expect(login.html).toContain('&lt;script&gt;alert(&quot;shop&quot;)&lt;/script&gt;');
    expect(consent.html).toContain('shop.example');
  });

  it('show what was typed and asked as text', async () => {
    const browser = browse();
    const login = await browser.open(authorizeUrl({ state: '"><img src=x>' }));
    expect(login.html).not.toContain('<img');
    const again = await browser.submit(login, { username: '"><script>1</script>', password: 'x' });
    expect(again.status).toBe(403);
    expect(again.html).toContain('value="&quot;&gt;&lt;script&gt;1&lt;/script&gt;"');
  });

  it('are there for people when the address is broken', async () => {
    const page = await browse().open('/oauth/authorize?client_id=%E0%A4%A');
    expectErrorPage(page);
    const token = await browse().open(`${authorizeUrl()}&access_token=x`);
    expectErrorPage(token);
  });

  it('load a stylesheet that needs nothing else', async () => {
    const response = await read('/oauth/pages.css', {});
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).not.toMatch(/url\(|@import/);
  });
});

describe('the log-in', () => {
  it('says that a password is wrong, to people and to those who listen', async () => {
    const browser = browse();
    const login = await browser.open(authorizeUrl());
    for (const fields of [
      { username: 'alice', password: 'wrong' },
      { username: 'nobody', password: 'alice-password' },
      { username: '', password: '' },
    ]) {
      const page = await browser.submit(login, fields);
      expect(page.status).toBe(403);
      expect(page.response.headers.get('www-authenticate')).toBeNull();
      expect(page.alert).toBe('Check the user name and the password.');
      expect(page.html).toContain('aria-describedby="problem"');
      expect(page.html).not.toContain('alice-password');
    }
    expect((await browser.open(authorizeUrl())).title).toContain('Log in');
  });

  it.each([
    ['without a token', { csrf_token: '' }, {}],
    ['with a token of the same length', { csrf_token: digestOf('guess') }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', {}, { 'sec-fetch-site': 'same-site' }],
  ])('is not taken %s', async (_how, fields, headers) => {
    const browser = browse();
    const login = await browser.open(authorizeUrl());
    const page = await browser.submit(
      login,
      { username: 'alice', password: 'alice-password', ...fields },
      headers,
    );
    expect(page.status).toBe(403);
    expect(page.alert).toMatch(/open for too long/);
    expect((await browser.open(authorizeUrl())).title).toContain('Log in');
  });

  it('is not taken with the token of another browser, or without the cookie', async () => {
    const credentials = { username: 'alice', password: 'alice-password' };
    const attacker = await browse().open(authorizeUrl());
    const victim = browse();
    const login = await victim.open(authorizeUrl());
    const foreign = await victim.submit(login, { ...credentials, csrf_token: attacker.csrfToken });
    expect([foreign.status, foreign.title]).toEqual([403, login.title]);
    victim.cookies.clear();
    expect((await victim.submit(login, credentials)).status).toBe(403);
  });

  it('gives the browser another cookie, so that one that was planted is no log-in', async () => {
    const victim = browse();
    await victim.open(authorizeUrl());
    const planted = new Map(victim.cookies);
    expect((await victim.logIn(authorizeUrl(), 'alice')).title).toContain('Allow access');
    const attacker = browse();
    for (const [name, cookie] of planted) attacker.cookies.set(name, cookie);
    expect((await attacker.open(authorizeUrl())).title).toContain('Log in');
  });

  it('is asked again where the client wants it, or the user', async () => {
    const browser = browse();
    expect((await browser.logIn(authorizeUrl(), 'alice')).title).toContain('Allow access');
    for (const prompt of ['login', 'select_account', 'login consent']) {
      expect((await browser.open(authorizeUrl({ prompt }))).title).toContain('Log in');
    }
    expect((await browser.open(authorizeUrl({ prompt: 'consent' }))).title).toContain('Allow access');
    // The prompt ends: the second log-in leads to the consent page.
    const consent = await browser.logIn(authorizeUrl({ prompt: 'login' }), 'bob');
    expect(consent.html).toContain('<strong>bob</strong>');
    expect(refusalOf(await browser.open(authorizeUrl({ prompt: 'none' })))['error']).toBe('consent_required');
  });

  const ofHostAlone = /^__Host-tradepost_login=tpl_[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/;

  it('is in a cookie that no script reads and no other host sets', async () => {
    const { response } = await open();
    expect(response.headers.get('set-cookie')).toMatch(ofHostAlone);
  });

  it.each([
    ['https://trade.example/api', ofHostAlone],
    // Browsers would reject a cookie with the prefix there.
    ['http://trade.example', /^tradepost_login=tpl_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/],
  ])('is in a cookie that browsers keep at %s', async (publicUrl, cookie) => {
    const log = recordStandardOutput();
    const other = await startTestApp({
      publicUrl,
      databaseUrl: app.config.databaseUrl,
      seedDemo: false,
      logLevel: 'warn',
    });
    try {
      const { headers } = await fetch(`${other.url}${authorizeUrl()}`);
      expect(headers.get('set-cookie')).toMatch(cookie);
    } finally {
      await other.close();
      log.stop();
    }
    expect(
      log
        .text()
        .split('\n')
        .filter((line) => line.includes('PUBLIC_URL')),
    ).toHaveLength(publicUrl === 'http://trade.example' ? 1 : 0);
  });

  it('is none by a cookie that a neighbour could have planted', async () => {
    const browser = browse();
    await browser.logIn(authorizeUrl(), 'alice');
    const [{ value = '' } = {}] = browser.cookies.values();
    const planted = await fetch(`${app.url}${authorizeUrl({ prompt: 'none' })}`, {
      headers: { cookie: `tradepost_login=${value}; __Secure-tradepost_login=${value}` },
      redirect: 'manual',
    });
    expect(planted.headers.get('location')).toContain('error=login_required');
  });

  it('is nothing to the API', async () => {
    const browser = browse();
    await browser.logIn(authorizeUrl(), 'alice');
    const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    for (const path of ['/accounts', '/admin/ledger/check', '/orders']) {
      expect((await read(path, { cookie })).status, path).toBe(401);
    }
    const [{ value = '' } = {}] = browser.cookies.values();
    expect((await read('/accounts', { authorization: `Bearer ${value}` })).status).toBe(401);
  });

  it('expires', async () => {
    const browser = browse();
    const consent = await browser.logIn(authorizeUrl(), 'alice');
    await database.query(`UPDATE login_sessions SET expires_at = now() - interval '1 second'`);
    const page = await browser.submit(consent, { decision: 'allow' });
    expect([page.status, page.title]).toEqual([403, 'Log in – Tradepost']);
  });

  it('is none by a password that was changed while it was being verified', async () => {
    const alice = await app.app.nest.get(UsersService).findByUsername('alice');
    const logins = app.app.nest.get(LoginSessionsService);
    const stale = {
      userId: String(alice?.userId),
      username: 'alice',
      passwordHash: 'the hash of another password',
    };
    const origin = { device: 'curl', address: '127.0.0.1' };
    const proof = { by: 'password', formerSecret: 'tpl_former' } as const;
    await expect(logins.start(stale, 'consent', origin, proof)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    const { rowCount } = await database.query('SELECT FROM login_sessions WHERE user_id = $1', [
      stale.userId,
    ]);
    const secret = await inRequest(() =>
      logins.start({ ...stale, passwordHash: alice?.passwordHash ?? null }, 'consent', origin, proof),
    );
    expect(await logins.find(secret)).toMatchObject({ username: 'alice' });
    const after = await database.query('SELECT FROM login_sessions WHERE user_id = $1', [stale.userId]);
    expect(after.rowCount).toBe((rowCount ?? 0) + 1);
  });
});

describe('the consent', () => {
  it.each([
    ['without a token', { csrf_token: '' }, {}],
    ['with a token of the same length', { csrf_token: digestOf('guess') }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('is not taken %s', async (_how, fields, headers) => {
    const browser = browse();
    const consent = await browser.logIn(authorizeUrl(), 'alice');
    const page = await browser.submit(consent, { decision: 'allow', ...fields }, headers);
    expect(page.status).toBe(403);
    expect(page.title).toContain('Allow access');
    expect(page.alert).toMatch(/open for too long/);
  });

  it('is not taken from a page that was shown to another user', async () => {
    const browser = browse();
    const ofAlice = await browser.logIn(authorizeUrl(), 'alice');
    await browser.logIn(authorizeUrl({ prompt: 'login' }), 'bob');
    expect((await browser.submit(ofAlice, { decision: 'allow' })).status).toBe(403);
  });

  it('is not given by anything but the word for it', async () => {
    for (const decision of ['deny', '', 'ALLOW']) {
      const browser = browse();
      const consent = await browser.logIn(authorizeUrl(), 'alice');
      expect(refusalOf(await browser.submit(consent, { decision }))['error']).toBe('access_denied');
    }
  });

  it('is of the request as it is posted, checked anew', async () => {
    const browser = browse();
    const consent = await browser.logIn(authorizeUrl(), 'alice');
    const form = { csrf_token: consent.csrfToken, decision: 'allow' };
    const evil = authorizeUrl({ redirect_uri: 'https://evil.example/' }).replace('authorize', 'consent');
    expectErrorPage(await browser.open(evil, { method: 'POST', body: new URLSearchParams(form) }));
  });

  it('is not asked where there is nothing that the user could give', async () => {
    const answer = await browse().logIn(
      authorizeUrl({ client_id: 'rival', redirect_uri: 'http://127.0.0.1/cb' }),
      'alice',
    );
    expect(new URL(answer.location).searchParams.get('error')).toBe('access_denied');
  });

  it('takes forms only', async () => {
    const page = await browse().open(authorizeUrl().replace('authorize', 'consent'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"allow"}',
    });
    expect(page.status).toBe(415);
  });
});

describe('a code', () => {
  it('is for the client that it was given to', async () => {
    const code = await codeFor('alice');
    await expectError(await exchange({ code, ...RIVAL }), 400, 'invalid_grant');
    await expectError(await exchange({ code, client_secret: 'wrong' }), 401, 'invalid_client');
    await expectError(
      await exchange({ code, client_id: 'petstore-ui', client_secret: '' }),
      400,
      'invalid_grant',
    );
    const { client_id: clientId } = SHOP;
    const bare = { grant_type: 'authorization_code', client_id: clientId, code };
    const form = { ...bare, redirect_uri: REDIRECT, code_verifier: VERIFIER };
    await expectError(await post('/oauth/token', form), 401, 'invalid_client');
    expect((await exchange({ code })).status).toBe(200);
  });

  it.each([
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
    ['the challenge in place of the verifier', { code_verifier: CHALLENGE }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['a verifier that is too short', { code_verifier: 'x'.repeat(42) }, 'invalid_request'],
    ['another redirect_uri', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['no code', { code: '' }, 'invalid_request'],
    ['another code', { code: `tpc_${randomBytes(32).toString('base64url')}` }, 'invalid_grant'],
    ['a JWT that nobody signed', { code: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_grant'],
  ])('is not exchanged with %s', async (_what, changes, error) => {
    await expectError(await exchange({ code: await codeFor('alice'), ...changes }), 400, error);
  });

  it('is good once, and the second use takes back what the first gave', async () => {
    const code = await codeFor('alice');
    const first = (await (await exchange({ code })).json()) as Tokens;
    const bearer = { authorization: `Bearer ${first.access_token}` };
    expect((await read('/accounts', bearer)).status).toBe(200);
    await expectError(await exchange({ code }), 400, 'invalid_grant');
    expect((await read('/accounts', bearer)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token, ...SHOP };
    await expectError(await post('/oauth/token', refresh), 400, 'invalid_grant');
  });

  it('lives for a minute', async () => {
    const code = await codeFor('alice');
    const { rows } = await database.query<{ lifetime_s: number }>(
      `SELECT extract(epoch FROM code_expires_at - granted_at)::int AS lifetime_s
         FROM oauth_grants WHERE code_hash = $1`,
      [digestOf(code)],
    );
    expect(rows).toEqual([{ lifetime_s: 60 }]);
    await database.query(
      `UPDATE oauth_grants SET code_expires_at = now() - interval '1 second' WHERE code_hash = $1`,
      [digestOf(code)],
    );
    await expectError(await exchange({ code }), 400, 'invalid_grant');
  });

  it('is worth nothing once the client may do none of it, however much else it may do', async () => {
    const code = await codeFor('alice', { scope: 'account:read' });
    await database.query(`UPDATE oauth_clients SET scopes = '{markets:trade}' WHERE client_id = 'shop'`);
    try {
      await expectError(await exchange({ code }), 400, 'invalid_grant');
    } finally {
      await database.query(
        `UPDATE oauth_clients SET scopes = '{account:read,markets:trade}' WHERE client_id = 'shop'`,
      );
    }
  });
});

describe('a refresh token', () => {
  it('is for the client that it was given to, and only there', async () => {
    const { refresh_token: token } = await tokensFor('alice');
    const form = { grant_type: 'refresh_token', refresh_token: token };
    await expectError(await post('/oauth/token', { ...form, ...RIVAL }), 400, 'invalid_grant');
    await expectError(await post('/oauth/token', { ...form, client_id: 'shop' }), 401, 'invalid_client');
    const house = await post('/auth/token', { ...form, ...SHOP });
    expect(await house.json()).toMatchObject({ error: { code: 'unsupported_grant_type' } });
    expect((await read('/accounts', { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await post('/oauth/token', { ...form, ...SHOP })).status).toBe(200);
  });

  it('expires after thirty days', async () => {
    const { refresh_token: token } = await tokensFor('alice');
    const { rows } = await database.query<{ days: number }>(
      `SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int AS days
         FROM refresh_tokens WHERE token_hash = $1`,
      [digestOf(token)],
    );
    expect(rows).toEqual([{ days: 30 }]);
    await database.query(
      `UPDATE refresh_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = $1`,
      [digestOf(token)],
    );
    const form = { grant_type: 'refresh_token', refresh_token: token, ...SHOP };
    await expectError(await post('/oauth/token', form), 400, 'invalid_grant');
  });

  it('is not to be had by a client that is not registered for it', async () => {
    await database.query(
      `UPDATE oauth_clients SET grant_types = '{authorization_code}' WHERE client_id = 'shop'`,
    );
    try {
      const body = (await (await exchange({ code: await codeFor('alice') })).json()) as object;
      expect(body).not.toHaveProperty('refresh_token');
    } finally {
      await database.query(
        `UPDATE oauth_clients SET grant_types = '{authorization_code,refresh_token}' WHERE client_id = 'shop'`,
      );
    }
  });
});

describe('questions about tokens', () => {
  it('are answered to a client that proves itself, about its own tokens', async () => {
    const { access_token: token, refresh_token: refreshToken } = await tokensFor('alice');
    for (const asked of [token, refreshToken]) {
      const own = await post('/oauth/introspect', { token: asked, ...SHOP });
      expect(await own.json()).toMatchObject({ active: true, username: 'alice' });
      expect(own.headers.get('cache-control')).toBe('no-store');
      const foreign = await post('/oauth/introspect', { token: asked, ...RIVAL });
      expect(await foreign.json()).toEqual({ active: false });
    }
    for (const [form, status, error] of [
      [{ token }, 400, 'invalid_request'],
      [{ token, client_id: 'shop' }, 401, 'invalid_client'],
      [{ token, ...SHOP, client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ token, client_id: 'petstore-ui' }, 401, 'invalid_client'],
      [{ token, client_id: 'nobody', client_secret: 'x' }, 401, 'invalid_client'],
      [SHOP, 400, 'invalid_request'],
    ] as const) {
      await expectError(await post('/oauth/introspect', form), status, error);
    }
  });

  it('take nothing away: one about a used refresh token leaves its successor alone', async () => {
    const { refresh_token: used } = await tokensFor('alice');
    const form = { grant_type: 'refresh_token', ...SHOP };
    const next = (await (await post('/oauth/token', { ...form, refresh_token: used })).json()) as Tokens;
    const told = await post('/oauth/introspect', { token: used, ...SHOP });
    expect(await told.json()).toEqual({ active: false });
    const again = await post('/oauth/token', { ...form, refresh_token: next.refresh_token });
    expect(again.status).toBe(200);
  });

  it('tell of an expired or locked-out token that it is not active', async () => {
    const { access_token: token } = await tokensFor('alice');
    const introspect = async (): Promise<unknown> =>
      (await post('/oauth/introspect', { token, ...SHOP })).json();
    await database.query(`UPDATE users SET user_status = 1 WHERE username = 'alice'`);
    expect(await introspect()).toEqual({ active: false });
    await database.query(`UPDATE users SET user_status = 0 WHERE username = 'alice'`);
    await database.query(
      `UPDATE oauth_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = $1`,
      [digestOf(token)],
    );
    expect(await introspect()).toEqual({ active: false });
  });
});

describe('a revocation', () => {
  it('is of a client’s own tokens: any other is answered the same and stays', async () => {
    const { access_token: token, refresh_token: refreshToken } = await tokensFor('alice');
    const bearer = { authorization: `Bearer ${token}` };
    for (const asked of [token, refreshToken, 'tpa_unknown']) {
      const response = await post('/oauth/revoke', { token: asked, ...RIVAL });
      expect([response.status, await response.text()]).toEqual([200, '{}']);
    }
    expect((await read('/accounts', bearer)).status).toBe(200);
    await expectError(await post('/oauth/revoke', { token, client_id: 'shop' }), 401, 'invalid_client');
    await expectError(await post('/oauth/revoke', SHOP), 400, 'invalid_request');
    expect((await post('/oauth/revoke', { token: refreshToken, ...SHOP })).status).toBe(200);
    expect((await read('/accounts', bearer)).status).toBe(401);
  });
});

it('slows down who guesses passwords on the page', async () => {
  const limited = await startTestApp();
  try {
    const browser = new PlainBrowser(limited.url);
    const login = await browser.open(
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'token',
        client_id: 'petstore-ui',
        redirect_uri: `${limited.config.publicUrl}/docs/oauth2-redirect.html`,
      }).toString()}`,
    );
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await browser.submit(login, { username: 'alice', password: 'guess' })).status).toBe(403);
    }
    const page = await browser.submit(login, { username: 'alice', password: 'alice-password' });
    expect(page.status).toBe(429);
    expect(Number(page.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(page.alert).toMatch(/Too many/);
  } finally {
    await limited.close();
  }
});
