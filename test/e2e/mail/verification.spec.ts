import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { MailServer, tokenIn } from '../../support/mail-server.js';
import { giveAddress, newReader, newUser, verify } from './mail-client.js';

const SUBJECT = 'Verify your mail address';
const VOID = '400 invalid_grant';

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await MailServer.start();
  app = await startTestApp({ mail: server.config });
});

afterAll(async () => {
  await app?.close();
  await server?.close();
});

const sql = (statement: string, values: unknown[] = []) =>
  queryOnce(app.config.databaseUrl!, statement, values);

const verifyToken = (token: string) => new UserCaller(app.url).post('/user/email/verify', { token });

/** Waits until no job is left, so that what has not come does not come. */
async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const [row] = await sql(
      `SELECT count(*)::int AS open FROM graphile_worker.jobs
        WHERE task_identifier IN ('users.send_verification', 'users.send_notice', 'auth.find_forgetful', 'auth.send_password_reset')`,
    );
    expect(row).toEqual({ open: 0 });
  });
}

describe('an address', () => {
  it('is verified by the link of the mail that it is sent, once', async () => {
    const user = await newUser(app);
    expect((await user.session.get('/user/email')).body).toEqual({ email: null, verified_at: null });
    await giveAddress(user);
    expect((await user.session.get('/user/email')).body).toEqual({ email: user.email, verified_at: null });
    const mail = await server.mail(user.email, SUBJECT);
    expect(mail.headers.get('from')).toBe('Trading house <no-reply@house.example>');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.text).toContain(`Hello ${user.username},`);
    expect(mail.html).toContain(`<strong>${user.username}</strong>`);
    const token = tokenIn(mail);
    expect(mail.text).toContain(`${app.config.publicUrl}/oauth/verify-email?token=${token}`);
    const [stored] = await sql('SELECT * FROM mail_tokens WHERE email = $1', [user.email]);
    expect(JSON.stringify(stored)).not.toContain(token);
    expect((await verifyToken(token)).status).toBe(204);
    const { body } = await user.session.get('/user/email');
    expect(Date.parse(body.verified_at)).toBeGreaterThan(Date.now() - 60_000);
    expect(refusalOf(await verifyToken(token))).toBe(VOID);
    expect(refusalOf(await user.session.post('/user/email/verification', {}))).toBe('409 conflict');
  });

  it('is verified by one of eight at once', async () => {
    const user = await newUser(app);
    await giveAddress(user);
    const token = tokenIn(await server.mail(user.email, SUBJECT));
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => verifyToken(token)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([204, 400, 400, 400, 400, 400, 400, 400]);
  });

  it('is not verified by a token that is old, made up, or of an address that was changed', async () => {
    const user = await newUser(app);
    await giveAddress(user);
    const token = tokenIn(await server.mail(user.email, SUBJECT));
    await sql(`UPDATE mail_tokens SET expires_at = now() - interval '1 second' WHERE email = $1`, [
      user.email,
    ]);
    expect(refusalOf(await verifyToken(token))).toBe(VOID);
    expect(refusalOf(await verifyToken('tpm_made-up'))).toBe(VOID);
    expect(refusalOf(await verifyToken('tpm_\u0000\ud800'))).toMatch(/^400 /);

    await user.session.post('/user/email/verification', {});
    await eventually(() => server.to(user.email).length === 2, 'a second mail');
    const second = tokenIn(await server.mail(user.email, SUBJECT));
    const operator = await clientOf(app, 'admin');
    expect((await operator.put(`/user/${user.username}`, { email: 'other@example.com' })).status).toBe(200);
    expect(refusalOf(await verifyToken(second))).toBe(VOID);
  });

  it('is told to none of those whom somebody else gave it, and stays unverified', async () => {
    const made = await newUser(app, { email: 'given-by-operator@example.com' });
    const changed = await newReader(app, server);
    const operator = await clientOf(app, 'admin');
    await operator.put(`/user/${changed.username}`, { email: 'set-by-operator@example.com' });
    await untilQuiet();
    expect(server.to('given-by-operator@example.com')).toEqual([]);
    expect(server.to('set-by-operator@example.com')).toEqual([]);
    expect((await made.session.get('/user/email')).body.verified_at).toBeNull();
    expect((await changed.session.get('/user/email')).body.verified_at).toBeNull();
    await server.mail(changed.email, 'Your mail address was changed');
  });

  it('changes by a stolen session only with a step-up, and the old one is told', async () => {
    const user = await newReader(app, server);
    const late = await logIn(app, user.username);
    await sql(
      `UPDATE sessions SET proved_at = now() - interval '6 minutes'
        WHERE user_id = (SELECT user_id FROM users WHERE username = $1)`,
      [user.username],
    );
    const byQuery = await logIn(app, user.username, user.password, 'query');
    for (const session of [byQuery, late]) {
      const change = await session.put(`/user/${user.username}`, { email: 'thief@example.com' });
      expect(refusalOf(change)).toBe('403 step_up_required');
      expect(refusalOf(await session.post('/user/email/verification', {}))).toBe('403 step_up_required');
      const others = { email: user.email, phone: '+351 210 000 000' };
      expect((await session.put(`/user/${user.username}`, others)).status).toBe(200);
    }
    expect((await late.get('/user/email')).body.verified_at).not.toBeNull();
    expect((await late.post('/user/step-up', { password: user.password })).status).toBe(204);
    const moved = { ...user, session: late, email: `new-${user.email}` };
    await giveAddress(moved);
    expect((await late.get('/user/email')).body).toEqual({ email: moved.email, verified_at: null });
    const told = await server.mail(user.email, 'Your mail address was changed');
    expect(told.text).toContain('Address: 127.0.0.1');
    expect((await verify(app, server, moved)).status).toBe(204);
    expect(server.to('thief@example.com')).toEqual([]);
  });

  it('is not taken from keys and clients, and is none where it is not the form of one', async () => {
    const user = await newUser(app);
    const { body: key } = await user.session.post('/auth/api-keys', {
      name: 'Mine',
      scopes: ['account:read'],
    });
    const byKey = new UserCaller(app.url).withApiKey(key.api_key);
    expect(refusalOf(await byKey.get('/user/email'))).toMatch(/^403/);
    expect(refusalOf(await byKey.post('/user/email/verification', {}))).toMatch(/^403/);
    for (const email of [
      'no address',
      'a@example.com, thief@example.com',
      'Name <thief@example.com>',
      'a@example.com\r\nBcc: thief@example.com',
      '"a\r\nRCPT TO:<thief@example.com>"@example.com',
      'a@example.com\u2028b',
    ]) {
      expect((await user.session.put(`/user/${user.username}`, { email })).status).toBe(200);
      expect(refusalOf(await user.session.post('/user/email/verification', {}))).toBe('422 unprocessable');
    }
    await untilQuiet();
    expect(server.mails.filter(({ headers }) => headers.has('bcc'))).toEqual([]);
    expect(server.to('thief@example.com')).toEqual([]);
  });

  it('gets five mails an hour and no more', async () => {
    const user = await newUser(app, {});
    const operator = await clientOf(app, 'admin');
    await operator.put(`/user/${user.username}`, { email: user.email });
    const replies = [];
    for (let asked = 0; asked < 7; asked++) {
      replies.push((await user.session.post('/user/email/verification', {})).status);
    }
    expect(replies).toEqual([202, 202, 202, 202, 202, 429, 429]);
    await untilQuiet();
    expect(server.to(user.email).length).toBeLessThanOrEqual(5);
  });

  it('is forgotten with its tokens and devices when the user is closed', async () => {
    const user = await newReader(app, server);
    const [{ user_id: userId }] = (await sql('SELECT user_id FROM users WHERE username = $1', [
      user.username,
    ])) as [{ user_id: string }];
    expect((await user.session.delete(`/user/${user.username}`)).status).toBe(200);
    expect(
      await sql(
        `SELECT (SELECT count(*)::int FROM known_devices WHERE user_id = $1) AS devices,
                (SELECT count(*)::int FROM mail_tokens WHERE user_id = $1) AS tokens,
                (SELECT email_verified_at FROM users WHERE user_id = $1) AS verified`,
        [userId],
      ),
    ).toEqual([{ devices: 0, tokens: 0, verified: null }]);
  });

  it('page is not hidden by a user of that name', async () => {
    const operator = await clientOf(app, 'admin');
    const reply = await operator.post('/user', { username: 'Email', password: 'Email-password' });
    expect(refusalOf(reply)).toBe('400 validation_failed');
  });
});
