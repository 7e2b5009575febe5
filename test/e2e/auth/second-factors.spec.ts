import pg from 'pg';
import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { approve, expectStatus, OPERATORS, proposed, userMadeBy } from '../admin/approvals-client.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { logInByPasskey, register, stepUpBy } from '../../support/clients/passkeys-client.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { PlainBrowser, type Page } from '../../support/oauth-browser.js';

const STEP_MS = 30_000;
const USED_UP = '401 second_factor_required';

let app: TestApp;
let database: pg.Client;
let people = 0;

/** Lets time go by for the service, without waiting. */
function wait(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** What an app with this secret shows then. */
function shownBy(secret: string, atMs = Date.now()): Promise<string> {
  return generate({ secret, epoch: atMs / 1_000 });
}

/** A code that was not sent yet. */
function nextCode(secret: string): Promise<string> {
  wait(STEP_MS);
  return shownBy(secret);
}

async function newPerson(by = app): Promise<{ username: string; session: UserCaller }> {
  const username = `factor-${++people}`;
  const maker = await logIn(by, 'alice');
  const made = await maker.post('/user', { username, password: `${username}-password` });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return { username, session: await logIn(by, username) };
}

interface Enrolled {
  readonly username: string;
  readonly session: UserCaller;
  readonly secret: string;
  readonly recoveryCodes: string[];
}

async function enrolled(by = app): Promise<Enrolled> {
  const { username, session } = await newPerson(by);
  return { username, session, ...(await enrol(session)) };
}

async function enrol(session: UserCaller): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await session.post('/user/totp', {});
  const confirmed = await session.post('/user/totp/confirm', { code: await nextCode(body.secret) });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  return { secret: body.secret, recoveryCodes: confirmed.body.recovery_codes };
}

function tryLogIn(username: string, code?: string, by = app): Promise<Reply> {
  const headers: Record<string, string> = code === undefined ? {} : { 'x-otp': code };
  return new UserCaller(by.url).tryLogIn(username, `${username}-password`, 'header', headers);
}

async function logInWith({ username, secret }: Enrolled, by = app): Promise<UserCaller> {
  const { status, body } = await tryLogIn(username, await nextCode(secret), by);
  expect(status, JSON.stringify(body)).toBe(200);
  return new UserCaller(by.url).withBearer(body);
}

async function outcomeOf(reply: Promise<Reply>): Promise<string> {
  const answer = await reply;
  return answer.status < 300 ? 'done' : refusalOf(answer);
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  app = await startTestApp({ rateLimits: 'off' });
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await app?.close();
  vi.useRealTimers();
});

