import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { lockRows, queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { MailServer } from '../../support/mail-server.js';
import { newReader, newUser, type Reader, reset, resetsTo, resetTokenOf } from './mail-client.js';

const SUBJECT = 'Reset your password';
const NEXT = 'another password';
const VOID = '400 invalid_grant';

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await MailServer.start();
  app = await startTestApp({ mail: server.config, rateLimits: 'off' });
});

afterAll(async () => {
  await app?.close();
  await server?.close();
});

const sql = (statement: string, values: unknown[] = []) =>
  queryOnce(app.config.databaseUrl!, statement, values);

const forgot = (body: object, by = app) => new UserCaller(by.url).post('/user/password/forgot', body);

async function logInStatus({ username }: Reader, password: string): Promise<number> {
  return (await new UserCaller(app.url).tryLogIn(username, password)).status;
}

/** Waits for all that was asked for, so that what has not come does not come. */
async function untilQuiet(by = app): Promise<void> {
  await eventually(async () => {
    const [row] = await queryOnce(
      by.config.databaseUrl!,
      `SELECT count(*)::int AS open FROM graphile_worker.jobs WHERE task_identifier LIKE 'auth.%'`,
    );
    expect(row).toEqual({ open: 0 });
  });
}

describe('a forgotten password', () => {
  it('is replaced by the link of a mail, once, and every session ends', async () => {
    const user = await newReader(app, server);
    const visits = await ConsoleVisits.at(app);
    const { caller: atConsole } = await visits.visit(user.username);
    const token = await resetTokenOf(app, server, user);
    const mail = await server.mail(user.email, SUBJECT);
    expect(mail.html).toContain(`href="${app.config.publicUrl}/oauth/reset-password?token=${token}"`);
    expect((await reset(app, token, NEXT)).status).toBe(204);
    for (const session of [user.session, atConsole]) {
      expect((await session.get('/oauth/userinfo')).status).toBe(401);
    }
    expect([await logInStatus(user, user.password), await logInStatus(user, NEXT)]).toEqual([401, 200]);
    expect(refusalOf(await reset(app, token, 'a third password'))).toBe(VOID);
    await server.mail(user.email, 'Your password was changed');
    const audit = await (await clientOf(app, 'admin')).get(`/admin/audit?target=user:${user.username}`);
    expect(audit.status, JSON.stringify(audit.body)).toBe(200);
    expect(JSON.stringify(audit.body)).toContain(`mail:${user.username}`);
    expect(JSON.stringify(audit.body)).not.toContain(token);
  });

  it('is asked for by name or address, in any case; users who share one get a mail each, at most five', async () => {
    const email = 'Shared@example.com';
    const readers: Reader[] = [];
    for (let count = 0; count < 6; count++) readers.push(await newReader(app, server, email));
    await forgot({ email: 'sHARED@example.COM' });
    await eventually(() => resetsTo(server, email) >= 5, 'five mails');
    await untilQuiet();
    expect(resetsTo(server, email)).toBe(5);
    await forgot({ username: readers[5]!.username.toUpperCase() });
    await eventually(() => resetsTo(server, email) === 6, 'a mail to the sixth');
    const names = server
      .to(email)
      .flatMap(({ subject, text }) => (subject === SUBJECT ? [text.split('\n')[0]] : []));
    expect(new Set(names)).toEqual(new Set(readers.map(({ username }) => `Hello ${username},`)));
  });

  it('is set by one of eight at once', async () => {
    const user = await newReader(app, server);
    const token = await resetTokenOf(app, server, user);
    const passwords = Array.from({ length: 8 }, (_, index) => `password number ${index}`);
    const replies = await Promise.all(passwords.map((password) => reset(app, token, password)));
    const winners = replies.flatMap(({ status }, index) => (status === 204 ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const [index, { status }] of replies.entries()) {
      if (index !== winners[0]) expect([400, 409]).toContain(status);
      expect(await logInStatus(user, passwords[index]!)).toBe(index === winners[0] ? 200 : 401);
    }
  });

  it('is not set by a token that is old, made up, replaced, of another address, or for another purpose', async () => {
    const user = await newReader(app, server);
    const old = await resetTokenOf(app, server, user);
    const newest = await resetTokenOf(app, server, user);
    expect(refusalOf(await reset(app, old, NEXT))).toBe(VOID);
    expect(refusalOf(await reset(app, 'tpm_made-up', NEXT))).toBe(VOID);
    expect(refusalOf(await new UserCaller(app.url).post('/user/email/verify', { token: newest }))).toBe(VOID);
    await sql(`UPDATE mail_tokens SET expires_at = now() - interval '1 second' WHERE email = $1`, [
      user.email,
    ]);
    expect(refusalOf(await reset(app, newest, NEXT))).toBe(VOID);
    expect((await user.session.get('/oauth/userinfo')).status).toBe(200);

    const beforeChange = await resetTokenOf(app, server, user);
    const change = { current_password: user.password, new_password: user.password };
    expect((await user.session.post('/user/password', change)).status).toBe(204);
    expect(refusalOf(await reset(app, beforeChange, NEXT))).toBe(VOID);

    const third = await resetTokenOf(app, server, user);
    await user.session.put(`/user/${user.username}`, { email: `moved-${user.email}` });
    expect(refusalOf(await reset(app, third, NEXT))).toBe(VOID);
    expect(await logInStatus(user, user.password)).toBe(200);
  });

  it('is not set by the link to an address that was changed since and is back, verified again or not', async () => {
    const user = await newReader(app, server);
    const token = await resetTokenOf(app, server, user);
    for (const email of [`moved-${user.email}`, user.email])
      expect((await user.session.put(`/user/${user.username}`, { email })).status).toBe(200);
    expect(refusalOf(await reset(app, token, NEXT))).toBe(VOID);
    await eventually(async () => {
      const rows = await sql('SELECT FROM mail_tokens WHERE purpose = $1 AND email = $2', [
        'verify',
        user.email,
      ]);
      return rows.length > 0;
    }, 'the verification is mailed');
    await sql(`UPDATE users SET email_verified_at = now() WHERE username = $1`, [user.username]);
    expect(refusalOf(await reset(app, token, NEXT))).toBe(VOID);
    expect((await reset(app, await resetTokenOf(app, server, user), NEXT)).status).toBe(204);
  });

  it('of a locked user is not mailed, and not set', async () => {
    const user = await newReader(app, server);
    const token = await resetTokenOf(app, server, user);
    const operator = await clientOf(app, 'admin');
    await operator.post(`/admin/users/${user.username}/lock`, { reason: 'A test.' });
    expect(refusalOf(await reset(app, token, NEXT))).toBe(VOID);
    const before = resetsTo(server, user.email);
    await forgot({ username: user.username });
    await untilQuiet();
    expect(resetsTo(server, user.email)).toBe(before);
  });

  it('still takes the second factor at the log-in, and so operators need one to be mailed at all', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const user = await newReader(app, server);
      const operator = await clientOf(app, 'admin');
      expect((await operator.post('/admin/operators', { username: user.username })).status).toBeLessThan(300);
      await forgot({ username: user.username });
      await untilQuiet();
      expect(resetsTo(server, user.email)).toBe(0);

      const { body } = await user.session.post('/user/totp', {});
      const codeOf = (): Promise<string> => generate({ secret: body.secret, epoch: Date.now() / 1_000 });
      expect((await user.session.post('/user/totp/confirm', { code: await codeOf() })).status).toBe(200);
      const token = await resetTokenOf(app, server, user);
      expect((await reset(app, token, NEXT)).status).toBe(204);
      const anyone = new UserCaller(app.url);
      expect(refusalOf(await anyone.tryLogIn(user.username, NEXT))).toBe('401 second_factor_required');
      vi.setSystemTime(Date.now() + 30_000);
      const answer = await anyone.tryLogIn(user.username, NEXT, 'header', { 'x-otp': await codeOf() });
      expect(answer.status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  it('holds money back for a day: transfers to others are refused', async () => {
    const user = await newReader(app, server);
    expect((await reset(app, await resetTokenOf(app, server, user), NEXT)).status).toBe(204);
    const session = await logIn(app, user.username, NEXT);
    const [{ account_id: accountId }] = (await session.get('/accounts')).body.data;
    const bob = await logIn(app, 'bob');
    const [{ account_id: other }] = (await bob.get('/accounts')).body.data;
    const send = () =>
      session.post(`/accounts/${accountId}/transfers`, {
        asset: 'USD',
        amount: '1',
        destination: { type: 'account', account_id: other },
      });
    expect(refusalOf(await send())).toBe('403 approval_required');
    await sql(
      `UPDATE password_resets SET reset_at = now() - interval '25 hours'
        WHERE user_id = (SELECT user_id FROM users WHERE username = $1)`,
      [user.username],
    );
    expect(refusalOf(await send())).toBe('422 insufficient_funds');
  });
});

describe('POST /user/password/forgot', () => {
  it('answers everybody the same, and looks for users only later', async () => {
    const known = await newReader(app, server);
    const locked = await newReader(app, server);
    const unverified = await newUser(app, { email: 'unverified@example.com' });
    await (await clientOf(app, 'admin')).post(`/admin/users/${locked.username}/lock`, { reason: 'A test.' });
    await untilQuiet();
    const before = server.mails.length;
    const answers: string[] = [];
    // Nobody can read these now: who is known is found out after the answer.
    const lock = await lockRows(
      app.config.databaseUrl!,
      'LOCK TABLE users, mail_tokens, totp_factors IN ACCESS EXCLUSIVE MODE',
    );
    for (const body of [
      { username: known.username },
      { username: locked.username },
      { username: unverified.username },
      { username: 'nobody-at-all' },
      { email: known.email },
      { email: 'unverified@example.com' },
      { email: 'nobody@example.com' },
      { email: `' OR true --` },
    ]) {
      const { status, headers, body: sent } = await forgot(body);
      const plain = Object.fromEntries(
        [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name)),
      );
      answers.push(JSON.stringify({ status, plain, sent }));
    }
    await lock.release();
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"status":202');
    await untilQuiet();
    // Of two mails that wait at once only the newer is sent.
    const recipients = server.mails.slice(before).flatMap((mail) => mail.recipients);
    expect(new Set(recipients)).toEqual(new Set([known.email]));
  });

  it('takes one of the two, of bounded length', async () => {
    const refused = '400 validation_failed';
    expect(refusalOf(await forgot({}))).toBe(refused);
    expect(refusalOf(await forgot({ username: 'alice', email: 'alice@example.com' }))).toBe(refused);
    expect(refusalOf(await forgot({ username: 'x'.repeat(65) }))).toBe(refused);
    expect(refusalOf(await forgot({ email: ['a@example.com'] }))).toBe(refused);
  });

  it('is limited for one name and from one address, known or not', async () => {
    const limited = await startTestApp({ mail: server.config, rateLimits: 'on' });
    try {
      const statusesOf = async (username: string, count: number): Promise<number[]> => {
        const replies = [];
        for (let asked = 0; asked < count; asked++)
          replies.push((await forgot({ username }, limited)).status);
        return replies;
      };
      const five = [202, 202, 202, 202, 202];
      expect(await statusesOf('alice', 6)).toEqual([...five, 429]);
      expect(await statusesOf('no-such-user', 6)).toEqual([...five, 429]);
      for (let name = 0; name < 20; name++) await forgot({ username: `made-up-${name}` }, limited);
      expect(await statusesOf('one-more', 1)).toEqual([429]);
    } finally {
      await limited.close();
    }
  });
});
