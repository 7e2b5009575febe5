import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Json, type Reply } from '../../support/caller.js';
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
import { eventually, queryOnce } from '../../support/core.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { logIn, type UserCaller } from '../../support/clients/users-client.js';

const MARKET = 'ROLES-USD';
const ROLES = ['viewer', 'trader', 'treasurer'] as const;
const NOBODIES = ['invited', 'ended', 'stranger'] as const;
const ACTORS = ['owner', ...ROLES, ...NOBODIES, 'key to this account', 'key to another account'] as const;
type Actor = (typeof ACTORS)[number];
type Act = 'read' | 'trade' | 'move' | 'manage';

const MAY: Record<Act, readonly Actor[]> = {
  read: ['owner', ...ROLES, 'key to this account'],
  trade: ['owner', 'trader', 'key to this account'],
  move: ['owner', 'treasurer', 'key to this account'],
  manage: ['owner'],
};

let app: TestApp;
let owner: UserCaller;
const callers = {} as Record<Actor, UserCaller>;
/** The account in question, the owner's main one, and another one. */
let account: string;
let main: string;
let other: string;

const order = (more: Json = {}): Json => limit(MARKET, 'buy', '1', '0.001', { account_id: account, ...more });
const placed = async (): Promise<string> => (await owner.place(order())).order_id;
const pair = (): Json => {
  const exit = { market_id: MARKET, side: 'buy', size: '0.001' };
  const orders = [
    { ...exit, type: 'limit', price: '1' },
    { ...exit, type: 'stop', stop_price: '900000' },
  ];
  return { type: 'oco', account_id: account, orders };
};
const listed = async (): Promise<string> =>
  (await answered(owner.post('/order-lists', pair()), 201)).order_list_id;
let groups = 0;
const grouped = async (): Promise<string> => {
  const operator = await callerFor(app.url, 'admin');
  const id = `ROLES-${++groups}`;
  const markets = [`${id}-A`, `${id}-B`];
  for (const market of markets)
    await createMarket(operator, market, { kind: 'event', base_asset: undefined, lot_size: '1' });
  const body = { event_group_id: id, title: id, market_ids: markets };
  return (await answered(operator.post('/admin/event-groups', body), 201)).event_group_id;
};
const quoted = async (): Promise<string> => {
  const quote = { market_id: MARKET, side: 'buy', size: '0.001', account_id: account };
  return (await answered(owner.post('/quotes', quote), 201)).quote_id;
};
const bet = async (): Promise<string> => {
  const body = await answered(owner.post('/matched-bets', { quote_id: await quoted() }), 201);
  return body.matched_bet_id;
};
const transferred = async (): Promise<string> =>
  (await answered(move(owner, account, main, '0.01'), 201)).transfer_id;

interface Case {
  readonly act: Act;
  /** What those get who may; the status, or a later refusal. */
  readonly ok: string;
  readonly missing?: string;
  readonly call: (caller: UserCaller) => Promise<Reply>;
}

function reading(path: string): Case {
  return { act: 'read', ok: '200', call: (caller) => caller.get(path.replace('{account_id}', account)) };
}

