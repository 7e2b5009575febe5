import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base64Of, bytesOf, decodeUtf8 } from '../../../src/domain/proof/bytes.js';
import { type JournalKey, knownKeysOf, type KnownKeys } from '../../../src/domain/proof/journal-head.js';
import { checkReceipt, type Receipt } from '../../../src/domain/proof/receipt.js';
import type { StatedChange } from '../../../src/domain/proof/statement.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { ORDER_IDS, TRADE_IDS } from '../../../src/modules/markets/names/ids.js';

const UNIT = 10n ** 18n;

describe('receipts', () => {
  let app: TestApp;
  let stranger: Caller;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let keys: KnownKeys;

  beforeAll(async () => {
    app = await startTestApp();
    stranger = new Caller(app.url);
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    const known = knownKeysOf((await stranger.get('/journal/keys')).body.data as JournalKey[]);
    if (typeof known === 'string') throw new Error(known);
    keys = known;
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  /** A receipt that proves itself. */
  const receiptAt = async (caller: Caller, path: string): Promise<Receipt> => {
    const { status, body } = await caller.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(checkReceipt(body as Receipt, keys)).toMatchObject({ ok: true });
    return body;
  };
  const rowsIn = ({ statement }: Receipt, table: string): StatedChange['row'][] =>
    statement.changes.flatMap((change) => (change.table === table ? [change.row] : []));

  it('prove an order, its fills and the money that they moved', async () => {
    const ask = await maker.place(limit('BTC-USD', 'sell', '61000', '0.02'));
    const bid = await demo.place(limit('BTC-USD', 'buy', '61000', '0.05'));
    const receipt = await receiptAt(demo, `/orders/${bid.order_id}/receipt`);
    const [order] = rowsIn(receipt, 'orders');
    expect(order).toMatchObject({
      order_id: ORDER_IDS.parse(bid.order_id),
      side: 'buy',
      status: bid.status,
      size_lots: order!.size_lots,
    });
    const trades = rowsIn(receipt, 'trades');
    expect(trades.map(({ trade_id }) => TRADE_IDS.format(trade_id as number))).toEqual(
      bid.fills.map(({ trade_id }: { trade_id: string }) => trade_id),
    );
    expect(trades[0]).toMatchObject({ role: 'taker', taker_side: 'buy' });
    const [usd] = rowsIn(receipt, 'balances').filter(({ asset }) => asset === 'USD');
    const balance = await demo.balance('USD');
    expect(usd!.available).toBe(
      String(BigInt(Math.round(Number(balance.available) * 1e6)) * (UNIT / 1_000_000n)),
    );

    // The other side has a statement of its own, of the same row, and neither shows the other's account.
    const others = await receiptAt(maker, `/orders/${ask.order_id}/receipt?of=latest`);
    expect(others.height).toBe(receipt.height);
    expect(rowsIn(others, 'trades')[0]).toMatchObject({ role: 'maker' });
    expect(JSON.stringify(receipt.statement)).not.toContain(`:${others.statement.account_id},`);
    const ofMarket = await receiptAt(stranger, `/markets/BTC-USD/trades/${bid.fills[0].trade_id}/receipt`);
    expect(ofMarket.height).toBe(receipt.height);
    expect(JSON.stringify(ofMarket.statement)).not.toContain('account');
  });

  it('show the acceptance of an order and the last that became of it', async () => {
    const order = await demo.place(limit('BTC-USD', 'buy', '90', '0.01'));
    await demo.delete(`/orders/${order.order_id}`);
    const accepted = await receiptAt(demo, `/orders/${order.order_id}/receipt`);
    const latest = await receiptAt(demo, `/orders/${order.order_id}/receipt?of=latest`);
    expect(rowsIn(accepted, 'orders')[0]).toMatchObject({ status: 'open' });
    expect(rowsIn(latest, 'orders')[0]).toMatchObject({ status: 'cancelled', held: '0' });
    expect(latest.height).toBeGreaterThan(accepted.height);
  });

  it('prove balances, entries and transfers', async () => {
    const wallet = await demo.post('/wallets', { name: 'Savings' });
    expect(wallet.status).toBe(201);
    const moved = await demo.post('/accounts/me/transfers', {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '12.5',
    });
    expect(moved.status).toBe(201);
    const receipt = await receiptAt(demo, `/accounts/me/transfers/${moved.body.transfer_id}/receipt`);
    expect(rowsIn(receipt, 'transfers')[0]).toMatchObject({
      side: 'debit',
      asset: 'USD',
      amount: String((125n * UNIT) / 10n),
    });
    const [entry] = (await demo.get('/accounts/me/entries?limit=1')).body.data;
    const ofEntry = await receiptAt(demo, `/accounts/me/receipt?ledger_sequence=${entry.ledger_sequence}`);
    expect(ofEntry.statement).toEqual(receipt.statement);
    const last = await receiptAt(demo, '/accounts/me/receipt');
    expect(rowsIn(last, 'balances').length).toBeGreaterThan(0);
  });

  it('are refused by the check where anything of them was changed', async () => {
    const order = await demo.place(limit('BTC-USD', 'buy', '91', '0.01'));
    const receipt = await receiptAt(demo, `/orders/${order.order_id}/receipt`);
    const [entry] = (await demo.get('/accounts/me/entries?limit=1')).body.data;
    const other = await receiptAt(demo, `/accounts/me/receipt?ledger_sequence=${entry.ledger_sequence}`);
    const [change, ...changes] = receipt.statement.changes;
    const leaf = decodeUtf8(bytesOf(receipt.leaf));
    const forged: Partial<Record<keyof Receipt, unknown>>[] = [
      { statement: { ...receipt.statement, changes } },
      { statement: { ...receipt.statement, changes: [{ ...change, row: { ...change!.row, held: '0' } }] } },
      { salt: other.salt },
      { statement_index: receipt.statement_index + 1 },
      { statement_proof: [...receipt.statement_proof, receipt.salt] },
      { height: receipt.height - 1 },
      { leaf: base64Of(new TextEncoder().encode(leaf.replace('"engine_version"', '"engine_Version"'))) },
      { leaf: other.leaf },
      { proof: receipt.proof.slice(1) },
      { head: { ...receipt.head, root_hash: receipt.salt } },
      { head: { ...receipt.head, key_id: 'f'.repeat(32) } },
      { head: null },
      { proof: 'none' },
      { leaf: '€' },
      { statement: null },
      { salt: 'x' },
      { height: 1.5 },
    ];
    for (const change of forged)
      expect([change, checkReceipt({ ...receipt, ...change } as Receipt, keys).ok]).toEqual([change, false]);
    expect(checkReceipt(null as unknown as Receipt, keys).ok).toBe(false);
  });

  it('are given to those alone whose matter it is', async () => {
    const order = await demo.place(limit('BTC-USD', 'buy', '92', '0.01'));
    const path = `/orders/${order.order_id}/receipt`;
    expect((await stranger.get(path)).status).toBe(401);
    expect((await maker.get(path)).body.error.code).toBe('order_not_found');
    const { account_id } = order;
    expect((await maker.get(`/accounts/${account_id}/receipt`)).body.error.code).toBe('account_not_found');
    // A place of the sequence at which only others had something has nothing for oneself.
    const theirs = await maker.place(limit('BTC-USD', 'sell', '99000', '0.01'));
    const { status, body } = await demo.get(
      `/accounts/me/receipt?ledger_sequence=${ORDER_IDS.parse(theirs.order_id)}`,
    );
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    for (const hostile of [
      '/orders/ord_00000000000/receipt',
      '/orders/%F0%9F%A6%84/receipt',
      '/markets/NONE/trades/trd_00000000001/receipt',
      '/markets/BTC-USD/trades/1/receipt',
      '/payouts/pay_00000000999/receipt',
      '/accounts/me/transfers/trf_00000000999/receipt',
    ])
      expect([hostile, (await demo.get(hostile)).status]).toEqual([hostile, 404]);
    expect((await demo.get(`${path}?of=both`)).status).toBe(400);
    expect((await demo.get('/accounts/me/receipt?ledger_sequence=0')).status).toBe(400);
    const future = await demo.get('/accounts/me/receipt?ledger_sequence=9007199254740991');
    expect([future.status, future.body.error.code]).toEqual([404, 'not_found']);
  });

  it('wait for the head that covers what was just committed', async () => {
    await eventually(async () => {
      const order = await demo.place(limit('BTC-USD', 'buy', '93', '0.01'));
      const receipt = await receiptAt(demo, `/orders/${order.order_id}/receipt`);
      expect(receipt.head.sequence).toBeGreaterThanOrEqual(ORDER_IDS.parse(order.order_id)!);
    });
  });
});
