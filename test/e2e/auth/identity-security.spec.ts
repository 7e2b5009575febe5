import { generateKeyPair, UnsecuredJWT } from 'jose';
import { Injectable } from '@nestjs/common';
import { generate } from 'otplib';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type IdentityLogIn,
  IdentityProvider,
  IdentityRefused,
  type OrderContext,
  type ProvedIdentity,
  RiskCheck,
  type RiskVerdict,
  TradepostPlugin,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';
import { type ConsoleTokens, IdentityBrowser } from '../../support/identity-browser.js';
import { CLIENT_ID, type Known, TestIdentityProvider } from '../../support/identity-provider.js';
import { PlainBrowser } from '../../support/oauth-browser.js';

let provider: TestIdentityProvider;
let app: TestApp;
let database: pg.Client;
let users = 0;

beforeAll(async () => {
  provider = await TestIdentityProvider.open();
  app = await startTestApp({
    rateLimits: 'off',
    operatorsNeedSecondFactor: true,
    environment: {
      ...provider.environment,
      OIDC_ROLES: 'desk=operator:support',
      OIDC_SECOND_FACTOR_ACR: 'urn:acme:mfa',
      OIDC_SECOND_FACTOR_AMR: 'otp,hwk',
    },
  });
  provider.serve(app.url);
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
});
beforeEach(() => {
  provider.mood = 'works';
});
afterAll(async () => {
  await database?.end();
  await app?.close();
  await provider?.close();
});

/** Somebody new at the provider, who sits at the browser. */
function somebody(known: Partial<Known> = {}): string {
  const subject = `subject-${++users}`;
  provider.users.set(subject, { groups: [], preferred_username: subject, ...known });
  provider.present = subject;
  return subject;
}

const browserOf = (): IdentityBrowser => new IdentityBrowser(app.url, provider);

const callerOf = ({ access_token: token }: ConsoleTokens): UserCaller =>
  new UserCaller(app.url).withBearer(token);

async function nameOf(tokens: ConsoleTokens): Promise<string> {
  const { body } = await callerOf(tokens).get('/oauth/userinfo');
  return (body as { username: string }).username;
}

describe('a second factor of the provider', () => {
  it.each<[string, Partial<Known>, number]>([
    ['none', {}, 403],
    ['another acr and amr', { acr: 'urn:acme:pwd', amr: ['pwd'] }, 403],
    ['the acr that is set', { acr: 'urn:acme:mfa' }, 200],
    ['an amr that is set', { amr: ['pwd', 'otp'] }, 200],
  ])('counts as ours: %s', async (_what, told, status) => {
    somebody({ groups: ['desk'], ...told });
    const tokens = await browserOf().logIn();
    expect((await callerOf(tokens).get('/admin/users')).status).toBe(status);
  });

  it('is ours where the provider has seen none, and the roles of the provider come with it', async () => {
    const subject = somebody({ groups: ['desk'], amr: ['otp'] });
    const tokens = await browserOf().logIn();
    const { body: begun } = await callerOf(tokens).post('/user/totp', {});
    const secret = (begun as { secret: string }).secret;
    const code = await generate({ secret });
    expect((await callerOf(tokens).post('/user/totp/confirm', { code })).status).toBeLessThan(300);
    provider.users.get(subject)!.amr = ['pwd'];
    const browser = browserOf();
    const back = await browser.comeBack();
    const page = await browser.here.open(new URL(back.location, back.url).href);
    expect(page.title).toContain('Enter a code');
    expect(new URL((await browser.reload()).location).searchParams.get('error')).toBe('login_required');
    const later = await generate({ secret, epoch: Math.floor(Date.now() / 1_000) + 30 });
    const answer = await browser.here.submit(page, { code: later });
    const done = await browser.tokensFrom(await browser.here.open(new URL(answer.location, answer.url).href));
    expect((await callerOf(done).get('/admin/users')).status).toBe(200);
  });
});