/** Every route that names an account, or finds something by the account that it is in. */
const CASES: Record<string, Case> = {
  'GET /accounts/{account_id}/balances': reading('/accounts/{account_id}/balances'),
  'GET /accounts/{account_id}/positions': reading('/accounts/{account_id}/positions'),
  'GET /accounts/{account_id}/entries': reading('/accounts/{account_id}/entries'),
  'GET /accounts/{account_id}/fees': reading('/accounts/{account_id}/fees'),
  'GET /accounts/{account_id}/receipt': reading('/accounts/{account_id}/receipt'),
  'GET /accounts/{account_id}/pnl': reading('/accounts/{account_id}/pnl'),
  'GET /accounts/{account_id}/fills': reading('/accounts/{account_id}/fills'),
  'GET /accounts/{account_id}/statements': reading('/accounts/{account_id}/statements'),
  'GET /accounts/{account_id}/proof': {
    act: 'read',
    ok: '404 not_found',
    call: (caller) => caller.get(`/accounts/${account}/proof`),
  },
  'GET /accounts/{account_id}/stream': reading('/accounts/{account_id}/stream'),
  'GET /accounts/{account_id}/transfers': reading('/accounts/{account_id}/transfers'),
  'GET /accounts/{account_id}/transfers/{transfer_id}': {
    act: 'read',
    ok: '200',
    call: async (caller) => caller.get(`/accounts/${account}/transfers/${await transferred()}`),
  },
  'GET /accounts/{account_id}/transfers/{transfer_id}/receipt': {
    act: 'read',
    ok: '200',
    call: async (caller) => caller.get(`/accounts/${account}/transfers/${await transferred()}/receipt`),
  },
  'GET /orders': { act: 'read', ok: '200', call: (caller) => caller.get(`/orders?account_id=${account}`) },
  'GET /orders/cancel-after': {
    act: 'read',
    ok: '200',
    call: (caller) => caller.get(`/orders/cancel-after?account_id=${account}`),
  },
  'GET /orders/{order_id}': {
    act: 'read',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.get(`/orders/${await placed()}`),
  },
  'GET /orders/{order_id}/receipt': {
    act: 'read',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.get(`/orders/${await placed()}/receipt`),
  },
  'GET /markets/{market_id}/fills': {
    act: 'read',
    ok: '200',
    call: (caller) => caller.get(`/markets/${MARKET}/fills?account_id=${account}`),
  },
  'GET /quotes': { act: 'read', ok: '200', call: (caller) => caller.get(`/quotes?account_id=${account}`) },
  'GET /quotes/{quote_id}': {
    act: 'read',
    ok: '200',
    missing: 'quote_not_found',
    call: async (caller) => caller.get(`/quotes/${await quoted()}`),
  },
  'GET /matched-bets': {
    act: 'read',
    ok: '200',
    call: (caller) => caller.get(`/matched-bets?account_id=${account}`),
  },
  'GET /matched-bets/{matched_bet_id}': {
    act: 'read',
    ok: '200',
    missing: 'matched_bet_not_found',
    call: async (caller) => caller.get(`/matched-bets/${await bet()}`),
  },
  'GET /order-lists': {
    act: 'read',
    ok: '200',
    call: (caller) => caller.get(`/order-lists?account_id=${account}`),
  },
  'GET /order-lists/{order_list_id}': {
    act: 'read',
    ok: '200',
    missing: 'order_list_not_found',
    call: async (caller) => caller.get(`/order-lists/${await listed()}`),
  },
  'POST /quotes/mass': {
    act: 'trade',
    ok: '200',
    call: (caller) =>
      caller.post('/quotes/mass', { account_id: account, quotes: [{ market_id: 'BTC-USD' }] }),
  },
  'POST /event-groups/{event_group_id}/split': {
    act: 'trade',
    ok: '200',
    call: async (caller) =>
      caller.post(`/event-groups/${await grouped()}/split`, { account_id: account, size: '1' }),
  },
  'POST /event-groups/{event_group_id}/merge': {
    act: 'trade',
    ok: '200',
    call: async (caller) => {
      const group = await grouped();
      await answered(owner.post(`/event-groups/${group}/split`, { account_id: account, size: '1' }), 200);
      return caller.post(`/event-groups/${group}/merge`, { account_id: account, size: '1' });
    },
  },
  'POST /order-lists': { act: 'trade', ok: '201', call: (caller) => caller.post('/order-lists', pair()) },
  'POST /order-lists/preview': {
    act: 'trade',
    ok: '200',
    call: (caller) => caller.post('/order-lists/preview', pair()),
  },
  'DELETE /order-lists/{order_list_id}': {
    act: 'trade',
    ok: '200',
    missing: 'order_list_not_found',
    call: async (caller) => caller.delete(`/order-lists/${await listed()}`),
  },
  'POST /orders': { act: 'trade', ok: '201', call: (caller) => caller.post('/orders', order()) },
  'POST /orders/preview': {
    act: 'trade',
    ok: '200',
    call: (caller) => caller.post('/orders/preview', order()),
  },
  'POST /orders/cancel': {
    act: 'trade',
    ok: '200',
    call: async (caller) =>
      caller.post('/orders/cancel', { account_id: account, order_ids: [await placed()] }),
  },
  'POST /orders/cancel-after': {
    act: 'trade',
    ok: '200',
    call: (caller) => caller.post('/orders/cancel-after', { account_id: account, timeout_ms: 0 }),
  },
  'DELETE /orders': {
    act: 'trade',
    ok: '200',
    call: (caller) => caller.delete(`/orders?all=true&account_id=${account}`),
  },
  'PATCH /orders/{order_id}': {
    act: 'trade',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.patch(`/orders/${await placed()}`, { price: '2' }),
  },
  'POST /orders/{order_id}/replace': {
    act: 'trade',
    ok: '201',
    missing: 'order_not_found',
    call: async (caller) =>
      caller.post(`/orders/${await placed()}/replace`, { side: 'buy', type: 'limit', price: '2', size: '1' }),
  },
  'POST /orders/{order_id}/replace/preview': {
    act: 'trade',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) =>
      caller.post(`/orders/${await placed()}/replace/preview`, {
        side: 'buy',
        type: 'limit',
        price: '2',
        size: '1',
      }),
  },
  'POST /orders/{order_id}/amend/preview': {
    act: 'trade',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.post(`/orders/${await placed()}/amend/preview`, { price: '2' }),
  },
  'POST /orders/{order_id}/cancel/preview': {
    act: 'trade',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.post(`/orders/${await placed()}/cancel/preview`, {}),
  },
  'DELETE /orders/{order_id}': {
    act: 'trade',
    ok: '200',
    missing: 'order_not_found',
    call: async (caller) => caller.delete(`/orders/${await placed()}`),
  },
  'POST /quotes': {
    act: 'trade',
    ok: '201',
    call: (caller) =>
      caller.post('/quotes', { market_id: MARKET, side: 'buy', size: '0.001', account_id: account }),
  },
  'POST /matched-bets': {
    act: 'trade',
    ok: '201',
    missing: 'quote_not_found',
    call: async (caller) => caller.post('/matched-bets', { quote_id: await quoted() }),
  },
  'POST /matched-bets/preview': {
    act: 'trade',
    ok: '200',
    missing: 'quote_not_found',
    call: async (caller) => caller.post('/matched-bets/preview', { quote_id: await quoted() }),
  },
  'POST /accounts/{account_id}/transfers': {
    act: 'move',
    ok: '201',
    call: (caller) => move(caller, account, main, '0.01'),
  },
  'POST /accounts/{account_id}/members': {
    act: 'manage',
    ok: '201',
    call: (caller) => caller.post(`/accounts/${account}/members`, { username: 'invited', role: 'viewer' }),
  },
  'GET /accounts/{account_id}/members': {
    act: 'manage',
    ok: '200',
    call: (caller) => caller.get(`/accounts/${account}/members`),
  },
  'DELETE /accounts/{account_id}/members/{username}': {
    act: 'manage',
    ok: '404 not_found',
    call: (caller) => caller.delete(`/accounts/${account}/members/nobody`),
  },
  'GET /accounts/{account_id}/limits': reading('/accounts/{account_id}/limits'),
  'POST /accounts/{account_id}/limits': {
    act: 'manage',
    ok: '200',
    call: (caller) =>
      caller.post(`/accounts/${account}/limits`, {
        kind: 'stake',
        asset: 'USD',
        amount: '1000',
        period: 'day',
      }),
  },
  'DELETE /accounts/{account_id}/limits/{limit_id}': {
    act: 'manage',
    ok: '404 not_found',
    call: (caller) => caller.delete(`/accounts/${account}/limits/lim_7ZZZZZZZZZZ`),
  },
  'POST /payouts': {
    act: 'manage',
    // The payout account is looked for after the account.
    ok: '404 not_found',
    call: (caller) =>
      caller.post('/payouts', {
        account_id: account,
        payout_account_id: 'pac_00000000001',
        amount: '1',
        currency: 'EUR',
      }),
  },
};