describe('an authenticator app', () => {
  it('is asked for from its first code on, and no sooner', async () => {
    const { username, session } = await newPerson();
    expect((await session.get('/user/totp')).body).toEqual({
      is_enrolled: false,
      enrolled_at: null,
      recovery_codes_left: 0,
    });
    const begun = await session.post('/user/totp', {});
    expect(begun.status).toBe(201);
    expect(begun.body.secret).toMatch(/^[A-Z2-7]{32,}$/);
    const url = new URL(begun.body.otpauth_url);
    expect(decodeURIComponent(url.pathname)).toContain(username);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      issuer: 'Tradepost',
      secret: begun.body.secret,
    });
    expect((await tryLogIn(username)).status).toBe(200);

    const stale = begun.body.secret;
    const { secret } = (await session.post('/user/totp', {})).body;
    for (const code of ['000000', await shownBy(stale), '', 'x'.repeat(65), '123 456 7']) {
      expect(await outcomeOf(session.post('/user/totp/confirm', { code }))).toBe('400 validation_failed');
    }
    const confirmed = await session.post('/user/totp/confirm', { code: await shownBy(secret) });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    expect((await session.get('/user/totp')).body).toMatchObject({
      is_enrolled: true,
      recovery_codes_left: 10,
    });

    const refused = await tryLogIn(username);
    expect(refusalOf(refused)).toBe('401 second_factor_required');
    expect(refused.headers.get('www-authenticate')).toBe('OTP realm="tradepost"');
    expect((await tryLogIn(username, await nextCode(secret))).status).toBe(200);
    expect(await outcomeOf(session.post('/user/totp', {}))).toBe('409 conflict');
    expect(await outcomeOf(session.post('/user/totp/confirm', { code: await nextCode(secret) }))).toBe(
      '409 conflict',
    );
  });

  it('tells nothing to who has not the password', async () => {
    const { username, secret } = await enrolled();
    const anyone = new UserCaller(app.url);
    for (const code of [await nextCode(secret), '000000']) {
      const guess = await anyone.tryLogIn(username, 'another-password', 'header', { 'x-otp': code });
      expect(refusalOf(guess)).toBe('401 invalid_credentials');
    }
    // Nor was the code used up by it.
    expect((await tryLogIn(username, await shownBy(secret))).status).toBe(200);
  });

  it('may be a code behind or ahead, and no more', async () => {
    const { username, secret } = await enrolled();
    wait(10 * STEP_MS);
    const at = (steps: number) => shownBy(secret, Date.now() + steps * STEP_MS);
    expect(refusalOf(await tryLogIn(username, await at(-2)))).toBe(USED_UP);
    expect(refusalOf(await tryLogIn(username, await at(2)))).toBe(USED_UP);
    expect((await tryLogIn(username, await at(-1))).status).toBe(200);
    expect((await tryLogIn(username, await at(1))).status).toBe(200);
    // It was shown before one that was taken.
    expect(refusalOf(await tryLogIn(username, await at(0)))).toBe(USED_UP);
  });

  it('has each code taken once, of many at once too', async () => {
    const { username, secret } = await enrolled();
    const code = await nextCode(secret);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryLogIn(username, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
    expect(refusalOf(await tryLogIn(username, code))).toBe(USED_UP);
    expect((await tryLogIn(username, ` ${(await nextCode(secret)).replace(/.../, '$& ')}`)).status).toBe(200);
  });

  it('is replaced by recovery codes, each once, however they are typed, and only one’s own', async () => {
    const one = await enrolled();
    const other = await enrolled();
    const [first, second, third] = one.recoveryCodes as [string, string, string];
    expect(refusalOf(await tryLogIn(other.username, first))).toBe(USED_UP);
    expect((await tryLogIn(one.username, first)).status).toBe(200);
    expect(refusalOf(await tryLogIn(one.username, first))).toBe(USED_UP);
    expect((await tryLogIn(one.username, second.replaceAll('-', ' ').toUpperCase())).status).toBe(200);
    expect((await one.session.get('/user/totp')).body.recovery_codes_left).toBe(8);

    const renewed = (await one.session.post('/user/totp/recovery-codes', {})).body.recovery_codes;
    expect(refusalOf(await tryLogIn(one.username, third))).toBe(USED_UP);
    expect((await tryLogIn(one.username, renewed[0])).status).toBe(200);
    expect((await one.session.get('/user/totp')).body.recovery_codes_left).toBe(9);
  });

  it('is removed with its codes, and with a user who is closed', async () => {
    const gone = await enrolled();
    expect((await gone.session.delete('/user/totp')).status).toBe(204);
    expect((await tryLogIn(gone.username)).status).toBe(200);
    expect(refusalOf(await gone.session.post('/user/totp/recovery-codes', {}))).toBe('409 conflict');

    const closed = await enrolled();
    expect((await closed.session.delete(`/user/${closed.username}`)).status).toBe(200);
    const counts = await database.query(
      `SELECT (SELECT count(*)::int FROM totp_factors JOIN users USING (user_id) WHERE username = ANY($1)) AS apps,
              (SELECT count(*)::int FROM recovery_codes JOIN users USING (user_id) WHERE username = ANY($1)) AS codes,
              (SELECT count(*)::int FROM vault_data_keys WHERE context LIKE 'totp_factors.%') AS keys,
              (SELECT count(*)::int FROM totp_factors) AS left`,
      [[gone.username, closed.username]],
    );
    const [{ apps, codes, keys, left }] = counts.rows as [Record<string, number>];
    expect({ apps, codes }).toEqual({ apps: 0, codes: 0 });
    expect(keys).toBe(left);
  });

  it('is kept sealed, its codes as digests, and both out of the audit log', async () => {
    const { username, secret, recoveryCodes } = await enrolled();
    const { rows } = await database.query<{ text: string }>(
      `SELECT totp_factors::text || encode(sealed_secret, 'escape') AS text FROM totp_factors
       UNION ALL SELECT recovery_codes::text FROM recovery_codes
       UNION ALL SELECT audit_log::text FROM audit_log`,
    );
    const kept = rows.map(({ text }) => text).join('\n');
    expect(kept).toContain(username);
    for (const hidden of [
      secret,
      ...recoveryCodes,
      ...recoveryCodes.map((code) => code.replaceAll('-', '')),
    ]) {
      expect(kept).not.toContain(hidden);
    }
  });

  it('is each user’s own affair: clients, keys and others cannot touch it', async () => {
    const { session } = await enrolled();
    const key = await session.post('/auth/api-keys', { name: 'k', scopes: ['account:read'] });
    const callers = [await clientOf(app, 'demo'), new UserCaller(app.url).withApiKey(key.body.api_key)];
    for (const caller of callers) {
      for (const act of ['/user/totp', '/user/totp/recovery-codes', '/user/step-up']) {
        expect(await outcomeOf(caller.post(act, {}))).toBe('403 forbidden');
      }
      expect(await outcomeOf(caller.delete('/user/totp'))).toBe('403 forbidden');
      expect(await outcomeOf(caller.get('/user/totp'))).toBe('403 forbidden');
    }
  });

  it('is asked for on the log-in pages, too', async () => {
    const person = await enrolled();
    const visits = await ConsoleVisits.at(app);
    const browser = new PlainBrowser(app.url);
    const follow = (page: Page): Promise<Page> => browser.open(new URL(page.location, page.url).href);
    const { url } = await visits.attempt();
    const asked = await browser.logIn(url, person.username);
    expect(asked.title).toContain('Enter a code');
    expect(asked.html).toContain(person.username);
    // Nothing is logged in by the password alone.
    expect((await visits.silently(browser)).get('error')).toBe('login_required');

    const wrong = await browser.submit(asked, { code: '000000' });
    expect({ status: wrong.status, alert: wrong.alert }).toEqual({
      status: 403,
      alert: expect.stringContaining('wrong'),
    });
    const forged = await browser.submit(asked, { code: await nextCode(person.secret), csrf_token: 'x' });
    expect(forged.status).toBe(403);
    const before = browser.cookies.get('__Host-tradepost_login')?.value;
    const done = await follow(await browser.submit(wrong, { code: await shownBy(person.secret) }));
    expect(new URL(done.location).searchParams.get('code')).toMatch(/^tpc_/);
    expect(browser.cookies.get('__Host-tradepost_login')?.value).not.toBe(before);

    const late = new PlainBrowser(app.url);
    const page = await late.logIn(url, person.username);
    wait(5 * 60_000);
    const tooLate = await late.submit(page, { code: await nextCode(person.secret) });
    expect({ status: tooLate.status, title: tooLate.title }).toEqual({
      status: 403,
      title: expect.stringContaining('Log in'),
    });
  });

  describe('that is guessed at', () => {
    let limited: TestApp;
    const tryFrom = (place: string, username: string, code: string): Promise<Reply> =>
      new UserCaller(limited.url).tryLogIn(username, `${username}-password`, 'header', {
        'x-otp': code,
        'x-forwarded-for': place,
      });
    const guessTenTimes = async (username: string, place = (guess: number) => `192.0.2.${guess}`) => {
      for (let guess = 1; guess <= 10; guess++) {
        expect(refusalOf(await tryFrom(place(guess), username, '000000'))).toBe(USED_UP);
      }
    };
    beforeAll(async () => {
      limited = await startTestApp({ trustProxy: 1 });
    });
    afterAll(() => limited.close());

    it('is tried no more after ten wrong ones, over all addresses', async () => {
      const { username, secret } = await enrolled(limited);
      await guessTenTimes(username);
      const right = await nextCode(secret);
      expect(refusalOf(await tryFrom('192.0.2.99', username, right))).toBe('429 rate_limited');
    });

    it('still lets its owner in where one was right before, and there too only ten are tried', async () => {
      const { username, secret } = await enrolled(limited);
      const home = '198.51.100.7';
      expect((await tryFrom(home, username, await nextCode(secret))).status).toBe(200);
      await guessTenTimes(username);
      expect(refusalOf(await tryFrom('203.0.113.1', username, '000000'))).toBe('429 rate_limited');
      expect((await tryFrom(home, username, await nextCode(secret))).status).toBe(200);
      await guessTenTimes(username, () => home);
      expect(refusalOf(await tryFrom(home, username, await nextCode(secret)))).toBe('429 rate_limited');
    });

    it('still lets its owner step up in a session, where ten others are tried at most', async () => {
      const { username, secret, session } = await enrolled(limited);
      await guessTenTimes(username);
      const prove = (code: string): Promise<string> => outcomeOf(session.post('/user/step-up', { code }));
      expect(await prove(await nextCode(secret))).toBe('done');
      for (let guess = 1; guess <= 10; guess++) expect(await prove('000000')).toBe(USED_UP);
      expect(await prove(await nextCode(secret))).toBe('429 rate_limited');
    });
  });
});

