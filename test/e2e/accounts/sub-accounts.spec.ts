import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Json } from '../../support/caller.js';
import {
  answered,
  forgetProofs,
  fund,
  move,
  newKey,
  newUser,
  openSubAccount,
  outcomeOf,
} from '../../support/clients/accounts-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { clientOf, logIn, type UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
let alice: UserCaller;
let main: string;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  alice = await logIn(app, 'alice');
  main = (await answered(alice.get('/accounts'), 200)).data[0].account_id;
});
afterAll(async () => {
  await expectBalancedBooks(await callerFor(app.url, 'admin'));
  await app.close();
});

const usdOf = async (caller: UserCaller, account: string): Promise<string> => {
  const { data } = await answered(caller.get(`/accounts/${account}/balances`), 200);
  return data.find(({ asset }: Json) => asset === 'USD')?.total ?? '0';
};

describe('a sub-account', () => {
  it('is opened by its owner, and trades at once', async () => {
    const body = await answered(alice.post('/accounts', { name: 'Desk' }), 201);
    expect(body).toMatchObject({
      kind: 'trading',
      name: 'Desk',
      role: 'owner',
      is_main: false,
      frozen: false,
    });
    const { account_id: desk } = body;
    await fund(app, desk, '1000');
    const order = await alice.place(limit('BTC-USD', 'buy', '1', '1', { account_id: desk }));
    expect((await answered(alice.get(`/orders/${order.order_id}`), 200)).account_id ?? desk).toBe(desk);
    expect(await outcomeOf(alice.delete(`/orders/${order.order_id}`))).toBe('200');
    // The main account is still what a request means that names none.
    expect((await answered(alice.get('/orders/cancel-after'), 200)).account_id).toBe(main);
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['a control character', { name: 'a\u0007b' }],
    ['a character that turns the text around', { name: 'a\u202Eb' }],
    ['a name that is none', { name: ['Desk'] }],
    ['an owner', { name: 'Desk', owner: 'user:1' }],
    ['a kind', { name: 'Desk', kind: 'fees' }],
  ])('is refused with %s', async (_what, body) => {
    expect(await outcomeOf(alice.post('/accounts', body))).toBe('400 validation_failed');
  });

  it('is not opened by keys or clients', async () => {
    for (const caller of [await newKey(alice), await newKey(alice, main), await clientOf(app, 'demo')]) {
      expect(await outcomeOf(caller.post('/accounts', { name: 'Desk' }))).toBe('403 forbidden');
    }
  });

  it('is opened once for each Idempotency-Key, of many requests at once, too', async () => {
    const { length: before } = await alice.walk('/accounts', 200);
    const send = (name: string) => alice.post('/accounts', { name }, { 'idempotency-key': 'once' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('Once')));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.account_id)).size).toBe(1);
    expect((await send('Once')).headers.get('idempotent-replayed')).toBe('true');
    expect(await outcomeOf(send('Another'))).toBe('422 idempotency_key_reused');
    expect(await alice.walk('/accounts', 200)).toHaveLength(before + 1);
  });

  it('is one of a hundred at most, however many are asked for at once', async () => {
    const many = await newUser(app, 'many');
    const open = (n: number) => outcomeOf(many.post('/accounts', { name: `Account ${n}` }));
    const outcomes = await Promise.all(Array.from({ length: 105 }, (_, n) => open(n)));
    expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(100);
    expect(new Set(outcomes)).toEqual(new Set(['201', '409 conflict']));
    expect(await many.walk('/accounts', 50)).toHaveLength(101);
  });
});

describe('money between one’s own accounts', () => {
  it('moves at once, also when the log-in is long ago; to others it does not', async () => {
    const carol = await newUser(app, 'carol');
    const [own] = (await answered(carol.get('/accounts'), 200)).data;
    const desk = await openSubAccount(carol, 'Desk');
    await fund(app, own.account_id, '100');
    await forgetProofs(app, 'carol');
    await eventually(async () =>
      expect(await outcomeOf(move(carol, 'me', main, '1'))).toBe('403 step_up_required'),
    );
    const { body, status } = await move(carol, 'me', desk, '40');
    expect([status, body.status]).toEqual([201, 'completed']);
    const before = Number(await usdOf(carol, own.account_id));
    expect(await usdOf(carol, desk)).toBe('40');
    const { wallet_id: wallet } = await answered(carol.post('/wallets', { name: 'Cold' }), 201);
    const toWallet = { asset: 'USD', amount: '15', destination: { type: 'wallet', wallet_id: wallet } };
    const there = await answered(carol.post(`/accounts/${desk}/transfers`, toWallet), 201);
    expect(there.status).toBe('completed');
    const back = { asset: 'USD', amount: '5', destination: { type: 'account', account_id: own.account_id } };
    expect((await answered(carol.post(`/wallets/${wallet}/transfers`, back), 201)).status).toBe('completed');
    expect(await usdOf(carol, desk)).toBe('25');
    expect(Number(await usdOf(carol, own.account_id))).toBe(before + 5);
  });

  it('neither comes nor goes, however much moves at once', async () => {
    const dave = await newUser(app, 'dave');
    const accounts: string[] = [];
    for (const name of ['A', 'B', 'C']) accounts.push(await openSubAccount(dave, name));
    for (const account of accounts) await fund(app, account, '10');
    const outcomes = await Promise.all(
      Array.from({ length: 90 }, (_, n) =>
        outcomeOf(move(dave, accounts[n % 3]!, accounts[(n + 1 + (n % 2)) % 3]!, String(3 + (n % 8)))),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['201', '422 insufficient_funds']));
    const totals = await Promise.all(accounts.map((account) => usdOf(dave, account)));
    expect(totals.reduce((sum, total) => sum + Number(total), 0)).toBe(30);
    for (const total of totals) expect(Number(total)).toBeGreaterThanOrEqual(0);
  });
});