/** Those that other tests of this file and of its neighbours are about. */
const ELSEWHERE = [
  'PATCH /accounts/{account_id}',
  // Of one's own credentials, payouts and invitations, whatever account they name.
  'POST /auth/api-keys',
  'GET /payouts',
  'POST /accounts/{account_id}/membership',
  'DELETE /accounts/{account_id}/membership',
];

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  owner = await logIn(app, 'alice');
  const operator = await callerFor(app.url, 'admin');
  const maker = await callerFor(app.url, 'maker');
  await createMarket(operator, MARKET);
  await maker.place(limit(MARKET, 'sell', '100', '10'));
  main = (await answered(owner.get('/accounts'), 200)).data[0].account_id;
  account = await openSubAccount(owner, 'Desk');
  other = await openSubAccount(owner, 'Another desk');
  await fund(app, account, '100000');
  callers.owner = owner;
  for (const name of [...ROLES, ...NOBODIES]) callers[name] = await newUser(app, name);
  for (const role of ROLES) await letIn(owner, account, callers[role], role, role);
  await letIn(owner, account, callers.ended, 'ended', 'trader');
  await answered(owner.delete(`/accounts/${account}/members/ended`), 204);
  await invite(owner, account, 'invited', 'treasurer');
  callers['key to this account'] = await newKey(owner, account);
  callers['key to another account'] = await newKey(owner, other);
});
afterAll(async () => {
  await expectBalancedBooks(await callerFor(app.url, 'admin'));
  await app.close();
});