describe('a user without a password', () => {
  let tokens: ConsoleTokens;
  let username: string;
  beforeAll(async () => {
    somebody();
    tokens = await browserOf().logIn();
    username = await nameOf(tokens);
    await database.query(
      `UPDATE users SET email = 'nobody@acme.example' WHERE username = '${username}';
       UPDATE users SET email_verified_at = now() WHERE username = '${username}'`,
    );
  });

  it('logs in by no password, as anybody whom there is not', async () => {
    const of = async (name: string): Promise<unknown> => {
      const { status, body } = await new UserCaller(app.url).tryLogIn(name, 'some-password');
      return { status, code: (body as { error: { code: string } }).error.code };
    };
    expect(await of(username)).toEqual(await of('nobody-at-all'));
  });

  it('gets no mail that would give one, and strangers see no difference', async () => {
    const ask = (name: string): ReturnType<UserCaller['post']> =>
      new UserCaller(app.url).post('/user/password/forgot', { username: name });
    const [his, nobodys] = [await ask(username), await ask('nobody-at-all')];
    expect([his.status, his.body]).toEqual([nobodys.status, nobodys.body]);
    await eventually(async () => {
      const { rows } = await database.query(
        `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('auth.find_forgetful', 'auth.send_password_reset')`,
      );
      expect(rows).toHaveLength(0);
    });
    const { rows } = await database.query(
      `SELECT FROM mail_tokens JOIN users USING (user_id) WHERE username = $1`,
      [username],
    );
    expect(rows).toHaveLength(0);
  });

  it('is set none, by itself or by an operator, and is told why', async () => {
    const own = await callerOf(tokens).post('/user/password', {
      current_password: 'any-password',
      new_password: 'another-password',
    });
    const changed = await callerOf(tokens).put(`/user/${username}`, { password: 'another-password' });
    for (const { status, body: answer } of [own, changed])
      expect([status, (answer as { error: { code: string } }).error.code]).toEqual([409, 'conflict']);
    const stepUp = await callerOf(tokens).post('/user/step-up', { password: 'any-password' });
    expect(stepUp.status).toBe(409);
  });

  it('proves to be there by another log-in, as old as the provider says', async () => {
    await database.query(`UPDATE sessions SET proved_at = now() - interval '10 minutes'`);
    const browser = browserOf();
    const fresh = await browser.logIn({ prompt: 'login' });
    expect((await callerOf(fresh).post('/user/exports', {})).status).toBe(202);
    // A log-in by a session at the provider that is older proves no more than that.
    await database.query(`UPDATE sessions SET proved_at = now() - interval '10 minutes'`);
    let tries = 0;
    await eventually(async () => {
      const email = `another-${tries++}@acme.example`;
      const stale = await callerOf(fresh).put(`/user/${username}`, { email });
      expect([stale.status, (stale.body as { error: object }).error]).toEqual([
        403,
        expect.objectContaining({
          code: 'step_up_required',
          message: expect.stringContaining('Log in again') as unknown,
        }),
      ]);
    });
  });

  it('is locked here as all users are', async () => {
    await database.query(`UPDATE users SET user_status = 1 WHERE username = $1`, [username]);
    const page = await browserOf().comeBack();
    expect([page.status, page.alert]).toEqual([403, expect.stringContaining('locked') as unknown]);
    await database.query(`UPDATE users SET user_status = 0 WHERE username = $1`, [username]);
  });
});

