import { readFileSync } from 'node:fs';
import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { limit } from '../../support/clients/markets-client.js';
import { newSigner, SigningCaller } from '../../support/clients/request-signer.js';
import { MailServer } from '../../support/mail-server.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { addIban, startBank } from '../../support/clients/payouts-client.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { giveAddress, reset, resetTokenOf, verify } from '../mail/mail-client.js';

/** Somebody worth robbing. */
interface Victim {
  readonly username: string;
  readonly password: string;
  readonly email: string;
  /** What the victim still has: another session. */
  readonly session: UserCaller;
  readonly walletId: string;
  readonly address: string;
  readonly bankAccountId: string;
}

type Verdict = 'yes' | 'no' | 'waits';

const ETHEREUM = '0x52908400098527886E0F7030069857D2E4169EE7';
const IBAN_OF_THIEF = 'FR1420041010050500013M02606';
const FIVE_MINUTES_MS = 5 * 60_000;

let app: TestApp;
let mail: MailServer;
let operator: UserCaller;
let othersAccountId: string;
let victims = 0;

/** Lets time go by for the service, without waiting. */
function wait(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

async function done(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

async function newVictim(): Promise<Victim> {
  const username = `victim-${++victims}`;
  const password = `${username}-password`;
  await done((await logIn(app, 'alice')).post('/user', { username, password }));
  const session = await logIn(app, username);
  await approvedKyc(session, operator);
  const accountId = (await done(session.get('/accounts'))).data[0].account_id;
  for (const asset of ['EUR', 'USD', 'ETH']) {
    const deposit = { asset, amount: '100000', reference: `${username} ${asset}` };
    await done(operator.post(`/admin/accounts/${accountId}/deposits`, deposit));
  }
  const { wallet_id: walletId } = await done(session.post('/wallets', { name: 'Savings' }));
  const fund = { asset: 'ETH', amount: '10', destination: { type: 'wallet', wallet_id: walletId } };
  await done(session.post('/accounts/me/transfers', fund));
  const { address } = await done(
    session.post(`/wallets/${walletId}/addresses`, { chain: 'ethereum', purpose: 'signing', label: 'x' }),
  );
  const bankAccountId = await addIban(session);
  const email = `${username}@example.com`;
  const victim = { username, password, email, session, walletId, address, bankAccountId };
  await giveAddress(victim);
  await done(verify(app, mail, victim));
  return victim;
}

async function addSecondFactor({ session }: Victim): Promise<void> {
  const { secret } = await done(session.post('/user/totp', {}));
  const code = await generate({ secret, epoch: Date.now() / 1_000 });
  await done(session.post('/user/totp/confirm', { code }));
}

/** Resets the password by the link that comes to the mailbox, and logs in with it, if that suffices. */
async function enterByMail(victim: Victim): Promise<UserCaller> {
  const password = 'the-thief-chose-it';
  await done(reset(app, await resetTokenOf(app, mail, victim), password));
  return enter(victim.username, password);
}

async function enter(username: string, password: string): Promise<UserCaller> {
  const anyone = new UserCaller(app.url);
  const { status, body } = await anyone.tryLogIn(username, password);
  return status === 200 ? anyone.withBearer(body) : anyone;
}

/** What thieves get hold of, as the columns of the table call it. */
const THEFTS: Readonly<Record<string, (victim: Victim) => Promise<UserCaller>>> = {
  'with a session older than five minutes': async ({ username }) => {
    const stolen = await logIn(app, username);
    wait(FIVE_MINUTES_MS + 1_000);
    return stolen;
  },
  'with a session of the last five minutes': ({ username }) => logIn(app, username),
  'with a key that trades': async ({ username }) => {
    const owner = await logIn(app, username);
    const body = { name: 'Bot', scopes: ['account:read', 'markets:trade'] };
    return new UserCaller(app.url).withApiKey((await done(owner.post('/auth/api-keys', body))).api_key);
  },
  'with the private half of a signing key that trades': async ({ username }) =>
    new SigningCaller(app.url, await newSigner(await logIn(app, username))),
  'with the mailbox': enterByMail,
  'with the mailbox, but not the second factor': async (victim) => {
    await addSecondFactor(victim);
    return enterByMail(victim);
  },
  'with the password, but not the second factor': async (victim) => {
    await addSecondFactor(victim);
    return enter(victim.username, victim.password);
  },
};

/** What they try with it, as the rows call it. The last ones change what the others need. */
const ACTS: Readonly<Record<string, (thief: UserCaller, victim: Victim) => Promise<Reply>[]>> = {
  'read balances, orders and statements': (thief) => [
    thief.get('/accounts/me/balances'),
    thief.get('/orders'),
    thief.get('/accounts/me/statements?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'),
  ],
  'place and cancel orders': (thief) => [
    thief.post('/orders', limit('BTC-USD', 'buy', '1', '1')),
    thief.delete('/orders?all=true'),
  ],
  "move money between the user's accounts and wallets": (thief, { walletId }) => [
    thief.post('/accounts/me/transfers', transferTo({ type: 'wallet', wallet_id: walletId })),
  ],
  'send money to another user': (thief, { walletId }) => {
    const transfer = transferTo({ type: 'account', account_id: othersAccountId });
    return [
      thief.post('/accounts/me/transfers', transfer),
      thief.post(`/wallets/${walletId}/transfers`, transfer),
    ];
  },
  "pay out to the user's own bank account": (thief, { bankAccountId }) => [
    thief.post('/payouts', payoutOf('10', bankAccountId)),
  ],
  'pay out more than `PAYOUT_APPROVAL_ABOVE`': (thief, { bankAccountId }) => [
    thief.post('/payouts', payoutOf('2000', bankAccountId)),
  ],
  'add a bank account': (thief) => [
    thief.post('/payout-accounts', {
      type: 'iban',
      holder_name: 'Thief',
      iban: IBAN_OF_THIEF,
      currency: 'EUR',
    }),
  ],
  'send money over a chain': (thief, { walletId }) => [
    thief.post(`/wallets/${walletId}/transfers`, {
      ...transferTo({ type: 'address', chain: 'ethereum', address: ETHEREUM }),
      asset: 'ETH',
    }),
  ],
  'list a destination for wallets': (thief, { walletId }) => [
    thief.post(`/wallets/${walletId}/destinations`, { chain: 'ethereum', address: ETHEREUM, label: 'mine' }),
  ],
  "sign with a wallet's key": (thief, { walletId, address }) => [
    thief.post(`/wallets/${walletId}/sign`, { address, type: 'raw', encoding: 'utf8', payload: 'mine' }),
  ],
  'make a key that reads': (thief) => [
    thief.post('/auth/api-keys', { name: 'mine', scopes: ['account:read'] }),
  ],
  'make a key that trades, or a client that pays out': (thief) => [
    thief.post('/auth/api-keys', { name: 'mine', scopes: ['markets:trade'] }),
    thief.post('/auth/clients', {
      name: 'mine',
      grant_types: ['client_credentials'],
      scopes: ['banking:write'],
    }),
  ],
  'add a second factor': (thief) => [thief.post('/user/totp', {})],
  'change the mail address': (thief, { username }) => [
    thief.put(`/user/${username}`, { email: 'thief@example.com' }),
  ],
  'ask for an export of all data': (thief) => [thief.post('/user/exports', {})],
  'let somebody into the account': (thief) => [
    thief.post('/accounts/me/members', { username: 'bob', role: 'treasurer' }),
  ],
  "end the user's other sessions": (thief) => [thief.delete('/user/sessions')],
  'set another password': (thief, { username }) => [
    thief.put(`/user/${username}`, { password: 'the-thief-knows-it' }),
  ],
  'close the user, who has money': (thief, { username }) => [thief.delete(`/user/${username}`)],
};

function transferTo(destination: Json): Json {
  return { asset: 'USD', amount: '1', destination };
}

function payoutOf(amount: string, payout_account_id: string): Json {
  return { payout_account_id, amount, currency: 'EUR', reference: 'mine' };
}

/** Any other refusal than for want of power is a fault of this spec. */
const FOR_WANT_OF_POWER = [
  '401 authentication_required',
  '401 invalid_token',
  '403 approval_required',
  '403 forbidden',
  '403 insufficient_scope',
  '403 reauthentication_required',
  '403 step_up_required',
  '404 not_found',
  '409 account_not_empty',
];

async function verdictOf(replies: readonly Promise<Reply>[]): Promise<Verdict> {
  const verdicts = new Set<Verdict>();
  for (const reply of replies) {
    const { status, body, ...rest } = await reply;
    if (status < 300) {
      verdicts.add(body?.status === 'pending_approval' ? 'waits' : 'yes');
      continue;
    }
    expect(FOR_WANT_OF_POWER).toContain(refusalOf({ status, body, ...rest }));
    verdicts.add('no');
  }
  const [verdict, ...others] = verdicts;
  expect(others, 'all of an act is possible, or none').toEqual([]);
  return verdict!;
}

interface Cell {
  readonly act: string;
  readonly theft: string;
  readonly verdict: string;
}

/** The cells of the table in the document that operators read. */
function documented(): Cell[] {
  const text = readFileSync('docs/security.md', 'utf8')
    .split('## What a thief can do')[1]!
    .split('\n## ')[0]!;
  const [head, , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return rows.flatMap(([act, ...verdicts]) =>
    verdicts.map((verdict, column) => ({ act: act!, theft: head![column + 1]!, verdict })),
  );
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  mail = await MailServer.start();
  app = await startBank({}, 'fatal', { rateLimits: 'off', plugins: [QuietChainPlugin], mail: mail.config });
  operator = await clientOf(app, 'admin');
  othersAccountId = (await done((await logIn(app, 'bob')).get('/accounts'))).data[0].account_id;
});

afterAll(async () => {
  await app?.close();
  await mail?.close();
  vi.useRealTimers();
});

describe('the table of what a thief can do', () => {
  const cells = documented();

  it('has all that is tried here, and nothing else', () => {
    expect([...new Set(cells.map(({ act }) => act))]).toEqual(Object.keys(ACTS));
    expect([...new Set(cells.map(({ theft }) => theft))]).toEqual(Object.keys(THEFTS));
  });

  it.each(Object.keys(THEFTS))('is right about who comes %s', async (theft) => {
    const victim = await newVictim();
    const thief = await THEFTS[theft]!(victim);
    const verdicts: Record<string, Verdict> = {};
    for (const [act, attempt] of Object.entries(ACTS)) {
      verdicts[act] = await verdictOf(attempt(thief, victim));
    }
    const expected = cells.filter((cell) => cell.theft === theft);
    expect(verdicts).toEqual(Object.fromEntries(expected.map(({ act, verdict }) => [act, verdict])));
  });
});