describe('every route that takes an account', () => {
  const isKey = (actor: Actor): boolean => actor.startsWith('key');

  function expected(actor: Actor, { act, ok, missing = 'account_not_found' }: Case): string {
    if (MAY[act].includes(actor)) return ok;
    // What is the owner's alone takes the owner in person, or all that the owner has.
    if (act === 'manage' && isKey(actor)) return '403 forbidden';
    return (ROLES as readonly Actor[]).includes(actor) ? '403 forbidden' : `404 ${missing}`;
  }

  it.each(Object.keys(CASES))('%s lets in whom it should', async (route) => {
    const each = CASES[route]!;
    const answers: Record<string, string> = {};
    for (const actor of ACTORS) answers[actor] = await outcomeOf(each.call(callers[actor]));
    expect(answers).toEqual(Object.fromEntries(ACTORS.map((actor) => [actor, expected(actor, each)])));
  });

  it('is in the table', async () => {
    const document = await answered(owner.get('/openapi.json'), 200);
    const resolve = (node: Json): Json =>
      node?.$ref === undefined
        ? node
        : node.$ref
            .split('/')
            .slice(1)
            .reduce((at: Json, name: string) => at[name], document);
    const routes = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).flatMap(([method, operation]) => {
        const parameters = [...(operation.parameters ?? []), ...(methods.parameters ?? [])];
        const body = resolve(operation.requestBody?.content?.['application/json']?.schema)?.properties;
        const names = [...parameters.map((each) => resolve(each).name), ...Object.keys(body ?? {})];
        const isAbout = ['account_id', 'order_id', 'quote_id', 'matched_bet_id'].some((id) =>
          names.includes(id),
        );
        const route = `${method.toUpperCase()} ${path}`;
        return isAbout && !path.startsWith('/admin/') ? [route] : [];
      }),
    );
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter((route) => !(route in CASES) && !ELSEWHERE.includes(route))).toEqual([]);
  });

  it('judges each order of a batch by itself', async () => {
    const batch = { orders: [order(), limit(MARKET, 'buy', '1', '0.001', { account_id: 'me' })] };
    const outcomes = async (actor: Actor): Promise<string[]> => {
      const { results } = await answered(callers[actor].post('/orders/batch', batch), 200);
      return results.map(({ status, error }: Json) => error?.code ?? String(status));
    };
    expect(await outcomes('trader')).toEqual(['201', 'insufficient_funds']);
    expect(await outcomes('viewer')).toEqual(['forbidden', 'insufficient_funds']);
    expect(await outcomes('stranger')).toEqual(['account_not_found', 'insufficient_funds']);
    expect(await outcomes('key to this account')).toEqual(['201', '201']);
  });
});

describe('a list of accounts', () => {
  const listed = async (actor: Actor): Promise<string[]> => {
    const { data } = await answered(callers[actor].get('/accounts'), 200);
    return data.map(({ account_id, role }: Json) => `${account_id} ${role}`);
  };

  it('has the roles of the caller, and no account of others besides', async () => {
    expect(await listed('owner')).toEqual([`${other} owner`, `${account} owner`, `${main} owner`]);
    for (const role of ROLES) expect(await listed(role)).toContain(`${account} ${role}`);
    for (const nobody of NOBODIES) expect((await listed(nobody)).join()).not.toContain(account);
    expect(await listed('key to this account')).toEqual([`${account} owner`]);
    expect(await listed('key to another account')).toEqual([`${other} owner`]);
  });

  it('shows which one is the main one, which stays so', async () => {
    const { data } = await answered(owner.get('/accounts'), 200);
    const mains = data.filter(({ is_main }: Json) => is_main);
    expect(mains.map(({ account_id }: Json) => account_id)).toEqual([main]);
  });
});