describe('a back-channel log-out', () => {
  const send = (token: string, name = 'oidc'): Promise<Response> =>
    fetch(`${app.url}/oauth/backchannel-logout/${name}`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
  const isIn = async (tokens: ConsoleTokens): Promise<boolean> =>
    (await callerOf(tokens).get('/accounts')).status === 200;
  const sidOf = async (tokens: ConsoleTokens): Promise<string> => {
    const { rows } = await database.query<{ provider_session_id: string }>(
      `SELECT provider_session_id FROM identity_sessions JOIN users USING (user_id)
        WHERE username = $1 ORDER BY verified_at DESC`,
      [await nameOf(tokens)],
    );
    return rows[0]!.provider_session_id;
  };

  it('by the provider itself ends that session with its tokens and its browser, and no other', async () => {
    const subject = somebody();
    const [office, home] = [browserOf(), browserOf()];
    const atOffice = await office.logIn();
    const sid = await sidOf(atOffice);
    const atHome = await home.logIn();
    await provider.tellLogout(subject, sid);
    expect([await isIn(atOffice), await isIn(atHome)]).toEqual([false, true]);
    expect((await office.refresh(atOffice)).status).toBe(400);
    expect(new URL((await office.reload()).location).searchParams.get('error')).toBe('login_required');
  });

  it('of a user alone ends all sessions and grants', async () => {
    const sub = somebody();
    const tokens = [await browserOf().logIn(), await browserOf().logIn()];
    expect((await send(await provider.logoutToken({ sub }))).status).toBe(200);
    for (const each of tokens) expect(await isIn(each)).toBe(false);
  });

  it('of nobody whom there is changes nothing', async () => {
    const answer = await send(await provider.logoutToken({ sub: 'nobody', sid: 'none' }));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('is taken once', async () => {
    const sub = somebody();
    await browserOf().logIn();
    const token = await provider.logoutToken({ sub });
    expect((await send(token)).status).toBe(200);
    const tokens = await browserOf().logIn();
    expect((await send(token)).status).toBe(400);
    expect(await isIn(tokens)).toBe(true);
  });

  it('is refused where anything of it is not as it must be', async () => {
    const sub = somebody();
    const tokens = await browserOf().logIn();
    const now = Math.floor(Date.now() / 1_000);
    const { privateKey } = await generateKeyPair('RS256');
    const forged: Readonly<Record<string, string>> = {
      'another key': await provider.logoutToken({ sub }, { key: privateKey }),
      'an unknown key': await provider.logoutToken({ sub }, { key: privateKey, header: { kid: 'two' } }),
      'no signature': new UnsecuredJWT({ iss: provider.issuer, aud: CLIENT_ID, sub, jti: 'a', events: {} })
        .setIssuedAt()
        .encode(),
      'another issuer': await provider.logoutToken({ sub, iss: 'https://evil.example' }),
      'another audience': await provider.logoutToken({ sub, aud: 'another' }),
      'an old one': await provider.logoutToken({ sub, iat: now - 600 }),
      'one of the future': await provider.logoutToken({ sub, iat: now + 600 }),
      'an expired one': await provider.logoutToken({ sub, exp: now - 60 }),
      'no time': await provider.logoutToken({ sub, iat: undefined }),
      'no id': await provider.logoutToken({ sub, jti: undefined }),
      'a nonce': await provider.logoutToken({ sub, nonce: 'n' }),
      'no event': await provider.logoutToken({ sub, events: undefined }),
      'another event': await provider.logoutToken({ sub, events: { 'urn:else': {} } }),
      'an event that is no object': await provider.logoutToken({
        sub,
        events: { 'http://schemas.openid.net/event/backchannel-logout': 1 },
      }),
      'neither user nor session': await provider.logoutToken({}),
      'a session of another user': await provider.logoutToken({ sub: 'another', sid: 7 }),
      'another type': await provider.logoutToken({ sub }, { header: { typ: 'at+jwt' } }),
      'no token': 'a.b.c',
      'odd text': '\u{1f4a9}\ud83d.\u202e',
    };
    for (const [what, token] of Object.entries(forged)) {
      const answer = await send(token);
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([what, answer.status, error.code]).toEqual([what, 400, 'invalid_request']);
    }
    expect(await isIn(tokens)).toBe(true);
    expect((await send(await provider.logoutToken({ sub }), 'evil')).status).toBe(404);
    const twice = new URLSearchParams([
      ['logout_token', 'a'],
      ['logout_token', 'b'],
    ]);
    const answer = await fetch(`${app.url}/oauth/backchannel-logout/oidc`, { method: 'POST', body: twice });
    expect(answer.status).toBe(400);
  });
});

describe('linking an identity to a user who is there', () => {
  /** In the browser in which the user has just logged in by the password. */
  async function browserLoggedIn(username: string): Promise<IdentityBrowser> {
    const browser = browserOf();
    await browser.here.logIn(browser.authorizeUrl(), username);
    return browser;
  }
  const link = (html: string): string =>
    /class="button" href="([^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');

  it('takes the user in the browser, and the provider; then both ways lead to one user', async () => {
    somebody();
    const browser = await browserLoggedIn('bob');
    const page = await browser.here.open('/oauth/link-oidc');
    expect([page.status, page.html]).toEqual([
      200,
      expect.stringContaining('<strong>bob</strong>') as unknown,
    ]);
    const linked = await browser.here.open(await browser.goThrough(link(page.html)));
    expect([linked.status, linked.title]).toEqual([200, 'Link a log-in – Tradepost']);
    expect(await nameOf(await browserOf().logIn())).toBe('bob');
    // Another one of bob's is refused, and so is this one for alice.
    expect(
      (
        await browser.here.open(
          await browser.goThrough(link((await browser.here.open('/oauth/link-oidc')).html)),
        )
      ).status,
    ).toBe(200);
    const alice = await browserLoggedIn('alice');
    const hers = await alice.here.open('/oauth/link-oidc');
    expect((await alice.here.open(await alice.goThrough(link(hers.html)))).status).toBe(409);
  });

  it('is nothing for who is not logged in, was long ago, or follows the link of somebody else', async () => {
    somebody();
    expect((await browserOf().here.open('/oauth/link-oidc')).status).toBe(403);
    const attacker = await browserLoggedIn('alice');
    const address = link((await attacker.here.open('/oauth/link-oidc')).html);
    const victim = browserOf();
    await victim.logIn();
    const callback = await victim.goThrough(address);
    expect((await victim.here.open(callback)).status).toBe(403);
    await database.query(`UPDATE sessions SET proved_at = now() - interval '10 minutes'`);
    expect((await attacker.here.open('/oauth/link-oidc')).status).toBe(403);
    expect((await attacker.here.open(callback)).status).toBe(403);
  });
});

describe('the start', () => {
  it.each<[Record<string, string>, RegExp]>([
    [{ OIDC_CLIENT_ID: 'a' }, /^OIDC_ISSUER must be set with OIDC_CLIENT_ID/],
    [{ OIDC_ISSUER: 'https://a.example' }, /^OIDC_CLIENT_ID must be set together with OIDC_ISSUER/],
    [{ OIDC_ISSUER: 'https://a.example/?x' }, /^OIDC_ISSUER must be an address/],
    [
      { OIDC_ISSUER: 'https://a.example', OIDC_CLIENT_ID: 'a', OIDC_ROLES: 'desk=operator:none' },
      /^OIDC_ROLES names the role operator:none/,
    ],
    [
      { OIDC_ISSUER: 'https://a.example', OIDC_CLIENT_ID: 'a', OIDC_SCOPES: 'profile' },
      /^OIDC_SCOPES must be/,
    ],
    [
      { OIDC_CLIENT_SECRET: 'a', OIDC_CLIENT_SECRET_FILE: '/nowhere' },
      /^OIDC_CLIENT_SECRET_FILE must not be set together/,
    ],
    [{ REFRESH_TOKEN_SECONDS: '60' }, /^REFRESH_TOKEN_SECONDS must not be below/],
    [{ PASSWORD_CHARACTERS: 'emoji' }, /^PASSWORD_CHARACTERS must be/],
  ])('is refused with %j', async (environment, line) => {
    await expect(startTestApp({ environment })).rejects.toThrow(line);
  });
});

/** An identity of a plugin's own, as small as can be: the browser brings who it is. */
@Injectable()
class BadgeIdentity extends IdentityProvider {
  override readonly name = 'badge';
  override readonly label = 'your badge';

  override begin({ redirectUri, state }: IdentityLogIn): string {
    return `https://badge.example/?${new URLSearchParams({ redirectUri, state }).toString()}`;
  }

  override finish(_logIn: IdentityLogIn, answer: URLSearchParams): Promise<ProvedIdentity> {
    const badge = answer.get('badge');
    if (badge === null) return Promise.reject(new IdentityRefused('Show your badge.'));
    if (badge === 'broken') return Promise.reject(new Error('the reader is broken'));
    return Promise.resolve({
      issuer: 'https://badge.example',
      subject: badge,
      groups: ['staff'],
      roles: ['operator:content', 'no:role'],
      hasSecondFactor: true,
      authenticatedAt: new Date(),
      profile: { username: badge },
      sessionId: null,
      renewal: null,
    });
  }
}

/** Who works here does not trade here. */
@Injectable()
class NoStaff extends RiskCheck {
  override review(_order: unknown, _market: unknown, { owner }: OrderContext): RiskVerdict {
    const isStaff = owner.groups.includes('staff');
    return isStaff ? { accepted: false, message: 'Staff does not trade.' } : { accepted: true };
  }
}

@TradepostPlugin({
  name: 'badges',
  compatibility: '^0.1.0',
  identity: [BadgeIdentity],
  checks: [NoStaff],
})
class BadgesPlugin {}

describe('a provider of a plugin', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startTestApp({
      rateLimits: 'off',
      plugins: [BadgesPlugin],
      environment: { PASSWORD_LENGTH_MIN: '12', PASSWORD_CHARACTERS: 'digit', ACCESS_TOKEN_SECONDS: '120' },
    });
  });
  afterAll(() => other?.close());

  async function comeBack(
    more: string,
  ): Promise<[IdentityBrowser, Awaited<ReturnType<PlainBrowser['open']>>]> {
    const browser = new IdentityBrowser(other.url, provider);
    const address = new URL(await browser.leave());
    const { redirectUri, state } = Object.fromEntries(address.searchParams);
    expect(redirectUri).toBe(`${other.url}/oauth/callback-badge`);
    return [browser, await browser.here.open(`${redirectUri}?state=${state}${more}`)];
  }

  it('logs in, with the roles and groups that it answers', async () => {
    const [browser, back] = await comeBack('&badge=007');
    const tokens = await browser.tokensFrom(await browser.here.open(new URL(back.location, back.url).href));
    const { body } = await new UserCaller(other.url).withBearer(tokens.access_token).get('/oauth/userinfo');
    const { scope, account_id: accountId } = body as { scope: string; account_id: string };
    expect(scope).toContain('operator:content');
    const order = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '100', size: '1' };
    const codeOf = async (caller: UserCaller, more = {}): Promise<unknown> =>
      ((await caller.post('/orders', { ...order, ...more })).body as { error?: { code: string } }).error
        ?.code;
    const staff = new UserCaller(other.url).withBearer(tokens.access_token);
    expect(await codeOf(staff, { account_id: accountId })).toBe('risk_refused');
    expect(await codeOf(await logIn(other, 'alice'))).not.toBe('risk_refused');
  });

  it.each([
    ['', 403, 'Show your badge.'],
    [
      '&badge=broken',
      503,
      'your badge does not answer just now. Try again in a moment, or log in another way.',
    ],
    ['&badge=', 403, 'The provider names you in a way that cannot be kept.'],
    [`&badge=${'7'.repeat(256)}`, 403, 'The provider names you in a way that cannot be kept.'],
    ['&badge=%F0%9F%92%A9', 303, ''],
  ])('tells of what it refuses, and of what fails: %s', async (more, status, words) => {
    const [, page] = await comeBack(more);
    expect([page.status, page.alert]).toEqual([status, words]);
  });

  it('is in a service whose passwords and tokens are as its settings say', async () => {
    const caller = await logIn(other, 'alice');
    const create = async (password: string): Promise<number> =>
      (await caller.post('/user', { username: `new-${password.length}`, password })).status;
    expect(await create('short-1')).toBe(400);
    expect(await create('long-without-digits')).toBe(400);
    expect(await create('long-with-a-digit-1')).toBeLessThan(300);
    const changed = await caller.post('/user/password', {
      current_password: 'alice-password',
      new_password: 'short-1',
    });
    expect(changed.status).toBe(400);
    const [browser, back] = await comeBack('&badge=008');
    const page = await browser.here.open(new URL(back.location, back.url).href);
    expect(await browser.tokensFrom(page)).toMatchObject({ expires_in: 120 });
  });
});
