import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { addIban, IBAN, payOut, startBank } from '../../support/clients/payouts-client.js';
import { clientOf, logIn, UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { type Mail, MailServer } from '../../support/mail-server.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { newReader, newUser, type Reader, reset, resetTokenOf } from './mail-client.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0';

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await MailServer.start();
  app = await startBank({}, 'fatal', {
    mail: server.config,
    rateLimits: 'off',
    trustProxy: 1,
    plugins: [QuietChainPlugin],
  });
});

afterAll(async () => {
  await app?.close();
  await server?.close();
});

const noticesTo = ({ email }: Reader): string[] =>
  server.to(email).flatMap(({ subject }) => (subject === 'Verify your mail address' ? [] : [subject]));

async function logInFrom({ username, password }: Reader, userAgent: string, address: string): Promise<void> {
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': address };
  const reply = await new UserCaller(app.url).tryLogIn(username, password, 'header', headers);
  expect(reply.status).toBe(200);
}

async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const [row] = await queryOnce(
      app.config.databaseUrl!,
      `SELECT count(*)::int AS open FROM graphile_worker.jobs WHERE task_identifier = 'users.send_notice'`,
    );
    expect(row).toEqual({ open: 0 });
  });
}

/** Facts are in both parts; those who read the HTML see the same text. */
function expectFacts({ text, html }: Mail, facts: Readonly<Record<string, string>>): void {
  for (const [label, value] of Object.entries(facts)) {
    expect(text).toContain(`\n${label}: ${value}\n`);
    const shown = escaped(value);
    expect(html.replaceAll(/\s*\n\s*/g, '')).toContain(`<th scope="row">${label}</th><td>${shown}</td>`);
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

describe('a log-in', () => {
  it('from a new device or network is told, the first ever and known ones are not', async () => {
    const reader = await newReader(app, server);
    await logInFrom(reader, 'node', '127.0.0.1');
    await untilQuiet();
    expect(noticesTo(reader)).toEqual([]);
    await logInFrom(reader, FIREFOX, '192.0.2.7');
    const mail = await server.mail(reader.email, 'Log-in from a new device');
    expectFacts(mail, { Device: 'Firefox on Windows', Address: '192.0.2.7' });
    expect(mail.text).toMatch(/When: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(mail.text).toContain(`${app.config.publicUrl}/oauth/forgot-password`);
    await logInFrom(reader, FIREFOX, '192.0.2.7');
    await logInFrom(reader, FIREFOX, '192.0.2.8');
    await eventually(() => noticesTo(reader).length === 2, 'the second network');
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE known_devices SET last_seen_at = now() - interval '2 hours'`,
    );
    await logInFrom(reader, FIREFOX, '192.0.2.8');
    await untilQuiet();
    expect(noticesTo(reader)).toHaveLength(2);
  });

  it('on the pages is told, too, and one time of several at once', async () => {
    const reader = await newReader(app, server);
    const visits = await ConsoleVisits.at(app);
    await queryOnce(app.config.databaseUrl!, 'DELETE FROM known_devices');
    await visits.visit(reader.username);
    await server.mail(reader.email, 'Log-in from a new device');
    await Promise.all(Array.from({ length: 6 }, () => logInFrom(reader, FIREFOX, '198.51.100.1')));
    await untilQuiet();
    expect(noticesTo(reader)).toHaveLength(2);
  });

  it('is not told to an address that is not verified', async () => {
    const user = await newUser(app, { email: 'not-verified@example.com' });
    await logInFrom(user, FIREFOX, '192.0.2.9');
    await untilQuiet();
    expect(server.to('not-verified@example.com')).toEqual([]);
  });
});

describe('a change', () => {
  it('of keys, clients, factors and the password is told, with names as they are and no secret', async () => {
    const reader = await newReader(app, server);
    const { session } = reader;
    const name = '<b>Sheet</b> & https://evil.example';
    const { body: key } = await session.post('/auth/api-keys', { name, scopes: ['account:read'] });
    const ofKey = await server.mail(reader.email, 'New API key');
    expectFacts(ofKey, { Name: name, 'It may': 'account:read', Address: '127.0.0.1' });
    expect(ofKey.html).not.toContain('<b>Sheet');
    expect(ofKey.html).not.toContain('href="https://evil');
    expect(`${ofKey.text}${ofKey.html}`).not.toContain(key.api_key);
    await session.post('/auth/clients', { name: 'Bot', scopes: ['account:read'] });
    expectFacts(await server.mail(reader.email, 'New OAuth client'), { Name: 'Bot' });

    const { body } = await session.post('/user/totp', {});
    const code = await generate({ secret: body.secret });
    expect((await session.post('/user/totp/confirm', { code })).status).toBe(200);
    await server.mail(reader.email, 'Second factor added');
    await session.post('/user/totp/recovery-codes', {});
    await server.mail(reader.email, 'New recovery codes');
    expect((await session.delete('/user/totp')).status).toBe(204);
    expectFacts(await server.mail(reader.email, 'Second factor removed'), { Factor: 'authenticator app' });

    const change = { current_password: reader.password, new_password: 'another password' };
    expect((await session.post('/user/password', change)).status).toBe(204);
    await server.mail(reader.email, 'Your password was changed');
  });

  it('by an operator is told, too', async () => {
    const reader = await newReader(app, server);
    const operator = await clientOf(app, 'admin');
    const body = { password: 'set by an operator', email: 'elsewhere@example.com' };
    expect((await operator.put(`/user/${reader.username}`, body)).status).toBe(200);
    await server.mail(reader.email, 'Your password was changed');
    await server.mail(reader.email, 'Your mail address was changed');
    await untilQuiet();
    expect(server.to('elsewhere@example.com')).toEqual([]);
  });

  it('of destinations, bank accounts and payouts is told, with ends of numbers alone', async () => {
    const reader = await newReader(app, server);
    const owner = await logIn(app, reader.username);
    const operator = await callerFor(app.url, 'admin');
    await approvedKyc(owner, operator);
    const account = await addIban(owner);
    const ofAccount = await server.mail(reader.email, 'New bank account');
    expectFacts(ofAccount, { Account: `EUR, ending in ${IBAN.slice(-4)}` });
    expect(`${ofAccount.text}${ofAccount.html}`).not.toContain(IBAN.slice(0, -4));

    const [{ account_id: accountId }] = (await owner.get('/accounts')).body.data;
    await deposit(operator, accountId);
    const refused = await owner.post('/payouts', {
      payout_account_id: account,
      amount: '900',
      currency: 'EUR',
    });
    expect(refused.status).toBe(422);
    const payout = await payOut(owner, account, '12.5');
    const ofPayout = await server.mail(reader.email, 'New payout');
    expectFacts(ofPayout, {
      Payout: payout.payout_id,
      Amount: `${payout.amount} EUR`,
      'To account': `ending in ${IBAN.slice(-4)}`,
    });
    await untilQuiet();
    expect(noticesTo(reader).filter((subject) => subject === 'New payout')).toHaveLength(1);

    const { body: wallet } = await owner.post('/wallets', { name: 'Mine' });
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    const listed = await owner.post(`/wallets/${wallet.wallet_id}/destinations`, {
      chain: 'ethereum',
      address,
      label: 'Cold storage',
    });
    expect(listed.status, JSON.stringify(listed.body)).toBe(201);
    const ofDestination = await server.mail(reader.email, 'New destination for your money');
    expectFacts(ofDestination, { Chain: 'ethereum', Destination: '0x5290…9EE7' });
    expect(ofDestination.text).not.toContain(address);
  });
});

describe('a payout after a reset by mail', () => {
  it('waits for an operator for a day, and is not refused', async () => {
    const reader = await newReader(app, server);
    const operator = await callerFor(app.url, 'admin');
    await approvedKyc(reader.session, operator);
    const account = await addIban(reader.session);
    const [{ account_id: accountId }] = (await reader.session.get('/accounts')).body.data;
    await deposit(operator, accountId);
    expect((await payOut(reader.session, account, '1')).status).toBe('pending');
    const next = 'a password that is new';
    expect((await reset(app, await resetTokenOf(app, server, reader), next)).status).toBe(204);
    const session = await logIn(app, reader.username, next);
    const held = await payOut(session, account, '1');
    expect(held.status).toBe('pending_approval');
    const approved = await operator.post(`/admin/payouts/${held.payout_id}/approve`, {});
    expect(approved.status, JSON.stringify(approved.body)).toBe(200);
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE password_resets SET reset_at = now() - interval '25 hours'`,
    );
    expect((await payOut(session, account, '1')).status).toBe('pending');
  });
});

async function deposit(operator: Caller, accountId: string): Promise<void> {
  const body = { asset: 'EUR', amount: '100', reference: 'A test' };
  const reply = await operator.post(`/admin/accounts/${accountId}/deposits`, body);
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
}
