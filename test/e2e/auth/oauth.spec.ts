import { AuthorizationServer } from '@jmondi/oauth2-server';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import { AccessTokensService } from '../../../src/modules/auth/tokens/access-tokens.service.js';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { UserStatus } from '../../../src/modules/users/user.entity.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { PlainBrowser } from '../../support/oauth-browser.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const WEB_REDIRECT = 'https://shop.example/oauth/callback';
const APP_REDIRECT = 'com.example.trader:/signed-in';

let app: TestApp;
let database: pg.Client;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
  const clients = app.app.nest.get(OAuthClientsService);
  await clients.ensure({
    clientId: 'shop',
    name: 'Shop <b>& Sons</b>',
    secret: 'shop-secret',
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirectUris: [WEB_REDIRECT],
    scopes: ['markets:trade', 'account:read', 'admin'],
  });
  await clients.ensure({
    clientId: 'phone',
    name: 'Phone app',
    secret: null,
    grantTypes: ['authorization_code'],
    redirectUris: [APP_REDIRECT, 'http://127.0.0.1/callback', 'http://[::1]/callback'],
    scopes: ['account:read'],
  });
});

afterAll(async () => {
  await database?.end();
  await app?.close();
});

/** A client of openid-client, configured by discovery alone. */
async function discover(clientId: string, authentication: openid.ClientAuth): Promise<openid.Configuration> {
  return openid.discovery(new URL(app.url), clientId, undefined, authentication, {
    algorithm: 'oauth2',
    // A test has no TLS; the library calls it deprecated so that nothing else goes without.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    execute: [openid.allowInsecureRequests],
  });
}

interface Attempt {
  readonly url: string;
  readonly checks: openid.AuthorizationCodeGrantChecks;
}

async function startAuthorization(
  config: openid.Configuration,
  redirectUri: string,
  scope?: string,
): Promise<Attempt> {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...(scope !== undefined && { scope }),
  });
  return { url: url.href, checks: { pkceCodeVerifier, expectedState } };
}

/** The whole flow of openid-client up to the tokens. */
async function tokensOf(
  username: string,
  { clientId = 'shop', secret = 'shop-secret', redirectUri = WEB_REDIRECT, scope }: TokenWishes = {},
): Promise<{ tokens: openid.TokenEndpointResponse; config: openid.Configuration }> {
  const config = await discover(clientId, secret === null ? openid.None() : openid.ClientSecretBasic(secret));
  const { url, checks } = await startAuthorization(config, redirectUri, scope);
  const answer = await new PlainBrowser(app.url).authorize(url, username);
  return { tokens: await openid.authorizationCodeGrant(config, answer, checks), config };
}

interface TokenWishes {
  readonly clientId?: string;
  readonly secret?: string | null;
  readonly redirectUri?: string;
  readonly scope?: string;
}

const UI = { clientId: 'petstore-ui', secret: null } as const;

function uiRedirect(): string {
  return `${app.config.publicUrl}/docs/oauth2-redirect.html`;
}

