import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { createMarket, limit, tradeAtRandom } from '../../support/clients/markets-client.js';
import { onClient, queryOnce } from '../../support/core.js';

const MARKETS = ['LIST-A', 'LIST-B'];
const LISTS = ['users', 'accounts', 'orders', 'trades', 'transfers'];

let app: TestApp;
let operator: Caller;
let demo: Caller;
let maker: Caller;
let demoAccount: string;
let makerAccount: string;
let wallet: Json;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  [operator, demo, maker] = await Promise.all([
    callerFor(app.url, 'admin'),
    callerFor(app.url, 'demo'),
    callerFor(app.url, 'maker'),
  ]);
  [{ account_id: demoAccount }] = (await demo.get('/accounts')).body.data;
  [{ account_id: makerAccount }] = (await maker.get('/accounts')).body.data;
  for (const market of MARKETS) {
    await createMarket(operator, market);
    await tradeAtRandom([demo, maker], market, 120);
  }
  await demo.place(limit(MARKETS[0]!, 'buy', '1', '1'));
  wallet = (await demo.post('/wallets', { name: 'Savings' })).body;
  const toWallet = { type: 'wallet', wallet_id: wallet.wallet_id };
  const toMaker = { type: 'account', account_id: makerAccount };
  for (const [asset, destination] of [
    ['USD', toWallet],
    ['EUR', toMaker],
    ['USD', toMaker],
  ] as const) {
    const moved = await demo.post('/accounts/me/transfers', { asset, amount: '2', destination });
    expect(moved.status).toBe(201);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
});

afterAll(() => app.close());

describe.each(LISTS)('GET /admin/%s', (list) => {
  const path = `/admin/${list}`;

  it('is for operators alone', async () => {
    expect((await new Caller(app.url).get(path)).status).toBe(401);
    expect(await demo.get(path)).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });

  it('takes cursors of its own making alone, and no odd filter', async () => {
    for (const cursor of ['x', encodeCursor(['a']), encodeCursor([1, 'a', 'b']), encodeCursor([])]) {
      expect(await operator.get(`${path}?cursor=${cursor}`), cursor).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_cursor' } },
      });
    }
    for (const query of ['limit=0', 'limit=201', 'nobody=1', 'status=odd', `q=${'x'.repeat(49)}`]) {
      expect(await operator.get(`${path}?${query}`), query).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_failed' } },
      });
    }
  });

  it('is the same in pages of any size, and as CSV', async () => {
    const all = await operator.walk(path, 200);
    expect(all.length).toBeGreaterThan(2);
    expect(await operator.walk(path, 1 + Math.floor(all.length / 7))).toEqual(all);
    const response = await fetch(app.url + path, {
      headers: { accept: 'text/csv', authorization: `Bearer ${await tokenFor(app.url, 'admin')}` },
    });
    expect(response.headers.get('content-type')).toContain('text/csv');
    const rows: Json[] = parse(await response.text(), { columns: true });
    expect(rows).toHaveLength(all.length);
    const id = Object.keys(all[0] as object)[0]!;
    expect(rows.map((row) => row[id])).toEqual(all.map((item) => `${item[id]}`));
  });
});

