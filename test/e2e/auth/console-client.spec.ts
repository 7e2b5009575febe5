import * as openid from 'openid-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { type Attempt, ConsoleVisits, type Visit } from '../../support/clients/console-visits.js';
import { UserCaller } from '../../support/clients/users-client.js';
import { PlainBrowser } from '../../support/oauth-browser.js';

let app: TestApp;
let database: pg.Client;
let config: openid.Configuration;
let anyone: UserCaller;
let visits: ConsoleVisits;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
  anyone = new UserCaller(app.url);
  visits = await ConsoleVisits.at(app);
  config = visits.config;
});

afterAll(async () => {
  await database?.end();
  await app?.close();
});

const attempt = (more?: Record<string, string>): Promise<Attempt> => visits.attempt(more);
const visit = (username: string): Promise<Visit> => visits.visit(username);
const silently = (browser: PlainBrowser): Promise<URLSearchParams> => visits.silently(browser);

describe('the client of the console', () => {
  it('gets a code by the log-in alone, with all that its user may do', async () => {
    const { caller, tokens } = await visit('alice');
    const { body } = await caller.get('/oauth/userinfo');
    expect(body).toMatchObject({ sub: expect.stringMatching(/^user:\d+$/), username: 'alice' });
    expect(body.account_id).toMatch(/^acc_\d+$/);
    expect(body.scope.split(' ')).toContain('wallets:sign');
    expect(body.scope.split(' ')).not.toContain('admin');
    expect(tokens.scope?.split(' ')).not.toContain('admin');
    expect((await caller.get('/admin/approvals')).status).toBe(403);
  });

  it('gives operators their scope', async () => {
    const { caller } = await visit('admin');
    expect((await caller.get('/admin/approvals')).status).toBe(200);
  });

  it('gets new tokens for the same browser without a page, and none for another', async () => {
    const { browser } = await visit('alice');
    expect((await silently(browser)).get('code')).toMatch(/^tpc_/);
    expect((await silently(new PlainBrowser(app.url))).get('error')).toBe('login_required');
  });

  it('shows the log-in page again to who wants another user', async () => {
    const { browser } = await visit('alice');
    const page = await browser.open((await attempt({ prompt: 'login' })).url);
    expect(page.status).toBe(200);
    expect(page.html).toContain('name="password"');
  });

  it('acts for the user in person: keys, clients and the password', async () => {
    const { caller } = await visit('bob');
    const key = await caller.post('/auth/api-keys', { name: 'Bot', scopes: ['account:read'] });
    expect(key.status).toBe(201);
    expect((await caller.get('/auth/clients')).status).toBe(200);
    const change = { current_password: 'not the password', new_password: 'a new long password' };
    expect((await caller.post('/user/password', change)).body.error.code).toBe('invalid_credentials');
  });

  it('does not count as a log-in of the last minutes', async () => {
    const { caller } = await visit('bob');
    const { body } = await caller.put('/user/bob', { username: 'bob', password: 'another long password' });
    expect(body.error.code).toBe('reauthentication_required');
  });

  it.each([
    ['another port of the machine', 'http://127.0.0.1:1/console/callback'],
    ['another path', '/console'],
    ['another host', 'https://evil.example/console/callback'],
  ])('sends no code to %s', async (_where, redirectUri) => {
    const { browser } = await visit('alice');
    const target = redirectUri.startsWith('/') ? app.config.publicUrl + redirectUri : redirectUri;
    const page = await browser.open((await attempt({ redirect_uri: target })).url);
    expect(page.status).toBe(400);
    expect(page.response.headers.get('location')).toBeNull();
  });

  it('takes only a code with its verifier, and has no token of its own', async () => {
    const { browser } = await visit('alice');
    const { url, checks } = await attempt();
    const answer = new URL((await browser.open(url)).location);
    const wrong = { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() };
    await expect(openid.authorizationCodeGrant(config, answer, wrong)).rejects.toThrow();
    await expect(openid.clientCredentialsGrant(config)).rejects.toThrow();
  });

  it('keeps a plain request without a challenge out', async () => {
    const { browser } = await visit('alice');
    const plain = new URL((await attempt()).url);
    plain.searchParams.delete('code_challenge');
    const page = await browser.open(plain.href);
    expect(new URL(page.location).searchParams.get('error')).toBe('invalid_request');
  });
});

describe('leaving the console', () => {
  it('ends its tokens and the log-in of the browser', async () => {
    const { browser, caller, tokens } = await visit('alice');
    expect((await caller.get('/user/logout')).status).toBe(200);
    expect((await caller.get('/oauth/userinfo')).status).toBe(401);
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toThrow();
    expect((await silently(browser)).get('error')).toBe('login_required');
  });

  it('is what a refresh token that is used twice does, too', async () => {
    const { browser, caller, tokens } = await visit('alice');
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toThrow();
    expect((await caller.get('/oauth/userinfo')).status).toBe(401);
    expect((await anyone.withBearer(next.access_token).get('/oauth/userinfo')).status).toBe(401);
    expect((await silently(browser)).get('error')).toBe('login_required');
  });

  it('is what a lock does', async () => {
    const operator = (await visit('admin')).caller;
    const { browser, caller } = await visit('bob');
    expect((await operator.post('/admin/users/bob/lock', { reason: 'A test.' })).status).toBeLessThan(300);
    expect((await caller.get('/oauth/userinfo')).status).toBe(401);
    expect((await silently(browser)).get('error')).toBe('login_required');
    expect((await operator.post('/admin/users/bob/unlock', {})).status).toBeLessThan(300);
  });

  it('leaves the grants of other clients alone', async () => {
    const { caller } = await visit('alice');
    const made = await caller.post('/auth/clients', { name: 'Bot', scopes: ['account:read'] });
    const token = await anyone.tryToken(made.body.client_id, made.body.client_secret);
    await caller.get('/user/logout');
    const bot = anyone.withBearer(token.body.access_token);
    expect((await bot.get('/oauth/userinfo')).body).toMatchObject({
      username: null,
      scope: 'account:read',
    });
  });
});

it('audits each log-in and each end', async () => {
  const { caller } = await visit('alice');
  await caller.get('/user/logout');
  const operator = (await visit('admin')).caller;
  const { body } = await operator.get('/admin/audit?target=client:console&limit=3');
  const entries = body.data.map(({ action, actor }: Json) => [action, actor.credential]);
  expect(entries).toEqual([
    [expect.any(String), 'login_page'],
    ['logoutUser', 'client:console'],
    ['authorizeClient', 'login_page'],
  ]);
});

it('has every scope that there is after each start', async () => {
  await database.query(`UPDATE oauth_clients SET scopes = '{account:read}' WHERE client_id = 'console'`);
  const again = await startTestApp({ databaseUrl: app.config.databaseUrl });
  try {
    const { rows } = await database.query(`SELECT scopes FROM oauth_clients WHERE client_id = 'console'`);
    expect(rows[0].scopes).toEqual(expect.arrayContaining(['admin', 'markets:trade', 'wallets:sign']));
  } finally {
    await again.close();
  }
});