function get(path: string, token: string): Promise<Response> {
  return fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

function post(path: string, form: Record<string, string>): Promise<Response> {
  return fetch(`${app.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });
}

describe('by openid-client', () => {
  it('a client discovers the endpoints and gets a token in its own name', async () => {
    const config = await discover('demo', openid.ClientSecretPost('demo-secret'));
    const tokens = await openid.clientCredentialsGrant(config, { scope: 'account:read' });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'account:read' });
    expect(tokens.refresh_token).toBeUndefined();
    const accounts = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${app.url}/accounts`),
      'GET',
    );
    expect(accounts.status).toBe(200);
  });

  it('a user lets a client act for them, on their own account', async () => {
    const { tokens } = await tokensOf('alice');
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'markets:trade account:read' });
    expect(tokens.refresh_token).toMatch(/^tpr_[\w-]{43}$/);
    const { rows } = await database.query<{ user_id: string }>(
      `SELECT user_id FROM users WHERE username = 'alice'`,
    );
    const accounts = (await (await get('/accounts', tokens.access_token)).json()) as {
      data: { owner?: string; name: string }[];
    };
    expect(accounts.data.map(({ name }) => name)).toEqual(['alice']);
    expect(rows).toHaveLength(1);
  });

  it('the scope admin goes to operators alone', async () => {
    const { tokens } = await tokensOf('admin');
    expect(tokens.scope).toBe('markets:trade account:read admin');
    expect((await get('/admin/ledger/check', tokens.access_token)).status).toBe(200);
    const { tokens: narrow } = await tokensOf('alice', { scope: 'account:read admin' });
    expect(narrow.scope).toBe('account:read');
  });

  it('an app on the user’s machine listens at whatever port it got', async () => {
    for (const redirectUri of ['http://127.0.0.1:51234/callback', 'http://[::1]:8/callback']) {
      const { tokens } = await tokensOf('bob', { clientId: 'phone', secret: null, redirectUri });
      expect(tokens.refresh_token).toBeUndefined();
      expect((await get('/accounts', tokens.access_token)).status).toBe(200);
    }
  });

  it('an app is called back by a scheme of its own', async () => {
    const config = await discover('phone', openid.None());
    const { url, checks } = await startAuthorization(config, APP_REDIRECT);
    const answer = await new PlainBrowser(app.url).authorize(url, 'bob');
    expect(answer.href).toMatch(/^com\.example\.trader:\/signed-in\?code=/);
    expect((await openid.authorizationCodeGrant(config, answer, checks)).scope).toBe('account:read');
  });

  it('refresh tokens rotate, and may narrow what the next token does but never widen it', async () => {
    const { tokens, config } = await tokensOf('alice');
    const narrowed = await openid.refreshTokenGrant(config, String(tokens.refresh_token), {
      scope: 'account:read',
    });
    expect(narrowed.scope).toBe('account:read');
    expect(narrowed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await get('/accounts', narrowed.access_token)).status).toBe(200);

    const whole = await openid.refreshTokenGrant(config, String(narrowed.refresh_token));
    expect(whole.scope).toBe('markets:trade account:read');
    await expect(
      openid.refreshTokenGrant(config, String(whole.refresh_token), { scope: 'wallets:read' }),
    ).rejects.toMatchObject({ error: 'invalid_scope' });
    // A refused request does not use up the token.
    expect((await openid.refreshTokenGrant(config, String(whole.refresh_token))).scope).toBe(whole.scope);
  });

  it('a refresh token that comes twice ends all that came from the grant', async () => {
    const { tokens, config } = await tokensOf('alice');
    const next = await openid.refreshTokenGrant(config, String(tokens.refresh_token));
    expect((await get('/accounts', next.access_token)).status).toBe(200);
    await expect(openid.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await get('/accounts', tokens.access_token)).status).toBe(401);
    expect((await get('/accounts', next.access_token)).status).toBe(401);
    await expect(openid.refreshTokenGrant(config, String(next.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('a revoked access token is gone alone, a revoked refresh token with all of its grant', async () => {
    const { tokens, config } = await tokensOf('alice');
    const next = await openid.refreshTokenGrant(config, String(tokens.refresh_token));
    await openid.tokenRevocation(config, tokens.access_token);
    expect((await get('/accounts', tokens.access_token)).status).toBe(401);
    expect((await get('/accounts', next.access_token)).status).toBe(200);
    await openid.tokenRevocation(config, String(next.refresh_token), { token_type_hint: 'refresh_token' });
    expect((await get('/accounts', next.access_token)).status).toBe(401);
  });

  it('a client may ask what its tokens are good for', async () => {
    const { tokens, config } = await tokensOf('alice');
    const told = await openid.tokenIntrospection(config, tokens.access_token);
    expect(told).toMatchObject({
      active: true,
      client_id: 'shop',
      username: 'alice',
      scope: 'markets:trade account:read',
      token_type: 'Bearer',
      iss: app.config.publicUrl,
      sub: expect.stringMatching(/^user:\d+$/) as string,
    });
    expect(Number(told.exp) - Number(told.iat)).toBe(3600);
    expect(await openid.tokenIntrospection(config, String(tokens.refresh_token))).toMatchObject({
      active: true,
      username: 'alice',
    });
    await openid.tokenRevocation(config, String(tokens.refresh_token));
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    expect(await openid.tokenIntrospection(config, String(tokens.refresh_token))).toEqual({ active: false });
  });
});

describe('by oauth4webapi', () => {
  // As above: there is no TLS here.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const insecure = { [oauth.allowInsecureRequests]: true };
  let server: oauth.AuthorizationServer;

  beforeAll(async () => {
    const issuer = new URL(app.url);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    server = await oauth.processDiscoveryResponse(issuer, response);
  });

  it('the metadata name every endpoint and what it takes', () => {
    const issuer = app.config.publicUrl;
    expect(server).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token', 'implicit'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('a public client gets a code, tokens, a refresh, and takes all of it back', async () => {
    const client: oauth.Client = { client_id: UI.clientId };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(String(server.authorization_endpoint));
    url.search = new URLSearchParams({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: uiRedirect(),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const answer = await new PlainBrowser(app.url).authorize(url.href, 'alice');
    // The library requires the `iss` that the metadata promise.
    const callback = oauth.validateAuthResponse(server, client, answer, state);
    const granted = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        callback,
        uiRedirect(),
        verifier,
        insecure,
      ),
    );
    expect(granted.scope).toBe('read:pets write:pets');
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        String(granted.refresh_token),
        insecure,
      ),
    );
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), String(refreshed.refresh_token), insecure),
    );
    expect((await get('/accounts', refreshed.access_token)).status).toBe(401);
  });

  it('a client with a secret proves itself either way, and may introspect', async () => {
    const client: oauth.Client = { client_id: 'demo' };
    for (const authentication of [
      oauth.ClientSecretBasic('demo-secret'),
      oauth.ClientSecretPost('demo-secret'),
    ]) {
      const token = await oauth.processClientCredentialsResponse(
        server,
        client,
        await oauth.clientCredentialsGrantRequest(
          server,
          client,
          authentication,
          new URLSearchParams(),
          insecure,
        ),
      );
      const told = await oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, token.access_token, insecure),
      );
      expect(told).toMatchObject({ active: true, client_id: 'demo', sub: 'client:demo' });
      expect(told.username).toBeUndefined();
    }
  });
});