describe('orders', () => {
  const newestFirst = (a: Json, b: Json): number => (a.order_id < b.order_id ? 1 : -1);
  async function expected(query = ''): Promise<Json[]> {
    const lists = await Promise.all([demo, maker].map((owner) => owner.walk(`/orders?${query}`, 200)));
    return lists.flat().sort(newestFirst);
  }

  it('are those of all accounts, newest first', async () => {
    const all = await expected();
    expect(all.length).toBeGreaterThan(150);
    for (const pageSize of [7, 200]) expect(await operator.walk('/admin/orders', pageSize)).toEqual(all);
  });

  it('are filtered as those of an owner are', async () => {
    const { created_at: edge } = (await expected())[40]!;
    for (const query of [
      `market_id=${MARKETS[1]}`,
      'status=open',
      'status=open,untriggered,partially_filled',
      `status=filled,cancelled&market_id=${MARKETS[0]}`,
      `from=${edge}`,
      `to=${edge}`,
      `to=${edge}&status=open`,
      'market_id=NO-SUCH',
    ]) {
      expect(await operator.walk(`/admin/orders?${query}`, 11), query).toEqual(await expected(query));
    }
    expect(await operator.walk(`/admin/orders?account_id=${makerAccount}&status=filled`, 9)).toEqual(
      await maker.walk('/orders?status=filled', 200),
    );
  });

  it('of an account that nobody has are refused', async () => {
    const [house] = await queryOnce(
      app.config.databaseUrl!,
      'SELECT account_id AS id FROM accounts WHERE owner IS NULL LIMIT 1',
    );
    expect(house).toBeDefined();
    for (const list of ['orders', 'trades', 'transfers']) {
      for (const id of ['acc_00000000ZZZ', 'me', "x' OR true"]) {
        expect(await operator.get(`/admin/${list}?account_id=${encodeURIComponent(id)}`)).toMatchObject({
          status: 404,
          body: { error: { code: 'account_not_found' } },
        });
      }
    }
  });

  it('are found by an index of the ledger, not by reading what has been', async () => {
    const plan = await onClient(app.config.databaseUrl!, async (client) => {
      await client.query('SET enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        'EXPLAIN SELECT * FROM account_changes WHERE ledger_sequence > 10 AND ledger_sequence <= 20',
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain('account_changes_ledger');
  });
});

describe('trades', () => {
  it('are those of all markets, with both sides', async () => {
    const lists = await Promise.all(MARKETS.map((market) => operator.walk(`/markets/${market}/trades`, 200)));
    const all = await operator.walk('/admin/trades', 13);
    expect(all).toHaveLength(lists.flat().length);
    const sides = {
      maker_account_id: expect.any(String),
      taker_account_id: expect.any(String),
      maker_order_id: expect.stringMatching(/^ord_/),
      taker_order_id: expect.stringMatching(/^ord_/),
      maker_fee: '0',
      taker_fee: '0',
    };
    const newestFirst = lists.flat().sort((a, b) => (a.trade_id < b.trade_id ? 1 : -1));
    expect(all).toEqual(newestFirst.map((trade) => ({ ...trade, ...sides })));
  });

  it('are filtered by account, market and period', async () => {
    const all = await operator.walk('/admin/trades', 200);
    const of = (account: string) => (trade: Json) =>
      [trade.maker_account_id, trade.taker_account_id].includes(account);
    const { executed_at: edge } = all[4]!;
    for (const [query, kept] of [
      [`account_id=${demoAccount}`, of(demoAccount)],
      [`market_id=${MARKETS[1]}`, (trade: Json) => trade.market_id === MARKETS[1]],
      [
        `account_id=${makerAccount}&market_id=${MARKETS[0]}`,
        (trade: Json) => of(makerAccount)(trade) && trade.market_id === MARKETS[0],
      ],
      [`from=${edge}`, (trade: Json) => trade.executed_at >= edge],
      [
        `to=${edge}&account_id=${demoAccount}`,
        (trade: Json) => trade.executed_at < edge && of(demoAccount)(trade),
      ],
      ['market_id=NO-SUCH', () => false],
    ] as const) {
      expect(await operator.walk(`/admin/trades?${query}`, 6), query).toEqual(all.filter(kept));
    }
  });
});

describe('transfers', () => {
  it('are those of all owners, as their sources see them', async () => {
    const own = await demo.walk('/accounts/me/transfers', 200);
    const all = await operator.walk('/admin/transfers', 2);
    expect(all).toEqual(own.map((transfer) => ({ ...transfer, requested_by: 'client:demo', held: null })));
    for (const [query, kept] of [
      ['asset=EUR', (one: Json) => one.asset === 'EUR'],
      [`account_id=${makerAccount}`, (one: Json) => one.destination.account_id === makerAccount],
      [
        `account_id=${makerAccount}&asset=USD`,
        (one: Json) => one.destination.account_id && one.asset === 'USD',
      ],
      [`account_id=${wallet.account_id}`, (one: Json) => one.destination.type === 'wallet'],
      [`account_id=${demoAccount}`, () => true],
      ['status=completed,failed', () => true],
      ['status=pending,confirming', () => false],
      [`from=${all[1]!.created_at}`, (one: Json) => one.created_at >= all[1]!.created_at],
      [`to=${all[1]!.created_at}&status=completed`, (one: Json) => one.created_at < all[1]!.created_at],
    ] as const) {
      expect(await operator.walk(`/admin/transfers?${query}`, 2), query).toEqual(all.filter(kept));
    }
  });
});

describe('accounts', () => {
  const names = (accounts: Json[]): string[] => accounts.map(({ name }) => name);

  beforeAll(async () => {
    for (const [name, owner] of [
      ['Search me', 'alice'],
      ['search ME too', 'bob'],
      ['sea_rch', 'client:demo'],
      ['Über Search', 'alice'],
    ]) {
      expect((await operator.post('/admin/accounts', { name, owner })).status).toBe(201);
    }
  });

  it('are all but those of the house, newest first, with their owners', async () => {
    const all = await operator.walk('/admin/accounts', 3);
    const stored = await queryOnce<{ count: number }>(
      app.config.databaseUrl!,
      'SELECT count(*)::int AS count FROM accounts WHERE owner IS NOT NULL',
    );
    expect(all).toHaveLength(stored[0]!.count);
    expect(all[0]).toEqual({
      account_id: expect.stringMatching(/^acc_/),
      kind: 'trading',
      name: 'Über Search',
      owner: 'alice',
      status: 'active',
      created_at: expect.any(String),
    });
    expect(all.find(({ account_id: id }) => id === demoAccount)).toMatchObject({ owner: 'client:demo' });
  });

  it('are found by name, id, owner and status', async () => {
    expect(names(await operator.walk('/admin/accounts?q=SEARCH', 1))).toEqual(['Search me', 'search ME too']);
    expect(names(await operator.walk(`/admin/accounts?q=${encodeURIComponent('üBER')}`, 1))).toEqual([
      'Über Search',
    ]);
    expect(names(await operator.walk('/admin/accounts?q=sea_', 1))).toEqual(['sea_rch']);
    for (const q of ['%25', 'earch', '%00', "'"]) {
      const { status, body } = await operator.get(`/admin/accounts?q=${q}`);
      expect([200, 400], q).toContain(status);
      if (status === 200) expect(body.data).toEqual([]);
    }
    expect(await operator.walk(`/admin/accounts?q=${makerAccount}`, 1)).toMatchObject([
      { account_id: makerAccount },
    ]);
    const alices = names(await operator.walk('/admin/accounts?owner=ALICE', 2));
    expect(alices).toEqual(['Über Search', 'Search me', 'alice']);
    expect(names(await operator.walk('/admin/accounts?owner=alice&q=sea', 1))).toEqual(['Search me']);
    expect(await operator.get('/admin/accounts?owner=nobody')).toMatchObject({ status: 404 });
    expect(await operator.get('/admin/accounts?owner=a%20b')).toMatchObject({ status: 400 });

    expect((await operator.post(`/admin/accounts/${makerAccount}/freeze`, { reason: 'x' })).status).toBe(200);
    expect(names(await operator.walk('/admin/accounts?status=frozen', 1))).toEqual(['Demo maker']);
    const active = names(await operator.walk('/admin/accounts?status=active', 200));
    expect(active).not.toContain('Demo maker');
    expect(active).toContain('Demo trader');
    expect((await operator.post(`/admin/accounts/${makerAccount}/unfreeze`, {})).status).toBe(200);
  });
});

describe('users', () => {
  const names = (users: Json[]): string[] => users.map(({ username }) => username);

  beforeAll(async () => {
    const users = [
      { username: 'zoe', email: 'quinn@example.com', firstName: 'Zoe', lastName: 'Quinn' },
      { username: 'Quinn', email: 'other@example.com', firstName: 'Quinn', phone: '+351 1' },
      { username: 'gone', email: 'quinn@gone.example' },
      { username: 'stuck', email: 'stuck@example.com', lastName: 'Quinnell' },
    ];
    for (const user of users) {
      const reply = await operator.post('/user', { ...user, password: 'a long password' });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    }
    expect((await operator.post('/admin/users/stuck/lock', { reason: 'x' })).status).toBe(200);
    expect((await operator.delete('/user/gone')).status).toBeLessThan(300);
  });

  it('are all who are not closed, newest first', async () => {
    const all = await operator.walk('/admin/users', 2);
    expect(names(all)).toEqual(['stuck', 'Quinn', 'zoe', 'bob', 'alice', 'admin']);
    expect(all[1]).toEqual({
      id: expect.any(Number),
      person: `user:${all[1]!.id}`,
      username: 'Quinn',
      first_name: 'Quinn',
      last_name: null,
      email: 'other@example.com',
      phone: '+351 1',
      status: 'active',
      operator: false,
      roles: [],
      identity_roles: [],
      created_at: expect.any(String),
    });
    expect(all.at(-1)).toMatchObject({ username: 'admin', operator: true });
    expect(JSON.stringify(all)).not.toMatch(/argon2|password/);
  });

  it('are found by username, then by email, then by first and last name, each of them once', async () => {
    for (const pageSize of [1, 2, 200]) {
      expect(names(await operator.walk('/admin/users?q=qUiNN', pageSize)), `${pageSize}`).toEqual([
        'Quinn',
        'zoe',
        'stuck',
      ]);
    }
    expect(names(await operator.walk('/admin/users?q=stuck%40', 1))).toEqual(['stuck']);
    expect(await operator.walk('/admin/users?q=uinn', 1)).toEqual([]);
    expect(await operator.walk(`/admin/users?q=${encodeURIComponent('%')}`, 1)).toEqual([]);
  });

  it('are found by status', async () => {
    expect(names(await operator.walk('/admin/users?status=locked', 1))).toEqual(['stuck']);
    expect(await operator.walk('/admin/users?status=closed', 1)).toMatchObject([
      { username: 'gone', email: null, phone: null, status: 'closed' },
    ]);
    expect(names(await operator.walk('/admin/users?status=active&q=q', 1))).toEqual(['Quinn', 'zoe']);
    expect(names(await operator.walk('/admin/users?status=active', 2))).not.toContain('stuck');
  });

  it('are searched along indexes', async () => {
    const plans = await onClient(app.config.databaseUrl!, async (client) => {
      await client.query('SET enable_seqscan = off');
      const texts: string[] = [];
      for (const [table, column] of [
        ['users', 'username'],
        ['users', 'email'],
        ['users', 'first_name'],
        ['users', 'last_name'],
        ['accounts', 'name'],
      ]) {
        const text = `left(lower(${column}), 48) COLLATE "C"`;
        const owned = table === 'accounts' ? 'owner IS NOT NULL AND' : '';
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN SELECT * FROM ${table} WHERE ${owned} ${column} IS NOT NULL AND ${text} >= 'a' AND ${text} < 'b'
           ORDER BY ${text}, ${table === 'users' ? 'user_id' : 'account_id'} LIMIT 10`,
        );
        texts.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      }
      return texts;
    });
    for (const plan of plans) expect(plan).toMatch(/(users|accounts)_search_\w+/);
  });
});
