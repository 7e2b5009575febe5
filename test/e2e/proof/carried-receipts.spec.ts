import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../../packages/verify/src/proofs.js';
import type { TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, type Reply, tokenFor } from '../../support/caller.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { addIban, startBank } from '../../support/clients/payouts-client.js';
import { queryOnce } from '../../support/core.js';
import { ORDER_IDS } from '../../../src/modules/markets/names/ids.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

const WITH_RECEIPT = { prefer: 'receipt' };

describe('answers with their receipts', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let keys: Json;

  beforeAll(async () => {
    app = await startBank();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    keys = (await demo.get('/journal/keys')).body;
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const act = (caller: Caller, method: string, path: string, body?: Json, more: Json = {}): Promise<Reply> =>
    caller.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
      ...WITH_RECEIPT,
      ...more,
    });

  /** The receipt in an answer, which proves itself. */
  const receiptIn = ({ status, headers, body }: Reply, wanted: number): Json => {
    expect([status, headers.get('preference-applied')], JSON.stringify(body)).toEqual([wanted, 'receipt']);
    expect(headers.get('vary')).toContain('Prefer');
    expect(verifyReceipt(body.receipt, keys)).toMatchObject({ ok: true });
    return body.receipt;
  };
  const expectNoReceipt = ({ headers, body }: Reply): void => {
    expect(headers.get('preference-applied')).toBe(null);
    expect(body).not.toHaveProperty('receipt');
  };
  const rowsIn = ({ statement }: Json, table: string): Json[] =>
    statement.changes.flatMap((change: Json) => (change.table === table ? [change.row] : []));
  const orderIn = (receipt: Json, orderId: string): Json =>
    rowsIn(receipt, 'orders').find(({ order_id }) => order_id === ORDER_IDS.parse(orderId));

  it('prove an order that was placed, its fills, and what became of it', async () => {
    await maker.place(limit('BTC-USD', 'sell', '61000', '0.02'));
    const placed = await act(demo, 'POST', '/orders', limit('BTC-USD', 'buy', '61000', '0.05'));
    const receipt = receiptIn(placed, 201);
    const id = placed.body.order_id;
    expect(orderIn(receipt, id)).toMatchObject({ side: 'buy', status: placed.body.status });
    expect(rowsIn(receipt, 'trades')).toHaveLength(placed.body.fills.length);
    const own = (await demo.get(`/orders/${id}/receipt`)).body;
    expect(receipt.statement).toEqual(own.statement);

    const amended = await act(demo, 'PATCH', `/orders/${id}`, { size: '0.04' });
    expect(orderIn(receiptIn(amended, 200), id)).toMatchObject({ status: 'partially_filled' });
    const replaced = await act(
      demo,
      'POST',
      `/orders/${id}/replace`,
      limit('BTC-USD', 'buy', '60500', '0.01', { market_id: undefined }),
    );
    const ofBoth = receiptIn(replaced, 201);
    expect(orderIn(ofBoth, id)).toMatchObject({ status: 'cancelled' });
    const { order_id: next } = replaced.body.order;
    expect(orderIn(ofBoth, next)).toMatchObject({ status: 'open' });

    const cancelled = await act(demo, 'DELETE', `/orders/${next}`);
    expect(orderIn(receiptIn(cancelled, 200), next)).toMatchObject({ status: 'cancelled', held: '0' });
    const read = await act(demo, 'GET', `/orders/${next}`);
    expect(receiptIn(read, 200).statement).toEqual(cancelled.body.receipt.statement);
  });

  it('prove transfers and payouts', async () => {
    const wallet = await demo.post('/wallets', { name: 'Savings' });
    const transfer = {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '2.5',
    };
    const moved = await act(demo, 'POST', '/accounts/me/transfers', transfer);
    expect(rowsIn(receiptIn(moved, 201), 'transfers')[0]).toMatchObject({ side: 'debit', asset: 'USD' });
    const read = await act(demo, 'GET', `/accounts/me/transfers/${moved.body.transfer_id}`);
    expect(receiptIn(read, 200).statement).toEqual(moved.body.receipt.statement);

    await approvedKyc(demo, operator);
    const payout = {
      payout_account_id: await addIban(demo),
      amount: '10',
      currency: 'EUR',
      reference: 'Winnings',
    };
    const asked = await act(demo, 'POST', '/payouts', payout);
    const held = rowsIn(receiptIn(asked, 201), 'balances').find(({ asset }) => asset === 'EUR');
    expect(held).toMatchObject({ held: String(10n * 10n ** 18n) });
    const path = `/payouts/${asked.body.payout_id}`;
    expect(receiptIn(await act(demo, 'GET', path), 200).statement).toEqual(asked.body.receipt.statement);
    const cancelled = receiptIn(await act(demo, 'DELETE', path), 200);
    expect(rowsIn(cancelled, 'balances')[0]).toMatchObject({ asset: 'EUR', held: '0' });
  });

  it('have none where nobody asked, or where there is none', async () => {
    const order = limit('BTC-USD', 'buy', '90', '0.01');
    const plain = await demo.post('/orders', order);
    expectNoReceipt(plain);
    expect(plain.headers.get('vary') ?? '').not.toContain('Prefer');
    expectNoReceipt(await act(demo, 'GET', '/orders?limit=1'));
    const batch = await act(demo, 'POST', '/orders/batch', { orders: [order] });
    expect(batch.status).toBe(200);
    expectNoReceipt(batch);
    const csv = await fetch(`${app.url}/orders`, {
      headers: {
        ...WITH_RECEIPT,
        accept: 'text/csv',
        authorization: `Bearer ${await tokenFor(app.url, 'demo')}`,
      },
    });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    await csv.text();

    const refusals: [Promise<Reply>, number, string][] = [
      [act(demo, 'POST', '/orders', { ...order, size: '1000000000' }), 422, 'size_out_of_range'],
      [act(demo, 'POST', '/orders', { ...order, price: '1e9' }), 400, 'validation_failed'],
      [act(demo, 'DELETE', '/orders/ord_00000000001'), 404, 'order_not_found'],
      [act(maker, 'GET', `/orders/${plain.body.order_id}`), 404, 'order_not_found'],
    ];
    for (const [reply, status, code] of refusals) {
      const refused = await reply;
      expect([refused.status, refused.body.error.code]).toEqual([status, code]);
      expectNoReceipt(refused);
    }
  });

  it('bring it with each repeat, and keep none', async () => {
    const order = limit('BTC-USD', 'buy', '91', '0.01', { client_order_id: 'carried-1' });
    const first = await act(demo, 'POST', '/orders', order, { 'idempotency-key': 'carried-2' });
    const receipt = receiptIn(first, 201);
    const repeats: Json[] = [{ 'idempotency-key': 'carried-2' }, {}];
    for (const more of repeats) {
      const repeat = await act(demo, 'POST', '/orders', order, more);
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(receiptIn(repeat, 200).statement).toEqual(receipt.statement);
      expectNoReceipt(await demo.post('/orders', order, more));
    }

    const wallet = await demo.post('/wallets', { name: 'Repeated' });
    const transfer = {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '1',
    };
    const path = '/accounts/me/transfers';
    const moved = await act(demo, 'POST', path, transfer, { 'idempotency-key': 'carried-3' });
    receiptIn(moved, 201);
    const again = await act(demo, 'POST', path, transfer, { 'idempotency-key': 'carried-3' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(receiptIn(again, 201).statement).toEqual(moved.body.receipt.statement);
    const plain = await demo.post(path, transfer, { 'idempotency-key': 'carried-3' });
    expect(plain.body.transfer_id).toBe(moved.body.transfer_id);
    expectNoReceipt(plain);
    const kept = await queryOnce<{ body: string }>(
      app.config.databaseUrl!,
      `SELECT body FROM idempotency_keys WHERE body LIKE '%"transfer_id"%'`,
    );
    expect(kept.length).toBeGreaterThan(0);
    for (const { body } of kept) expect(body).not.toContain('receipt');
  });

  it('are of use to those alone who may read it by its own route', async () => {
    const wallet = await demo.post('/wallets', { name: 'Scoped' });
    const transfer = {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '1',
    };
    const writer = await callerFor(app.url, 'demo', 'wallets:write');
    const moved = await act(writer, 'POST', '/accounts/me/transfers', transfer);
    expect(moved.status).toBe(201);
    expectNoReceipt(moved);
    const reader = await callerFor(app.url, 'demo', 'wallets:write account:read');
    receiptIn(await act(reader, 'POST', '/accounts/me/transfers', transfer), 201);

    const payout = {
      payout_account_id: (await demo.get('/payout-accounts')).body.data[0].payout_account_id,
      amount: '10',
      currency: 'EUR',
      reference: 'Scoped',
    };
    const paying = await callerFor(app.url, 'demo', 'banking:write');
    const asked = await act(paying, 'POST', '/payouts', payout);
    expect(asked.status, JSON.stringify(asked.body)).toBe(201);
    expectNoReceipt(asked);

    const trader = await callerFor(app.url, 'demo', 'markets:trade');
    const placed = await act(trader, 'POST', '/orders', limit('BTC-USD', 'buy', '92', '0.01'));
    const { body } = await demo.get('/accounts');
    const accountIds = body.data.map((account: Json) => ACCOUNT_IDS.parse(account.account_id));
    expect(accountIds).toContain(receiptIn(placed, 201).statement.account_id);
  });

  it('ask for it in any of the ways of RFC 7240, and take nothing else for it', async () => {
    const order = limit('BTC-USD', 'buy', '93', '0.01');
    for (const prefer of ['Receipt', 'respond-async, wait=5, receipt;note="a, b"', 'receipt=""'])
      receiptIn(await demo.post('/orders', order, { prefer }), 201);
    const hostile = [
      '',
      ',;=',
      '"receipt',
      'return=receipt',
      'receipt=all',
      'a'.repeat(8_000),
      '"\\',
      'receipt,'.repeat(500),
    ];
    for (const prefer of hostile) {
      const reply = await demo.post('/orders', order, { prefer });
      expect([prefer.slice(0, 20), reply.status]).toEqual([prefer.slice(0, 20), 201]);
      expectNoReceipt(reply);
    }
    const ofTwoHeaders = await new Promise<Json>((resolve, reject) => {
      void tokenFor(app.url, 'demo').then((token) => {
        const sent = httpRequest(
          `${app.url}/orders`,
          {
            method: 'POST',
            headers: {
              prefer: ['return=minimal', 'receipt'],
              authorization: `Bearer ${token}`,
              'content-type': 'application/json',
            },
          },
          (answer) => {
            let text = '';
            answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
            answer.on('end', () => resolve(JSON.parse(text)));
          },
        );
        sent.on('error', reject).end(JSON.stringify(order));
      });
    });
    expect(verifyReceipt(ofTwoHeaders.receipt, keys)).toMatchObject({ ok: true });
  });

  it('go out without it while the heads are behind', async () => {
    const other = new pg.Client({ connectionString: app.config.databaseUrl! });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(`SELECT FROM journal_cursors WHERE name = 'journal_tree' FOR UPDATE`);
      const beganMs = performance.now();
      const order = limit('BTC-USD', 'buy', '94', '0.01');
      const late = await Promise.all(Array.from({ length: 20 }, () => act(demo, 'POST', '/orders', order)));
      expect(performance.now() - beganMs).toBeLessThan(5_000);
      for (const reply of late) {
        expect(reply).toMatchObject({ status: 201, body: { status: 'open' } });
        expectNoReceipt(reply);
      }
      await other.query('COMMIT');
      receiptIn(await act(demo, 'GET', `/orders/${late[0]!.body.order_id}`), 200);
      receiptIn(await act(demo, 'POST', '/orders', order), 201);
    } finally {
      await other.end();
    }
  });
});
