import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UserGroups } from '../../../src/modules/users/user-groups.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type ConsoleTokens, IdentityBrowser } from '../../support/identity-browser.js';
import { TestIdentityProvider } from '../../support/identity-provider.js';
import { PlainBrowser } from '../../support/oauth-browser.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';

let provider: TestIdentityProvider;
let app: TestApp;
let database: pg.Client;
let users = 0;

beforeAll(async () => {
  provider = await TestIdentityProvider.open();
  app = await startTestApp({
    rateLimits: 'off',
    environment: {
      ...provider.environment,
      OIDC_ROLES: 'desk=operator:support,/tradepost/heads=admin,desk=operator:read',
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
  provider.givesRefreshTokens = true;
});
afterAll(async () => {
  await database?.end();
  await app?.close();
  await provider?.close();
});

/** Somebody new at the provider, who sits at the browser. */
function somebody(known: Partial<Parameters<typeof provider.users.set>[1]> = {}): string {
  const subject = `subject-${++users}`;
  provider.users.set(subject, { groups: [], preferred_username: subject, ...known });
  provider.present = subject;
  return subject;
}

const browserOf = (): IdentityBrowser => new IdentityBrowser(app.url, provider);

const callerOf = ({ access_token: token }: ConsoleTokens, url = app.url): UserCaller =>
  new UserCaller(url).withBearer(token);

async function scopesOf(tokens: ConsoleTokens): Promise<string[]> {
  const { status, body } = await callerOf(tokens).get('/oauth/userinfo');
  expect(status).toBe(200);
  return (body as { scope: string }).scope.split(' ');
}

async function nameOf(tokens: ConsoleTokens): Promise<string> {
  const { body } = await callerOf(tokens).get('/oauth/userinfo');
  return (body as { username: string }).username;
}

async function countOf(table: string): Promise<number> {
  return Number((await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count);
}

describe('a log-in by OpenID Connect', () => {
  it('makes a user at the first time, and finds it by issuer and subject from then on', async () => {
    const subject = somebody({ preferred_username: 'Grace.Hopper@acme.example', given_name: 'Grace' });
    const first = await browserOf().logIn();
    const name = await nameOf(first);
    expect(name).toBe('Grace.Hopper');
    provider.users.set(subject, { groups: [], preferred_username: 'another', email: 'other@acme.example' });
    expect(await nameOf(await browserOf().logIn())).toBe(name);
    const { body: accounts } = await callerOf(first).get('/accounts');
    expect((accounts as { data: unknown[] }).data).toHaveLength(1);
    const { rows } = await database.query(
      `SELECT details FROM audit_log WHERE target_id = $1 AND details ? 'made_by_identity'`,
      [name],
    );
    expect(rows).toHaveLength(1);
  });

  it('finds nobody by name or mail address: neither is taken over', async () => {
    await database.query(
      `UPDATE users SET email = 'alice@acme.example' WHERE username = 'alice';
       UPDATE users SET email_verified_at = now() WHERE username = 'alice'`,
    );
    somebody({ preferred_username: 'alice', email: 'alice@acme.example' });
    const tokens = await browserOf().logIn();
    expect(await nameOf(tokens)).toMatch(/^alice-\d+$/);
    const { rows } = await database.query<{ email_verified_at: Date | null }>(
      `SELECT email_verified_at FROM users WHERE username = $1`,
      [await nameOf(tokens)],
    );
    expect(rows[0]!.email_verified_at).toBeNull();
  });

  it('makes one user of two first log-ins at the same moment', async () => {
    somebody();
    const [one, other] = [browserOf(), browserOf()];
    const callbacks = [await one.goThrough(await one.leave()), await other.goThrough(await other.leave())];
    const before = await countOf('users');
    const pages = await Promise.all([one.here.open(callbacks[0]!), other.here.open(callbacks[1]!)]);
    expect(pages.map(({ status }) => status)).toEqual([303, 303]);
    expect((await countOf('users')) - before).toBe(1);
  });

  it('asks for PKCE, state and nonce, and stores none of them', async () => {
    somebody();
    const asked = new URL(await browserOf().leave()).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('acr_values')).toBe('urn:acme:mfa');
    const { rows } = await database.query<{ kept: string }>(
      'SELECT identity_log_ins::text AS kept FROM identity_log_ins',
    );
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name)!.length).toBeGreaterThanOrEqual(43);
      expect(rows.some(({ kept }) => kept.includes(asked.get(name)!))).toBe(false);
    }
  });

  it('counts as a fresh one only where the user was there since', async () => {
    somebody();
    const browser = browserOf();
    await browser.logIn();
    const asked = new URL(await browser.leave({ prompt: 'login' }));
    expect(asked.searchParams.get('max_age')).toBe('0');
    // Who takes that out gets in by the session at the provider, which is older.
    await database.query(`UPDATE identity_log_ins SET began_at = now() + interval '10 minutes'`);
    asked.searchParams.delete('max_age');
    const page = await browser.here.open(await browser.goThrough(asked.href));
    expect([page.status, page.title]).toEqual([403, 'Log in – Tradepost']);
  });

  it('tells of a refusal at the provider on the log-in page', async () => {
    somebody();
    provider.mood = 'denies';
    const page = await browserOf().comeBack();
    expect([page.status, page.title]).toEqual([403, 'Log in – Tradepost']);
    expect(page.alert).toContain('did not prove who you are');
  });

  it('says so on the log-in page where the provider is away, and goes on once it is back', async () => {
    somebody();
    const browser = browserOf();
    const link = await browser.link();
    const address = await browser.leave();
    const callback = await browser.goThrough(address);
    provider.mood = 'down';
    const page = await browser.here.open(callback);
    expect([page.status, page.title]).toEqual([503, 'Log in – Tradepost']);
    expect(page.alert).toContain('Acme does not answer just now');
    expect(link).toContain('/oauth/begin-oidc?');
    provider.mood = 'works';
    expect((await browser.logIn()).access_token).toMatch(/^tpa_/);
  });
});

