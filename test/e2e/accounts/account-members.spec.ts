import { EventSource } from 'eventsource';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Json } from '../../support/caller.js';
import {
  answered,
  forgetProofs,
  fund,
  invite,
  letIn,
  move,
  newKey,
  newUser,
  openSubAccount,
  outcomeOf,
} from '../../support/clients/accounts-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';
import { eventually, queryOnce } from '../../support/core.js';

let app: TestApp;
let operator: UserCaller;
let alice: UserCaller;
let bob: UserCaller;
let desk: string;
let desks = 0;
const sockets: Socket[] = [];
const streams: EventSource[] = [];

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  operator = await logIn(app, 'admin');
  alice = await logIn(app, 'alice');
  bob = await logIn(app, 'bob');
});
beforeEach(async () => {
  desk = await openSubAccount(alice, `Desk ${++desks}`);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(async () => {
  await expectBalancedBooks(await callerFor(app.url, 'admin'));
  await app.close();
});

const balances = (caller: UserCaller): Promise<string> => outcomeOf(caller.get(`/accounts/${desk}/balances`));
const members = async (): Promise<string[]> => {
  const { data } = await answered(alice.get(`/accounts/${desk}/members`), 200);
  return data.map(({ username, role, status }: Json) => `${username} ${role} ${status}`);
};
const end = (username: string): Promise<string> =>
  outcomeOf(alice.delete(`/accounts/${desk}/members/${username}`));
const accept = (caller: UserCaller): Promise<string> =>
  outcomeOf(caller.post(`/accounts/${desk}/membership`, {}));
const leave = (caller: UserCaller): Promise<string> =>
  outcomeOf(caller.delete(`/accounts/${desk}/membership`));

describe('an invitation', () => {
  it('is answered alike, whether there is such a user or not', async () => {
    const answers = [
      await invite(alice, desk, 'BOB', 'viewer'),
      await invite(alice, desk, 'no-such-user', 'viewer'),
    ];
    for (const answer of answers) {
      expect(answer).toEqual({
        username: expect.any(String),
        role: 'viewer',
        status: 'invited',
        invited_at: expect.any(String),
        expires_at: expect.any(String),
        accepted_at: null,
      });
      const days = (Date.parse(answer.expires_at) - Date.parse(answer.invited_at)) / 86_400_000;
      expect(Math.round(days)).toBe(7);
    }
    expect(await members()).toEqual(['bob viewer invited', 'no-such-user viewer invited']);
  });

  it('is shown to whom it is for alone, who accepts it or declines it', async () => {
    await invite(alice, desk, 'bob', 'trader');
    const { data } = await answered(bob.get('/accounts/invitations'), 200);
    expect(data).toContainEqual(
      expect.objectContaining({ account_id: desk, name: `Desk ${desks}`, owner: 'alice', role: 'trader' }),
    );
    expect((await answered(alice.get('/accounts/invitations'), 200)).data).toEqual([]);
    expect(await balances(bob)).toBe('404 account_not_found');
    expect(await leave(bob)).toBe('204');
    expect(await accept(bob)).toBe('404 not_found');
    await invite(alice, desk, 'bob', 'trader');
    expect(await accept(bob)).toBe('204');
    expect(await balances(bob)).toBe('200');
    expect(await members()).toEqual(['bob trader active']);
  });

  it('is accepted once by eight requests at once', async () => {
    await invite(alice, desk, 'bob', 'viewer');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => accept(bob)));
    expect(new Set(outcomes)).toEqual(new Set(['204']));
    expect(await members()).toEqual(['bob viewer active']);
    const { data } = await answered(operator.get('/admin/audit?limit=200'), 200);
    const accepted = data.filter(
      ({ action, target }: Json) => /membership|accept/i.test(action) && target?.id === desk,
    );
    expect(accepted).toHaveLength(1);
  });

  it('that was ended while it was accepted gives nobody anything', async () => {
    for (let round = 0; round < 10; round++) {
      await invite(alice, desk, 'bob', 'viewer');
      await Promise.all([accept(bob), end('bob')]);
      expect(await members()).toEqual([]);
      expect(await balances(bob)).toBe('404 account_not_found');
    }
  });

  it('ends after seven days', async () => {
    await invite(alice, desk, 'bob', 'viewer');
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE account_members SET expires_at = now() - interval '1 second' WHERE username = 'bob' AND member IS NULL`,
    );
    expect(await accept(bob)).toBe('404 not_found');
    expect(await members()).toEqual([]);
    const { data } = await answered(bob.get('/accounts/invitations'), 200);
    expect(data.map(({ account_id }: Json) => account_id)).not.toContain(desk);
    await invite(alice, desk, 'bob', 'viewer');
    expect(await accept(bob)).toBe('204');
  });

  it('is one of fifty at most, however many are sent at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 55 }, (_, n) =>
        outcomeOf(alice.post(`/accounts/${desk}/members`, { username: `guest${n}`, role: 'viewer' })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(50);
    expect(new Set(outcomes)).toEqual(new Set(['201', '409 conflict']));
    // Another role for one of them is no new member.
    const [first] = (await members())[0]!.split(' ');
    await invite(alice, desk, first!, 'trader');
  });

  it.each([
    ['oneself', { username: 'Alice', role: 'viewer' }],
    ['an owner', { username: 'bob', role: 'owner' }],
    ['no role', { username: 'bob' }],
    ['a name that no user can have', { username: 'b\u00f6b', role: 'viewer' }],
    ['more than asked for', { username: 'bob', role: 'viewer', member: 'user:1' }],
  ])('is refused for %s', async (_what, body) => {
    expect(await outcomeOf(alice.post(`/accounts/${desk}/members`, body))).toBe('400 validation_failed');
  });

  it('takes an owner who has just been there, and no key', async () => {
    const zoe = await newUser(app, 'zoe');
    const own = await openSubAccount(zoe, 'Desk');
    await forgetProofs(app, 'zoe');
    await eventually(async () =>
      expect(await outcomeOf(zoe.post(`/accounts/${own}/members`, { username: 'bob', role: 'viewer' }))).toBe(
        '403 step_up_required',
      ),
    );
    await answered(zoe.post('/user/step-up', { password: 'zoe-password' }), 204);
    await invite(zoe, own, 'bob', 'viewer');
    const key = await newKey(bob);
    expect(await outcomeOf(key.post(`/accounts/${own}/membership`, {}))).toBe('403 forbidden');
    expect(await outcomeOf(key.get('/accounts/invitations'))).toBe('403 forbidden');
  });

  it('is for no wallet', async () => {
    await answered(alice.post('/wallets', { name: 'Cold' }), 201);
    const { data } = await answered(alice.get('/accounts?limit=200'), 200);
    const wallet = data.find(({ kind }: Json) => kind === 'wallet').account_id;
    const body = { username: 'bob', role: 'treasurer' };
    expect(await outcomeOf(alice.post(`/accounts/${wallet}/members`, body))).toBe('404 account_not_found');
  });
});

describe('a membership', () => {
  it('changes at once with its role, and ends at once', async () => {
    await fund(app, desk, '100');
    await letIn(alice, desk, bob, 'bob', 'trader');
    const order = limit('BTC-USD', 'buy', '1', '1', { account_id: desk });
    await bob.place(order);
    await invite(alice, desk, 'bob', 'viewer');
    expect(await outcomeOf(bob.post('/orders', order))).toBe('403 forbidden');
    expect(await balances(bob)).toBe('200');
    expect(await end('bob')).toBe('204');
    expect(await balances(bob)).toBe('404 account_not_found');
    expect(await end('bob')).toBe('404 not_found');
    // By an old invitation nobody comes back.
    expect(await accept(bob)).toBe('404 not_found');
  });

  it('ends by the member, too', async () => {
    await letIn(alice, desk, bob, 'bob', 'viewer');
    expect(await leave(bob)).toBe('204');
    expect(await balances(bob)).toBe('404 account_not_found');
    expect(await members()).toEqual([]);
  });

  it('is held while its owner is locked, and ends with the user', async () => {
    const owner = await newUser(app, `owner${desks}`);
    const member = await newUser(app, `member${desks}`);
    desk = await openSubAccount(owner, 'Desk');
    await letIn(owner, desk, member, `member${desks}`, 'treasurer');
    await answered(operator.post(`/admin/users/owner${desks}/lock`, { reason: 'Stolen.' }), 200);
    expect(await balances(member)).toBe('404 account_not_found');
    expect(await outcomeOf(move(member, desk, 'acc_00000000001', '1'))).toBe('404 account_not_found');
    await answered(operator.post(`/admin/users/owner${desks}/unlock`, { reason: 'Found.' }), 200);
    await eventually(async () => expect(await balances(member)).toBe('200'));

    await answered(operator.delete(`/user/member${desks}`), 200);
    const again = await logIn(app, `owner${desks}`);
    expect((await answered(again.get(`/accounts/${desk}/members`), 200)).data).toEqual([]);
  });

  it('moves nothing out of a frozen account', async () => {
    await fund(app, desk, '100');
    await letIn(alice, desk, bob, 'bob', 'treasurer');
    await answered(operator.post(`/admin/accounts/${desk}/freeze`, { reason: 'Looked into.' }), 200);
    expect(await outcomeOf(move(bob, desk, 'me', '1'))).toMatch(/^4\d\d /);
    expect(await outcomeOf(bob.get(`/accounts/${desk}/transfers`))).toBe('200');
  });

  it('leaves an audit row for each of its changes, with who made it', async () => {
    await letIn(alice, desk, bob, 'bob', 'viewer');
    await end('bob');
    const { data } = await answered(operator.get('/admin/audit?limit=200'), 200);
    const rows = data.filter(({ target }: Json) => target?.id === desk);
    const [ended, accepted, invited] = rows.map(({ actor }: Json) => actor.person);
    expect(rows).toHaveLength(3);
    expect([ended, invited]).toEqual([expect.stringMatching(/^user:/), ended]);
    expect(accepted).not.toBe(ended);
    expect(rows[2].details).toEqual({ username: 'bob', role: 'viewer' });
  });
});

describe('what was open when a membership ended', () => {
  async function connect(): Promise<Socket> {
    const { body: token } = await new UserCaller(app.url).tryLogIn('bob', 'bob-password');
    const options = { transports: ['websocket'], forceNew: true, reconnection: false, auth: { token } };
    const socket = io(`${app.url}/account`, options);
    sockets.push(socket);
    return socket;
  }
  const order = (): Json => limit('BTC-USD', 'buy', '1', '1', { account_id: desk });

  it('tells no more of the account by a socket, which stays open for others', async () => {
    await fund(app, desk, '100');
    await letIn(alice, desk, bob, 'bob', 'trader');
    const socket = await connect();
    const told: Json[] = [];
    socket.onAny((type, event) => told.push([type, event]));
    expect(await socket.emitWithAck('subscribe', { account_id: desk })).toHaveProperty('data');
    expect(await socket.emitWithAck('subscribe', {})).toHaveProperty('data');
    expect(await socket.emitWithAck('orders.place', order())).toHaveProperty('data');
    await end('bob');
    await eventually(() =>
      expect(told.at(-1)).toMatchObject(['error', { error: { code: 'account_not_found' } }]),
    );
    const count = told.length;
    await alice.place(order());
    expect(await socket.emitWithAck('orders.place', order())).toMatchObject({
      error: { code: 'account_not_found' },
    });
    const again = await socket.emitWithAck('subscribe', { account_id: desk });
    expect(again).toMatchObject({ error: { code: 'account_not_found' } });
    expect(told).toHaveLength(count);
    expect(socket.connected).toBe(true);
  });

  it('ends a stream of the account', async () => {
    await letIn(alice, desk, bob, 'bob', 'viewer');
    const errors: Json[] = [];
    const key = await bob.post('/auth/api-keys', { name: 'Stream', scopes: ['account:read'] });
    const stream = new EventSource(`${app.url}/accounts/${desk}/stream`, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, api_key: key.body.api_key } }),
    });
    streams.push(stream);
    let hasBegun = false;
    stream.addEventListener('account.snapshot', () => (hasBegun = true));
    stream.addEventListener('error', (event) => errors.push((event as Json).data));
    await eventually(() => hasBegun, 'the stream has begun');
    await end('bob');
    await eventually(
      () => errors.some((data) => String(data).includes('account_not_found')),
      'it says why it ends',
    );
  });

  it('cancels the orders that a connection looked after, once, and then no more', async () => {
    await fund(app, desk, '100');
    await letIn(alice, desk, bob, 'bob', 'trader');
    const socket = await connect();
    const armed = await socket.emitWithAck('orders.cancel_on_disconnect', {
      account_id: desk,
      enabled: true,
    });
    expect(armed).toHaveProperty('data');
    await bob.place(order());
    const open = async (): Promise<number> =>
      (await answered(alice.get(`/orders?account_id=${desk}&status=open`), 200)).data.length;
    await invite(alice, desk, 'bob', 'viewer');
    await eventually(async () => expect(await open()).toBe(0));
    await eventually(async () => {
      const rows = await queryOnce(app.config.databaseUrl!, 'SELECT 1 FROM cancel_switches');
      expect(rows).toHaveLength(0);
    });
    await alice.place(order());
    socket.disconnect();
    const other = await connect();
    expect(
      await other.emitWithAck('orders.cancel_on_disconnect', { account_id: desk, enabled: true }),
    ).toMatchObject({ error: { code: 'forbidden' } });
    expect(await open()).toBe(1);
  });
});

describe('a treasurer whose password an operator has set', () => {
  it('moves nothing to others, and all the same between accounts of the owner', async () => {
    const guarded = await startTestApp({ rateLimits: 'off', fourEyes: true });
    try {
      const owner = await logIn(guarded, 'alice');
      const main = (await answered(owner.get('/accounts'), 200)).data[0].account_id;
      const account = await openSubAccount(owner, 'Desk');
      await answered(owner.post('/demo/deposits', {}), 201);
      await answered(move(owner, 'me', account, '100'), 201);
      await letIn(owner, account, await logIn(guarded, 'bob'), 'bob', 'treasurer');
      const admin = await logIn(guarded, 'admin');
      const password = 'a password that the operator knows';
      await answered(admin.put('/user/bob', { username: 'bob', password }), 200);
      const treasurer = await logIn(guarded, 'bob', password);
      expect(await outcomeOf(move(treasurer, account, main, '1'))).toBe('201');
      const { data } = await answered(treasurer.get('/accounts'), 200);
      const own = data.find(({ is_main: isMain }: Json) => isMain).account_id;
      expect(await outcomeOf(move(treasurer, account, own, '1'))).toBe('403 approval_required');
    } finally {
      await guarded.close();
    }
  });
});