describe('the implicit flow', () => {
  function url(parameters: Record<string, string> = {}): string {
    return `/oauth/authorize?${new URLSearchParams({
      response_type: 'token',
      client_id: UI.clientId,
      redirect_uri: uiRedirect(),
      state: 'a b&c',
      ...parameters,
    }).toString()}`;
  }

  it('answers in the fragment, with state, scope and issuer', async () => {
    const answer = await new PlainBrowser(app.url).authorize(url(), 'alice');
    expect(answer.search).toBe('');
    expect(Object.fromEntries(new URLSearchParams(answer.hash.slice(1)))).toEqual({
      access_token: expect.stringMatching(/^tpa_[\w-]{43}$/) as string,
      token_type: 'Bearer',
      expires_in: expect.stringMatching(/^3(5\d\d|600)$/) as string,
      state: 'a b&c',
      iss: app.config.publicUrl,
      scope: 'read:pets write:pets',
    });
  });

  it('gives the scopes that are asked for, for the user', async () => {
    const answer = await new PlainBrowser(app.url).authorize(url({ scope: 'read:pets' }), 'alice');
    const token = String(new URLSearchParams(answer.hash.slice(1)).get('access_token'));
    const { rows } = await database.query<{ scopes: string[]; client_id: string; username: string }>(
      `SELECT scopes, client_id, username FROM oauth_tokens JOIN users USING (user_id)
        ORDER BY issued_at DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ scopes: ['read:pets'], client_id: UI.clientId, username: 'alice' }]);
    expect((await get('/accounts', token)).status).toBe(403);
  });

  it('refuses in the fragment too', async () => {
    const browser = new PlainBrowser(app.url);
    const consent = await browser.logIn(url(), 'alice');
    const denied = new URL((await browser.submit(consent, { decision: 'deny' })).location);
    const answer = new URLSearchParams(denied.hash.slice(1));
    expect(answer.get('error')).toBe('access_denied');
    expect([answer.get('state'), answer.get('iss')]).toEqual(['a b&c', app.config.publicUrl]);
  });

  it.each([
    [
      'a client that is not registered for it',
      { client_id: 'shop', redirect_uri: WEB_REDIRECT },
      'unauthorized_client',
    ],
    ['a scope beyond the two of pets', { scope: 'markets:trade' }, 'invalid_scope'],
    ['the scope admin', { scope: 'admin' }, 'invalid_scope'],
    ['an answer in the query', { response_mode: 'query' }, 'invalid_request'],
  ])('is not for %s', async (_what, parameters, error) => {
    const { status, location } = await new PlainBrowser(app.url).open(url(parameters));
    expect(status).toBe(303);
    expect(new URLSearchParams(new URL(location).hash.slice(1)).get('error')).toBe(error);
  });
});

describe('the end of a user’s word', () => {
  it('comes at once with the password’s change, for grants, sessions and pages alike', async () => {
    const { tokens, config } = await tokensOf('bob');
    const browser = new PlainBrowser(app.url);
    const { url } = await startAuthorization(config, WEB_REDIRECT);
    expect((await browser.logIn(url, 'bob')).title).toContain('Allow access');
    expect((await get('/accounts', tokens.access_token)).status).toBe(200);

    const { rows } = await database.query<{ user_id: string }>(
      `SELECT user_id FROM users WHERE username = 'bob'`,
    );
    await app.app.nest.get(AccessTokensService).revokeAllOfUser(String(rows[0]?.user_id));
    expect((await get('/accounts', tokens.access_token)).status).toBe(401);
    await expect(openid.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await browser.open(url)).title).toContain('Log in');
  });

  it('comes with a new password, and never by what a client holds', async () => {
    const users = new UserCaller(app.url);
    const made = { username: 'robbed', password: 'robbed-password' };
    expect((await (await clientOf(app, 'admin')).post('/user', made)).status).toBe(200);
    const { tokens, config } = await tokensOf('robbed');
    const browser = new PlainBrowser(app.url);
    const { url } = await startAuthorization(config, WEB_REDIRECT);
    await browser.logIn(url, 'robbed');

    const delegated = users.withBearer(tokens.access_token);
    const change = { current_password: 'robbed-password', new_password: 'the thief’s own' };
    expect(refusalOf(await delegated.post('/user/password', change))).toBe('403 forbidden');
    expect(refusalOf(await delegated.put('/user/robbed', { password: 'the thief’s own' }))).toBe(
      '403 forbidden',
    );
    const { tokens: ofOperator } = await tokensOf('admin', { scope: 'admin' });
    const operator = users.withBearer(ofOperator.access_token);
    for (const username of ['robbed', 'admin']) {
      expect(refusalOf(await operator.put(`/user/${username}`, { password: 'the thief’s own' }))).toBe(
        '403 reauthentication_required',
      );
    }

    const session = await logIn(app, 'robbed', 'robbed-password', 'query');
    expect((await session.post('/user/password', change)).status).toBe(204);
    expect((await get('/accounts', tokens.access_token)).status).toBe(401);
    await expect(openid.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await browser.open(url)).title).toContain('Log in');
  });

  it('comes to what was allowed while the log-in ended', async () => {
    const config = await discover('shop', openid.ClientSecretPost('shop-secret'));
    const { url } = await startAuthorization(config, WEB_REDIRECT);
    const browser = new PlainBrowser(app.url);
    const consent = await browser.logIn(url, 'bob');
    // The session ends between reading the page and answering.
    const server = app.app.nest.get(AuthorizationServer);
    const complete = server.completeAuthorizationRequest.bind(server);
    const spy = vi.spyOn(server, 'completeAuthorizationRequest').mockImplementationOnce(async (request) => {
      await database.query('DELETE FROM login_sessions');
      return complete(request);
    });
    try {
      const answer = await browser.submit(consent, { decision: 'allow' });
      expect(new URL(answer.location).searchParams.get('error')).toBe('access_denied');
    } finally {
      spy.mockRestore();
    }
    const { rows } = await database.query(`SELECT FROM oauth_grants WHERE code_redeemed_at IS NULL`);
    expect(rows).toEqual([]);
  });

  it('comes to the page with the log-out from any session', async () => {
    const tokens = app.app.nest.get(AccessTokensService);
    const config = await discover('shop', openid.ClientSecretPost('shop-secret'));
    const { url } = await startAuthorization(config, WEB_REDIRECT);
    const browser = new PlainBrowser(app.url);
    await browser.logIn(url, 'bob');
    const { rows } = await database.query<{ user_id: string }>(
      `SELECT user_id FROM users WHERE username = 'bob'`,
    );
    await tokens.store({
      token: 'tpa_session',
      clientId: null,
      userId: String(rows[0]?.user_id),
      scopes: [],
      expiresAt: new Date(Date.now() + 60_000),
    });
    expect((await browser.open(url)).title).toContain('Allow access');
    await tokens.revoke('tpa_session');
    expect((await browser.open(url)).title).toContain('Log in');
  });

  it('comes with a lock: no code, no refresh, no page', async () => {
    const { tokens, config } = await tokensOf('bob');
    const { url, checks } = await startAuthorization(config, WEB_REDIRECT);
    const browser = new PlainBrowser(app.url);
    const answer = await browser.authorize(url, 'bob');
    await setStatus('bob', UserStatus.locked);
    try {
      await expect(openid.authorizationCodeGrant(config, answer, checks)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
      await expect(openid.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
        error: 'invalid_grant',
      });
      expect((await browser.open(url)).title).toContain('Log in');
    } finally {
      await setStatus('bob', UserStatus.active);
    }
  });

  it('is in what the client may still do: a scope that it loses is gone from the refresh', async () => {
    const { tokens, config } = await tokensOf('alice');
    await database.query(`UPDATE oauth_clients SET scopes = '{account:read}' WHERE client_id = 'shop'`);
    try {
      expect((await openid.refreshTokenGrant(config, String(tokens.refresh_token))).scope).toBe(
        'account:read',
      );
    } finally {
      await database.query(
        `UPDATE oauth_clients SET scopes = '{markets:trade,account:read,admin}' WHERE client_id = 'shop'`,
      );
    }
  });

  async function setStatus(username: string, status: number): Promise<void> {
    await database.query('UPDATE users SET user_status = $2 WHERE username = $1', [username, status]);
  }
});

describe('of twenty at once', () => {
  it('one exchanges the code, and its tokens end with the others’ attempts', async () => {
    const config = await discover('shop', openid.ClientSecretPost('shop-secret'));
    const { url, checks } = await startAuthorization(config, WEB_REDIRECT);
    const answer = await new PlainBrowser(app.url).authorize(url, 'alice');
    const form = {
      grant_type: 'authorization_code',
      client_id: 'shop',
      client_secret: 'shop-secret',
      code: String(answer.searchParams.get('code')),
      redirect_uri: WEB_REDIRECT,
      code_verifier: String(checks.pkceCodeVerifier),
    };
    const won = await race(form);
    expect((await get('/accounts', won.access_token)).status).toBe(401);
    expect(await (await post('/oauth/token', form)).json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('one rotates the refresh token, and the family ends', async () => {
    const { tokens } = await tokensOf('alice');
    const won = await race({
      grant_type: 'refresh_token',
      client_id: 'shop',
      client_secret: 'shop-secret',
      refresh_token: String(tokens.refresh_token),
    });
    expect((await get('/accounts', won.access_token)).status).toBe(401);
    expect((await get('/accounts', tokens.access_token)).status).toBe(401);
  });

  it('nobody waits for ever where a good token and used ones come together', async () => {
    const refresh = { grant_type: 'refresh_token', client_id: 'shop', client_secret: 'shop-secret' };
    for (let round = 0; round < 5; round++) {
      const { tokens, config } = await tokensOf('alice');
      const next = await openid.refreshTokenGrant(config, String(tokens.refresh_token));
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const token = String((index % 2 === 0 ? next : tokens).refresh_token);
          const path = index % 3 === 0 ? '/oauth/revoke' : '/oauth/token';
          return (await post(path, { ...refresh, refresh_token: token, token })).status;
        }),
      );
      expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
      expect((await get('/accounts', next.access_token)).status).toBe(401);
    }
  });

  async function race(form: Record<string, string>): Promise<{ access_token: string }> {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await post('/oauth/token', form);
        return { status: response.status, body: (await response.json()) as Record<string, string> };
      }),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer !== winners[0])) {
      expect([status, body['error']]).toEqual([400, 'invalid_grant']);
    }
    return winners[0]?.body as unknown as { access_token: string };
  }
});

it('keeps no secret that it gave in a form that could be used', async () => {
  const { tokens } = await tokensOf('alice');
  for (const table of ['oauth_tokens', 'refresh_tokens', 'oauth_grants', 'login_sessions']) {
    const { rows } = await database.query(`SELECT * FROM ${table}`);
    const text = JSON.stringify(rows);
    expect(rows.length, table).toBeGreaterThan(0);
    expect(text).not.toMatch(/tp[arcl]_[\w-]{43}/);
    expect(text).not.toContain(tokens.access_token);
  }
});

it('purges what has expired, grants with all that came from them', async () => {
  await tokensOf('alice');
  const past = `now() - interval '1 second'`;
  await database.query(`UPDATE oauth_grants SET expires_at = ${past}`);
  await database.query(`UPDATE login_sessions SET expires_at = ${past}`);
  await app.app.nest.get(Purges).purgeNext();
  for (const table of ['oauth_grants', 'refresh_tokens', 'login_sessions']) {
    expect((await database.query(`SELECT 1 FROM ${table}`)).rowCount, table).toBe(0);
  }
});