describe('what comes back from the provider', () => {
  it('is taken once', async () => {
    somebody();
    const browser = browserOf();
    const callback = await browser.goThrough(await browser.leave());
    expect((await browser.here.open(callback)).status).toBe(303);
    expect((await browser.here.open(callback)).status).toBe(403);
  });

  it('is taken of the browser that began alone: nobody is logged in as somebody else', async () => {
    somebody();
    const [attacker, victim] = [browserOf(), browserOf()];
    const callback = await attacker.goThrough(await attacker.leave());
    await victim.leave();
    expect((await victim.here.open(callback)).status).toBe(403);
    expect((await new PlainBrowser(app.url).open(callback)).status).toBe(403);
    expect(new URL((await victim.reload()).location).searchParams.get('error')).toBe('login_required');
    // Nobody has used it up for whose it is.
    expect((await attacker.here.open(callback)).status).toBe(303);
  });

  it('is refused with a code of another log-in, which has another verifier and nonce', async () => {
    somebody();
    const [attacker, victim] = [browserOf(), browserOf()];
    const stolen = new URL(await attacker.goThrough(await attacker.leave())).searchParams.get('code')!;
    const callback = new URL(await victim.goThrough(await victim.leave()));
    callback.searchParams.set('code', stolen);
    const page = await victim.here.open(callback.href);
    expect([page.status, page.title]).toEqual([403, 'Log in – Tradepost']);
  });

  it.each([
    ['another issuer (mix-up)', 'iss', 'https://evil.example'],
    ['no issuer', 'iss', null],
    ['another state', 'state', 'A'.repeat(43)],
    ['no state', 'state', null],
    ['no code', 'code', null],
    ['odd Unicode for a code', 'code', '\u0000\ud83d\ufffe'],
    ['a long state', 'state', 'A'.repeat(3_000)],
  ])('is refused with %s', async (_what, name, value) => {
    somebody();
    const browser = browserOf();
    const callback = new URL(await browser.goThrough(await browser.leave()));
    if (value === null) callback.searchParams.delete(name);
    else callback.searchParams.set(name, value);
    const before = await countOf('sessions');
    expect([400, 403]).toContain((await browser.here.open(callback.href)).status);
    expect(await countOf('sessions')).toBe(before);
  });

  it('is refused after a quarter of an hour', async () => {
    somebody();
    const browser = browserOf();
    const callback = await browser.goThrough(await browser.leave());
    await database.query('UPDATE identity_log_ins SET expires_at = now()');
    expect((await browser.here.open(callback)).status).toBe(403);
  });

  it('logs in under another cookie than that of before', async () => {
    somebody();
    const browser = browserOf();
    const address = await browser.leave();
    const planted = new Map(browser.here.cookies);
    await browser.here.open(await browser.goThrough(address));
    expect(browser.here.cookies).not.toEqual(planted);
  });

  it('answers 404 for a provider that there is not', async () => {
    const page = await new PlainBrowser(app.url).open('/oauth/callback-evil?state=a&code=b');
    expect(page.status).toBe(404);
  });
});

