import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

/** What a spreadsheet shows of a member of an answer. */
function shown(value: Json): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}

/** Members of members as columns with a dot. */
function flat(item: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(item as object).flatMap(([name, value]: [string, Json]): [string, string][] =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value as object).map(([inner, nested]) => [`${name}.${inner}`, shown(nested)])
        : [[name, shown(value)]],
    ),
  );
}

describe('lists as CSV', () => {
  let app: TestApp;
  let token: string;
  let demo: Caller;
  const market = 'CSV-USD';

  beforeAll(async () => {
    app = await startTestApp();
    token = await tokenFor(app.url, 'demo');
    demo = await callerFor(app.url, 'demo');
    const [maker, operator] = await Promise.all([callerFor(app.url, 'maker'), callerFor(app.url, 'admin')]);
    await createMarket(operator, market);
    for (let batch = 0; batch < 5; batch++) {
      const orders = Array.from({ length: 50 }, (_, i) => limit(market, 'buy', '100', `${i + 1}`));
      expect((await demo.post('/orders/batch', { orders })).status).toBe(200);
    }
    await maker.place(limit(market, 'sell', '100', '300'));
    await demo.place(limit(market, 'buy', '90', '1', { client_order_id: '=1+1' }));
    const { body: wallet } = await demo.post('/wallets', { name: '@me' });
    const transfer = {
      asset: 'USD',
      amount: '5',
      destination: { type: 'wallet', wallet_id: wallet.wallet_id },
    };
    const moved = await demo.post('/accounts/me/transfers', transfer);
    expect(moved, JSON.stringify(moved.body)).toMatchObject({ status: 201 });
    walletTransfers = `/wallets/${wallet.wallet_id}/transfers`;
  });
  let walletTransfers: string;

  afterAll(async () => {
    await app.close();
  });

  const ask = (path: string, accept = 'text/csv'): Promise<Response> =>
    fetch(app.url + path, { headers: { authorization: `Bearer ${token}`, accept } });
  const rowsOf = async (path: string): Promise<Record<string, string>[]> => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('vary')).toContain('Accept');
    return parse(await response.text(), { columns: true });
  };

  it.each([
    ['orders', () => `/orders?market_id=${market}`, 251],
    ['filtered orders', () => `/orders?market_id=${market}&status=filled`, 1],
    ['fills', () => `/markets/${market}/fills`, 1],
    ['fills of all markets', () => '/accounts/me/fills', 2],
    ['trades', () => `/markets/${market}/trades`, 1],
    ['candles', () => `/markets/${market}/candles?interval=1m`, 1],
    ['entries', () => '/accounts/me/entries', 1],
    ['transfers of an account', () => '/accounts/me/transfers', 1],
    ['transfers of a wallet', () => walletTransfers, 1],
  ])('has all %s that the pages have', async (_, pathOf, least) => {
    const path = pathOf();
    const items = (await demo.walk(path, 37)).map(flat);
    expect(items.length).toBeGreaterThanOrEqual(least);
    const rows = await rowsOf(path);
    expect(rows).toHaveLength(items.length);
    const first = items[0]!;
    expect(Object.keys(rows[0]!)).toEqual(expect.arrayContaining(Object.keys(first)));
    rows.forEach((row, i) => {
      const expected = { ...items[i] };
      if (expected['client_order_id'] === '=1+1') expected['client_order_id'] = "'=1+1";
      expect(row).toMatchObject(expected);
    });
  });

  it('has the groups of profit and loss, and payouts, also where there are none', async () => {
    const groups = (await demo.get('/accounts/me/pnl')).body.groups.map(flat);
    expect(await rowsOf('/accounts/me/pnl')).toEqual(groups);
    const empty = await ask('/payouts');
    expect(await empty.text()).toMatch(/^payout_id,payout_account_id,[a-z_,]+updated_at\r\n$/);
  });

  it('takes the whole list, whatever page is asked for', async () => {
    const { length } = await demo.walk(`/orders?market_id=${market}`, 200);
    const path = `/orders?market_id=${market}&limit=3&cursor=${encodeURIComponent('x')}`;
    expect(await rowsOf(path)).toHaveLength(length);
  });

  it.each([
    ['*/*', 'application/json'],
    ['application/json, text/csv;q=0.9', 'application/json'],
    ['text/csv;q=0.9, application/json;q=0.1', 'text/csv'],
    ['text/html, text/csv', 'text/csv'],
    ['text/*', 'text/csv'],
    ['image/png', 'application/json'],
  ])('answers Accept: %s as %s', async (accept, type) => {
    const response = await ask(`/markets/${market}/trades`, accept);
    expect(response.headers.get('content-type')).toContain(type);
    await response.body?.cancel();
  });

  it.each([
    ['/orders?status=odd', 400],
    ['/markets/NO-SUCH/trades', 404],
    ['/accounts/acc_00000000ZZZ/entries', 404],
  ])('answers what is wrong with %s as always', async (path, status) => {
    const response = await ask(path);
    expect(response.status).toBe(status);
    expect(((await response.json()) as Json).error.code).toBeTypeOf('string');
  });

  it('needs the same credential', async () => {
    expect((await fetch(`${app.url}/orders`, { headers: { accept: 'text/csv' } })).status).toBe(401);
  });

  it('goes on serving after readers that leave in the middle', async () => {
    const path = `/orders?market_id=${market}`;
    await Promise.all(Array.from({ length: 20 }, async () => (await ask(path)).body?.cancel()));
    expect(await rowsOf(path)).toHaveLength((await demo.walk(path, 200)).length);
  });
});