describe('a step-up', () => {
  const FRESH_MS = 5 * 60_000 - 1_000;
  const ACTS: Readonly<Record<string, (session: UserCaller) => Promise<Reply>>> = {
    'a key that trades': (session) =>
      session.post('/auth/api-keys', { name: 'k', scopes: ['markets:trade'] }),
    'a client that pays out': (session) =>
      session.post('/auth/clients', {
        name: 'c',
        grant_types: ['client_credentials'],
        scopes: ['banking:write'],
      }),
    'other recovery codes': (session) => session.post('/user/totp/recovery-codes', {}),
  };
  const PLAIN_ACTS: Readonly<Record<string, (session: UserCaller) => Promise<Reply>>> = {
    'a key that reads': (session) => session.post('/auth/api-keys', { name: 'k', scopes: ['account:read'] }),
    'a list of sessions': (session) => session.get('/user/sessions'),
  };
  const AGES: Readonly<Record<string, number>> = { fresh: 0, 'of nearly five minutes': FRESH_MS };

  async function outcomesOf(session: UserCaller, acts = ACTS): Promise<Record<string, string>> {
    const outcomes: Record<string, string> = {};
    for (const [act, run] of Object.entries(acts)) outcomes[act] = await outcomeOf(run(session));
    return outcomes;
  }
  const all = (outcome: string, acts: Json = ACTS): Json =>
    Object.fromEntries(Object.keys(acts).map((act) => [act, outcome]));

  interface Factor {
    readonly logIn: () => Promise<UserCaller>;
    readonly stepUp: (session: UserCaller) => Promise<Reply>;
  }
  const FACTORS: Readonly<Record<string, () => Promise<Factor>>> = {
    'an authenticator app': async () => {
      const person = await enrolled();
      return {
        logIn: () => logInWith(person),
        stepUp: async (session) => session.post('/user/step-up', { code: await nextCode(person.secret) }),
      };
    },
    'recovery codes': async () => {
      const person = await enrolled();
      // The acts renew them.
      const fresh = async (): Promise<string> => {
        const session = await logInWith(person);
        return (await session.post('/user/totp/recovery-codes', {})).body.recovery_codes[0];
      };
      return {
        logIn: async () => {
          const { body } = await tryLogIn(person.username, await fresh());
          return new UserCaller(app.url).withBearer(body);
        },
        stepUp: async (session) => session.post('/user/step-up', { code: await fresh() }),
      };
    },
    'a passkey alone': async () => {
      const { passkey } = await register(app, (await newPerson()).session);
      return {
        logIn: () => logInByPasskey(app, passkey),
        stepUp: (session) => stepUpBy(session, passkey),
      };
    },
  };

  it.each(Object.entries(FACTORS))(
    'by %s is a log-in of at most five minutes ago, or a proof within the session',
    async (_, prepare) => {
      const factor = await prepare();
      for (const [age, ms] of Object.entries(AGES)) {
        const session = await factor.logIn();
        wait(ms);
        expect(await outcomesOf(session), age).toEqual(all('done'));
        wait(2_000);
        if (ms === 0) continue;
        expect(await outcomesOf(session), 'after five minutes').toEqual(all('403 step_up_required'));
        expect(await outcomesOf(session, PLAIN_ACTS)).toEqual(all('done', PLAIN_ACTS));
        expect(await outcomeOf(factor.stepUp(session))).toBe('done');
        wait(FRESH_MS);
        expect(await outcomesOf(session), 'after a proof').toEqual(all('done'));
        wait(2_000);
        expect(await outcomesOf(session), 'long after a proof').toEqual(all('403 step_up_required'));
      }
    },
  );

  it('is done within a session: by a code of who has an app, by the password of others', async () => {
    const person = await enrolled();
    const session = await logInWith(person);
    wait(FRESH_MS + 2_000);
    const password = `${person.username}-password`;
    expect(await outcomeOf(session.post('/user/step-up', { password }))).toBe(USED_UP);
    expect(await outcomeOf(session.post('/user/step-up', { code: '000000' }))).toBe(USED_UP);
    expect(await outcomesOf(session)).toEqual(all('403 step_up_required'));
    expect(await outcomeOf(session.post('/user/step-up', { code: await nextCode(person.secret) }))).toBe(
      'done',
    );
    expect(await outcomesOf(session)).toEqual(all('done'));

    const { username, session: plain } = await newPerson();
    const { 'other recovery codes': _, ...acts } = ACTS;
    wait(FRESH_MS + 2_000);
    expect(await outcomesOf(plain, acts)).toEqual(all('403 step_up_required', acts));
    expect(await outcomeOf(plain.post('/user/step-up', {}))).toBe('400 validation_failed');
    expect(await outcomeOf(plain.post('/user/step-up', { password: 'wrong' }))).toBe(
      '401 invalid_credentials',
    );
    expect(await outcomeOf(plain.post('/user/step-up', { password: `${username}-password` }))).toBe('done');
    expect(await outcomesOf(plain, acts)).toEqual(all('done', acts));
  });

  it('counts for its session alone, and a factor that is added makes older log-ins too weak', async () => {
    const { username, session } = await newPerson();
    const older = await logIn(app, username);
    const { secret } = await enrol(session);
    expect(await outcomesOf(session)).toEqual(all('done'));
    expect(await outcomesOf(older)).toEqual(all('403 step_up_required'));
    expect(await outcomeOf(older.delete('/user/totp'))).toBe('403 step_up_required');
    expect(await outcomeOf(older.post('/user/step-up', { code: await nextCode(secret) }))).toBe('done');
    expect(await outcomesOf(older)).toEqual(all('done'));
  });

  it('is no log-in by the query, whose password others may have seen', async () => {
    const { username } = await newPerson();
    const session = await logIn(app, username, `${username}-password`, 'query');
    expect(await outcomeOf(ACTS['a key that trades']!(session))).toBe('403 step_up_required');
    expect(await outcomeOf(session.post('/user/totp', {}))).toBe('403 step_up_required');
  });

  it('is needed for money that leaves its owner, and for where it could go', async () => {
    const { username, session } = await newPerson();
    const { body: wallet } = await session.post('/wallets', { name: 'Savings' });
    const { body: others } = await (await logIn(app, 'bob')).get('/accounts');
    expect((await session.post('/demo/deposits', {})).status).toBe(201);
    const { body: made } = await session.post(`/wallets/${wallet.wallet_id}/addresses`, {
      chain: 'ethereum',
      purpose: 'signing',
      label: 'x',
    });
    const ethereum = '0x52908400098527886E0F7030069857D2E4169EE7';
    const inside = (destination: Json) => ({ asset: 'USD', amount: '1', destination });
    const acts: Readonly<Record<string, [path: string, body: Json]>> = {
      'a payout': ['/payouts', { payout_account_id: 'pac_00000000001', amount: '1', currency: 'EUR' }],
      'a bank account': [
        '/payout-accounts',
        { type: 'iban', holder_name: 'A', iban: 'DE89370400440532013000', currency: 'EUR' },
      ],
      'a destination': [
        `/wallets/${wallet.wallet_id}/destinations`,
        { chain: 'ethereum', address: ethereum, label: 'x' },
      ],
      'a transfer outside': [
        `/wallets/${wallet.wallet_id}/transfers`,
        { ...inside({ type: 'address', chain: 'ethereum', address: ethereum }), asset: 'ETH' },
      ],
      'a signature, which may be a permit': [
        `/wallets/${wallet.wallet_id}/sign`,
        { address: made.address, type: 'raw', encoding: 'utf8', payload: 'hello' },
      ],
      'a transfer to somebody else': [
        '/accounts/me/transfers',
        inside({ type: 'account', account_id: others.data[0].account_id }),
      ],
    };
    const refused = async (): Promise<string[]> => {
      const names: string[] = [];
      for (const [act, [path, body]] of Object.entries(acts)) {
        if ((await outcomeOf(session.post(path, body))) === '403 step_up_required') names.push(act);
      }
      return names;
    };
    expect(await refused()).toEqual([]);
    wait(FRESH_MS + 2_000);
    expect(await refused()).toEqual(Object.keys(acts));
    const own = inside({ type: 'wallet', wallet_id: wallet.wallet_id });
    expect(await outcomeOf(session.post('/accounts/me/transfers', own))).toBe('done');
    expect(await outcomeOf(session.post('/user/step-up', { password: `${username}-password` }))).toBe('done');
    expect(await refused()).toEqual([]);
  });

  it('is a log-in again, for who lets a client move money by a browser that is logged in', async () => {
    const { username, session } = await newPerson();
    const { body: client } = await session.post('/auth/clients', {
      name: 'Shop',
      grant_types: ['authorization_code'],
      redirect_uris: ['https://shop.example/back'],
      scopes: ['account:read', 'banking:write'],
    });
    const urlFor = (scope: string): string =>
      `${app.url}/oauth/authorize?${new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: 'https://shop.example/back',
        response_type: 'code',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        scope,
      }).toString()}`;
    const browser = new PlainBrowser(app.url);
    const consent = await browser.logIn(urlFor('banking:write'), username);
    expect(consent.title).not.toContain('Log in');
    wait(FRESH_MS + 2_000);
    expect((await browser.open(urlFor('account:read'))).title).not.toContain('Log in');
    const again = await browser.open(urlFor('banking:write'));
    expect({ title: again.title, alert: again.alert }).toEqual({
      title: expect.stringContaining('Log in'),
      alert: expect.stringContaining('money'),
    });
    const late = await browser.submit(consent, { decision: 'allow' });
    expect({ status: late.status, title: late.title }).toEqual({
      status: 200,
      title: expect.stringContaining('Log in'),
    });
    const denied = await browser.submit(consent, { decision: 'deny' });
    expect(new URL(denied.location).searchParams.get('error')).toBe('access_denied');

    const back = await browser.submit(again, { username, password: `${username}-password` });
    const asked = await browser.open(new URL(back.location, back.url).href);
    const allowed = await browser.submit(asked, { decision: 'allow' });
    expect(new URL(allowed.location).searchParams.get('code')).toMatch(/^tpc_/);
  });

  it('is needed for another password by who has a second factor', async () => {
    const person = await enrolled();
    const session = await logInWith(person);
    wait(FRESH_MS + 2_000);
    const change = { current_password: `${person.username}-password`, new_password: 'another-password' };
    expect(await outcomeOf(session.post('/user/password', change))).toBe('403 step_up_required');
    const update = { password: 'another-password' };
    expect(await outcomeOf(session.put(`/user/${person.username}`, update))).toBe('403 step_up_required');
    expect(await outcomeOf(session.post('/user/step-up', { code: await nextCode(person.secret) }))).toBe(
      'done',
    );
    expect(await outcomeOf(session.post('/user/password', change))).toBe('done');
  });

  it('is recorded, right or wrong', async () => {
    const person = await enrolled();
    const session = await logInWith(person);
    await session.post('/user/step-up', { code: '000000' });
    await session.post('/user/step-up', { code: await nextCode(person.secret) });
    const { rows } = await database.query<{ outcome: string; details: Json }>(
      `SELECT outcome, details FROM audit_log WHERE action = 'stepUp' AND target_id = $1
        ORDER BY audit_id`,
      [person.username],
    );
    expect(rows).toEqual([
      { outcome: 'failed', details: { factor: 'code' } },
      { outcome: 'succeeded', details: { proved_by: 'totp' } },
    ]);
  });
});

