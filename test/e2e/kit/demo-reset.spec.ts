import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../../src/core/journal/journal-verifier.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, loggedIn } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { onClient, queryOnce } from '../../support/core.js';

const STAKES = { BTC: '1000', ETH: '10000', EUR: '1000000', USD: '10000000', USDC: '10000000' };

describe('POST /admin/demo/reset', () => {
  let app: TestApp;
  let operator: Caller;
  let demo: Caller;
  let maker: Caller;
  let alice: Caller;

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [operator, demo, maker] = await Promise.all([
      callerFor(app.url, 'admin'),
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
    ]);
    alice = await loggedIn(app.url, 'alice');
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const balances = async (caller: Caller): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await caller.walk('/accounts/me/balances', 50)).map(({ asset, available }: Json) => [
        asset,
        available,
      ]),
    );
  const rowsOf = async (table: string): Promise<number> =>
    (
      await queryOnce<{ count: number }>(
        app.config.databaseUrl!,
        `SELECT count(*)::int AS count FROM ${table}`,
      )
    )[0]!.count;

  async function trade(): Promise<void> {
    await maker.place(limit('BTC-USD', 'sell', '60000', '1'));
    await demo.place(limit('BTC-USD', 'buy', '60000', '0.125'));
    await demo.place(limit('BTC-USD', 'buy', '100', '1'));
    await maker.place(limit('ETH-USDC', 'sell', '3000', '1'));
    await demo.place(limit('ETH-USDC', 'buy', '3000', '0.5'));
    const { account_id: account } = (await alice.get('/accounts')).body.data[0];
    const destination = { type: 'account', account_id: account };
    const moved = await demo.post('/accounts/me/transfers', { asset: 'EUR', amount: '12.34', destination });
    expect(moved.status).toBe(201);
    expect((await operator.patch('/admin/markets/ETH-USD', { status: 'halted' })).status).toBe(200);
  }

  it('brings orders, balances and markets back, and takes nothing from the ledger', async () => {
    await trade();
    const before = await Promise.all(['orders', 'trades', 'transfers', 'journal'].map(rowsOf));
    const reset = await operator.post('/admin/demo/reset', {});
    expect(reset, JSON.stringify(reset.body)).toMatchObject({
      status: 200,
      body: { orders_cancelled: 3, markets_reopened: ['ETH-USD'] },
    });
    expect(reset.body.balances_adjusted).toBeGreaterThan(5);
    expect(await balances(demo)).toEqual(STAKES);
    expect(await balances(maker)).toEqual(STAKES);
    expect(await balances(alice)).toEqual({ EUR: '0' });
    for (const caller of [demo, maker]) {
      expect((await caller.get('/orders?status=open,partially_filled,untriggered')).body.data).toEqual([]);
    }
    expect((await demo.get('/markets/ETH-USD')).body.status).toBe('open');
    const [entry] = (await alice.get('/accounts/me/entries')).body.data;
    expect(entry).toMatchObject({ reason: 'adjustment', reference: 'demo-reset', direction: 'debit' });
    const after = await Promise.all(['orders', 'trades', 'transfers', 'journal'].map(rowsOf));
    after.forEach((count, place) => expect(count).toBeGreaterThanOrEqual(before[place]!));
    expect(await operator.get('/admin/audit?target=demo:data')).toMatchObject({
      body: { data: [{ outcome: 'succeeded', details: reset.body }] },
    });
    const verification = await onClient(app.config.databaseUrl!, (client) => verifyJournal(client));
    expect(verification).toMatchObject({ ok: true });
  });

  it('changes nothing more when it is repeated, also by many at once', async () => {
    const nothing = { orders_cancelled: 0, balances_adjusted: 0, markets_reopened: [] };
    expect((await operator.post('/admin/demo/reset', {})).body).toEqual(nothing);
    await trade();
    const replies = await Promise.all([1, 2, 3, 4].map(() => operator.post('/admin/demo/reset', {})));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(replies.filter(({ body }) => body.orders_cancelled > 0)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.balances_adjusted > 0)).toHaveLength(1);
    expect(await balances(demo)).toEqual(STAKES);
    expect(await balances(maker)).toEqual(STAKES);
  });

  it('leaves what others have, and is for operators alone', async () => {
    await operator.post('/user', { username: 'carol', password: 'a long password' });
    const { account_id: carols } = (await operator.get('/admin/accounts?owner=carol')).body.data[0];
    const gift = { asset: 'USD', amount: '5', destination: { type: 'account', account_id: carols } };
    expect((await demo.post('/accounts/me/transfers', gift)).status).toBe(201);
    await operator.post('/admin/demo/reset', {});
    expect(await balances(demo)).toEqual(STAKES);
    const [row] = await queryOnce<{ available: string }>(
      app.config.databaseUrl!,
      `SELECT (available / 10::numeric ^ 18)::int::text AS available FROM balances
       WHERE asset = 'USD' AND account_id IN (SELECT account_id FROM accounts WHERE name = 'carol')`,
    );
    expect(row?.available).toBe('5');
    expect((await new Caller(app.url).post('/admin/demo/reset', {})).status).toBe(401);
    expect(await demo.post('/admin/demo/reset', {})).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });

  it('is not there without demo data', async () => {
    await queryOnce(app.config.databaseUrl!, 'UPDATE seeds SET completed_at = NULL');
    expect(await operator.post('/admin/demo/reset', {})).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    await queryOnce(app.config.databaseUrl!, 'UPDATE seeds SET completed_at = now()');
  });
});