describe('a role', () => {
  it('takes the scopes of the credential, too', async () => {
    const { trader } = callers;
    const body = { name: 'Reader', scopes: ['account:read'] };
    const { api_key: key } = await answered(trader.post('/auth/api-keys', body), 201);
    const reader = trader.withApiKey(key);
    expect(await outcomeOf(reader.get(`/accounts/${account}/balances`))).toBe('200');
    expect(await outcomeOf(reader.post('/orders', order()))).toBe('403 insufficient_scope');
  });

  it('is not that of a key which is bound to an account of the member’s own', async () => {
    const { trader } = callers;
    const { data } = await answered(trader.get('/accounts'), 200);
    const own = data.find(({ is_main }: Json) => is_main).account_id;
    const bound = await newKey(trader, own);
    expect(await outcomeOf(bound.get(`/accounts/${account}/balances`))).toBe('404 account_not_found');
    expect(await outcomeOf(bound.post('/orders', order()))).toBe('404 account_not_found');
    // Nor can a key be bound to an account of somebody else.
    const foreign = { name: 'Bot', scopes: ['account:read'], account_id: account };
    expect(await outcomeOf(trader.post('/auth/api-keys', foreign))).toBe('404 account_not_found');
  });

  it('names the member, and not the owner, as who did it', async () => {
    await callers.trader.place(order());
    const [member] = await queryOnce<{ key: string }>(
      app.config.databaseUrl!,
      `SELECT 'user:' || user_id AS key FROM users WHERE username = 'trader'`,
    );
    const [entry] = await queryOnce<{ actors: string }>(
      app.config.databaseUrl!,
      'SELECT actors FROM journal ORDER BY last_sequence DESC LIMIT 1',
    );
    expect(entry!.actors).toContain(`"${member!.key}"`);
  });

  it('that moves money moves it out only for who has just been there', async () => {
    const { treasurer } = callers;
    const strangers = (await answered(callers.stranger.get('/accounts'), 200)).data[0].account_id;
    expect(await outcomeOf(move(treasurer, account, strangers, '0.01'))).toBe('201');
    await forgetProofs(app, 'treasurer');
    await eventually(async () =>
      expect(await outcomeOf(move(treasurer, account, strangers, '0.01'))).toBe('403 step_up_required'),
    );
    // Between accounts of the owner it takes nothing more, as for the owner.
    expect(await outcomeOf(move(treasurer, account, other, '0.01'))).toBe('201');
  });
});

describe('a key that is bound to one account', () => {
  it('has no wallets, no banking and no webhooks', async () => {
    const { wallet_id: wallet } = await answered(owner.post('/wallets', { name: 'Cold' }), 201);
    const key = callers['key to this account'];
    expect((await answered(key.get('/wallets'), 200)).data).toEqual([]);
    expect(await outcomeOf(key.get(`/wallets/${wallet}`))).toBe('404 not_found');
    expect(await outcomeOf(key.get(`/wallets/${wallet}/transfers`))).toBe('404 not_found');
    expect(await outcomeOf(key.post('/wallets', { name: 'Mine' }))).toBe('403 forbidden');
    for (const path of ['/payouts', '/payout-accounts', '/kyc']) {
      expect(await outcomeOf(key.get(path)), path).toBe('403 forbidden');
    }
    // The owner's key that is bound to nothing has them all.
    const whole = await newKey(owner);
    expect((await answered(whole.get('/wallets'), 200)).data).toHaveLength(1);
    for (const path of ['/payouts', '/payout-accounts', '/kyc']) {
      expect(await outcomeOf(whole.get(path)), path).toBe('200');
    }
  });

  it('means its account by `me`, and takes no money out of another one', async () => {
    const key = callers['key to another account'];
    expect((await answered(key.post('/orders/cancel-after', { timeout_ms: 0 }), 200)).account_id).toBe(other);
    expect(await outcomeOf(move(key, main, other, '0.01'))).toBe('404 account_not_found');
    expect(await outcomeOf(move(callers['key to this account'], 'me', other, '0.01'))).toBe('201');
    expect(await outcomeOf(move(key, 'me', account, '0.01'))).toBe('201');
  });

  it('is shown with its account, which is one of one’s own that trades', async () => {
    const [latest] = (await answered(owner.get('/auth/api-keys?limit=200'), 200)).data.filter(
      ({ account_id }: Json) => account_id !== null,
    );
    expect(latest.account_id).toBe(other);
    const { data } = await answered(owner.get('/accounts'), 200);
    const wallet = data.find(({ kind }: Json) => kind === 'wallet').account_id;
    for (const account_id of [wallet, 'acc_7ZZZZZZZZZZ', 'nonsense', '']) {
      const body = { name: 'Bot', scopes: ['account:read'], account_id };
      expect(await outcomeOf(owner.post('/auth/api-keys', body)), account_id).toBe('404 account_not_found');
    }
  });
});