describe('operators who need a second factor', () => {
  it('are operators only with one, by the API and at the console, and cannot do without it', async () => {
    const strict = await startTestApp({
      rateLimits: 'off',
      seedDemo: false,
      operatorsNeedSecondFactor: true,
      bootstrapAdmins: [{ username: 'first', password: 'first-password' }],
    });
    try {
      const session = await logIn(strict, 'first');
      expect(await outcomeOf(session.get('/admin/users'))).toBe('403 insufficient_scope');
      const visits = await ConsoleVisits.at(strict);
      const { caller } = await visits.visit('first');
      expect(await outcomeOf(caller.get('/admin/users'))).toBe('403 insufficient_scope');

      const { secret } = await enrol(session);
      const operator = await logInWith({ username: 'first', session, secret, recoveryCodes: [] }, strict);
      expect(await outcomeOf(operator.get('/admin/users'))).toBe('done');
      expect(await outcomeOf(session.get('/admin/users'))).toBe('403 insufficient_scope');
      expect(await outcomeOf(operator.delete('/user/totp'))).toBe('409 conflict');
    } finally {
      await strict.close();
    }
  });

  it('remove that of a user who has lost it by two, whatever FOUR_EYES says', async () => {
    const house = await startTestApp({
      rateLimits: 'off',
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    try {
      const [first, second, third] = await Promise.all(OPERATORS.map((username) => logIn(house, username)));
      const user = await userMadeBy(house, third!, 'forgetful');
      const path = '/admin/users/forgetful/second-factors';
      expect(await outcomeOf(first!.delete(path))).toBe('409 conflict');
      expect(await outcomeOf(first!.delete('/admin/users/nobody/second-factors'))).toBe('404 not_found');
      await enrol(user);
      expect(await outcomeOf(user.delete(path))).toBe('403 insufficient_scope');
      const approval = await proposed(first!.delete(path));
      expect(await outcomeOf(approve(first!, approval))).toBe('403 same_person');
      expect(refusalOf(await tryLogIn('forgetful', undefined, house))).toBe(USED_UP);
      await expectStatus(approve(second!, approval), 200);
      expect((await tryLogIn('forgetful', undefined, house)).status).toBe(200);
      expect(await outcomeOf(user.get('/user/totp'))).toBe('401 invalid_token');
    } finally {
      await house.close();
    }
  });
});