describe('the statement of all accounts', () => {
  const path = '/accounts/statements';
  let erin: UserCaller;
  let desk: string;
  let middle: string;

  beforeAll(async () => {
    erin = await newUser(app, 'erin');
    desk = await openSubAccount(erin, 'Desk');
    const own = (await answered(erin.get('/accounts'), 200)).data[1].account_id;
    await fund(app, own, '100');
    await answered(move(erin, 'me', desk, '30'), 201);
    const latest = (await answered(erin.get(`/accounts/${desk}/entries?limit=1`), 200)).data[0];
    middle = new Date(Date.parse(latest.created_at) + 1).toISOString();
    await eventually(() => Date.now() > Date.parse(middle), 'time goes on');
    await answered(move(erin, desk, own, '12.5'), 201);
    // Half of them leave for somebody else.
    await answered(move(erin, desk, main, '7'), 201);
    await fund(app, desk, '2', 'BTC');
  });

  /** By account (or null, for all together) and asset. */
  function sums(lines: Json[], kind: 'opening' | 'closing'): Record<string, string> {
    return Object.fromEntries(
      lines
        .filter((line) => line.kind === kind)
        .map((line) => [`${line.account_id} ${line.asset}`, line.balance]),
    );
  }
  function addedUp(lines: Json[]): Record<string, string> {
    const sum = new Map(
      Object.entries(sums(lines, 'opening')).map(([key, text]) => [key, parseAmount(text)! as bigint]),
    );
    for (const { kind, account_id, asset, amount, direction, is_internal: isInternal } of lines) {
      if (kind !== 'movement') continue;
      const moved = parseAmount(amount)! * (direction === 'credit' ? 1n : -1n);
      // All together are moved only by what comes from others or goes there.
      for (const key of [account_id, ...(isInternal ? [] : [null])].map((owner) => `${owner} ${asset}`)) {
        sum.set(key, sum.get(key)! + moved);
      }
    }
    return Object.fromEntries([...sum].map(([key, value]) => [key, formatAmount(value as never)]));
  }

  it.each([
    ['all of it', () => ''],
    ['what came first', () => `to=${middle}`],
    ['what came last', () => `from=${middle}`],
    ['nothing', () => `from=${middle}&to=${middle}`],
  ])('adds up for %s, of each account and of all together', async (_what, query) => {
    const lines = await erin.walk(`${path}?${query()}`, 200);
    expect(addedUp(lines)).toEqual(sums(lines, 'closing'));
  });

  it('closes with the balances, and counts no transfer between the accounts as a change', async () => {
    const lines = await erin.walk(path, 200);
    expect(sums(lines, 'closing')).toMatchObject({
      [`${desk} USD`]: '10.5',
      'null USD': '93',
      'null BTC': '2',
    });
    const internal = lines.filter(({ is_internal: isInternal }) => isInternal);
    expect(internal).toHaveLength(4);
    expect(new Set(internal.map(({ ledger_sequence: sequence }) => sequence)).size).toBe(2);
    for (const [account] of [[desk]]) {
      const alone = (await erin.walk(`/accounts/${account}/statements`, 200)).filter(
        ({ kind }) => kind === 'movement',
      );
      const together = lines.filter(({ kind, account_id }) => kind === 'movement' && account_id === account);
      expect(together.map(({ entry_id }) => entry_id)).toEqual(alone.map(({ entry_id }) => entry_id));
    }
  });

  it('is the same in pages of any size, and as CSV', async () => {
    const whole = await erin.walk(path, 200);
    for (const pageSize of [1, 2, 3]) {
      const paged = await erin.walk(path, pageSize);
      expect(paged.filter(({ kind }) => kind !== 'closing')).toEqual(
        whole.filter(({ kind }) => kind !== 'closing'),
      );
      expect(sums(paged, 'closing')).toEqual(sums(whole, 'closing'));
    }
    const { api_key: key } = await answered(
      erin.post('/auth/api-keys', { name: 'Books', scopes: ['account:read'] }),
      201,
    );
    const response = await fetch(app.url + path, { headers: { api_key: key, accept: 'text/csv' } });
    const rows = parse<Record<string, string>>(await response.text(), { columns: true });
    expect(rows.map((row) => [row['account_id'], row['kind'], row['asset'], row['balance']])).toEqual(
      whole.map(({ account_id, kind, asset, balance }) => [account_id ?? '', kind, asset, balance]),
    );
  });

  it('has only the account that a key is bound to', async () => {
    const key = await newKey(erin, desk);
    const lines = await key.walk(path, 200);
    expect(new Set(lines.map(({ account_id }) => account_id))).toEqual(new Set([desk, null]));
    expect(lines.some(({ is_internal: isInternal }) => isInternal)).toBe(false);
  });

  it.each([
    ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '400 validation_failed'],
    ['?cursor=bm9uZQ', '400 invalid_cursor'],
  ])('refuses %s', async (query, refusal) => {
    expect(await outcomeOf(erin.get(path + query))).toBe(refusal);
  });
});