describe('roles and groups', () => {
  it('follow the groups at each renewal: what is gone is gone in every session at once', async () => {
    const subject = somebody({ groups: ['desk', 'others'] });
    const [office, home] = [browserOf(), browserOf()];
    const [atOffice, atHome] = [await office.logIn(), await home.logIn()];
    expect(await scopesOf(atOffice)).toEqual(expect.arrayContaining(['operator:support', 'operator:read']));
    expect(await scopesOf(atHome)).not.toContain('admin');
    expect((await callerOf(atHome).get('/admin/users')).status).toBe(200);
    provider.users.get(subject)!.groups = ['others'];
    expect((await office.refresh(atOffice)).status).toBe(200);
    expect(await scopesOf(atHome)).not.toContain('operator:support');
    expect((await callerOf(atHome).get('/admin/users')).status).toBe(403);
    expect((await callerOf(atOffice).get('/admin/users')).status).toBe(403);
    const { rows } = await database.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE details ? 'identity_roles' AND target_id = $1 ORDER BY audit_id`,
      [await nameOf(atHome)],
    );
    expect(rows.map(({ details }) => details)).toEqual([
      expect.objectContaining({
        identity_roles: ['operator:support', 'operator:read'],
        former_identity_roles: [],
      }),
      expect.objectContaining({ identity_roles: [] }),
    ]);
  });

  it('say whose they are, and neither side takes what the other gives', async () => {
    const subject = somebody({ groups: ['desk'] });
    const browser = browserOf();
    const tokens = await browser.logIn();
    const username = await nameOf(tokens);
    const admin = await logIn(app, 'admin');
    const listed = async (): Promise<unknown> => {
      const { body } = await admin.get(`/admin/users?q=${username}`);
      const [user] = (body as { data: Record<string, unknown>[] }).data;
      return { roles: user!['roles'], identity_roles: user!['identity_roles'] };
    };
    await admin.put(`/admin/users/${username}/roles`, { roles: ['operator:content'] });
    expect(await listed()).toEqual({
      roles: expect.arrayContaining(['operator:content', 'operator:support', 'operator:read']) as unknown,
      identity_roles: ['operator:support', 'operator:read'],
    });
    provider.users.get(subject)!.groups = [];
    expect((await browser.refresh(tokens)).status).toBe(200);
    expect(await listed()).toEqual({ roles: ['operator:content'], identity_roles: [] });
  });

  it('give no role to sessions that began in another way, nor to clients that outlive the log-in', async () => {
    somebody({ groups: ['/tradepost/heads'] });
    const tokens = await browserOf().logIn();
    expect(await scopesOf(tokens)).toContain('admin');
    const username = await nameOf(tokens);
    // As a linked user has one.
    await database.query(
      `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE username = 'bob') WHERE username = $1`,
      [username],
    );
    const session = await logIn(app, username, 'bob-password');
    expect((await session.get('/admin/users')).status).toBe(403);
    expect((await callerOf(tokens).get('/admin/users')).status).toBe(200);
  });

  it('end the session where the provider does not renew it', async () => {
    const subject = somebody({ groups: ['desk'] });
    const browser = browserOf();
    const tokens = await browser.logIn();
    provider.users.delete(subject);
    const answer = await browser.refresh(tokens);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    expect((await callerOf(tokens).get('/accounts')).status).toBe(401);
    expect(new URL((await browser.reload()).location).searchParams.get('error')).toBe('login_required');
  });

  it('leave everything as it is while the provider is away', async () => {
    somebody({ groups: ['desk'] });
    const browser = browserOf();
    const tokens = await browser.logIn();
    provider.mood = 'down';
    const answer = await browser.refresh(tokens);
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect(await scopesOf(tokens)).toContain('operator:support');
    provider.mood = 'works';
    expect((await browser.refresh(tokens)).status).toBe(200);
  });

  it('ask the provider once where several renew at the same moment', async () => {
    somebody();
    const browser = browserOf();
    const first = await browser.logIn();
    await database.query(`UPDATE identity_sessions SET verified_at = verified_at - interval '2 minutes'`);
    const second = await browser.tokensFrom(await browser.reload());
    // A refresh token that was used twice would end everything at the provider.
    const answers = await Promise.all([browser.refresh(first), browser.refresh(second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const again = (await answers[0].json()) as ConsoleTokens;
    expect((await browser.refresh(again)).status).toBe(200);
  });

  it('end with the access token where the provider gives nothing to renew by', async () => {
    provider.givesRefreshTokens = false;
    somebody({ groups: ['desk'] });
    const browser = browserOf();
    const tokens = await browser.logIn();
    const refreshed = (await (await browser.refresh(tokens)).json()) as ConsoleTokens;
    expect(await scopesOf(refreshed)).toContain('operator:support');
    await database.query(`UPDATE identity_sessions SET verified_at = now() - interval '1 hour'`);
    expect((await browser.refresh(refreshed)).status).toBe(400);
    expect((await callerOf(refreshed).get('/accounts')).status).toBe(401);
  });

  it('tell policies the groups, the same in every process within a second', async () => {
    const other = await startTestApp({
      rateLimits: 'off',
      databaseUrl: app.config.databaseUrl,
      environment: app.config.environment,
    });
    try {
      const subject = somebody({ groups: ['gold', 'desk', '', 'x'.repeat(300)] });
      const browser = browserOf();
      const tokens = await browser.logIn();
      const { body } = await callerOf(tokens).get('/oauth/userinfo');
      const { sub } = body as { sub: string };
      const groupsAt = async ({ app: { nest } }: TestApp): Promise<readonly string[]> =>
        nest.get(UserGroups).of(sub);
      for (const each of [app, other]) expect(await groupsAt(each)).toEqual(['desk', 'gold']);
      provider.users.get(subject)!.groups = ['silver'];
      expect((await browser.refresh(tokens)).status).toBe(200);
      for (const each of [app, other])
        await eventually(async () => expect(await groupsAt(each)).toEqual(['silver']));
      expect((await callerOf(tokens, other.url).get('/accounts')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
