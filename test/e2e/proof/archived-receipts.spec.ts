import { readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../../packages/verify/src/proofs.js';
import { archiveJournal } from '../../../src/core/journal/journal-archiver.js';
import { type ArchiveFile, listArchive } from '../../../src/core/journal/journal-archive.js';
import type { TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { addIban, payOut, startBank } from '../../support/clients/payouts-client.js';
import { onClient } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { ORDER_IDS } from '../../../src/modules/markets/names/ids.js';

/** Small, so that there are several files, with several members each. */
const SIZES = { bytesPerFile: 6_000, bytesPerMember: 2_000 };

describe('receipts of what has left the journal’s table', () => {
  let app: TestApp;
  let stranger: Caller;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let keys: Json;
  /** Whose receipts are asked for, where, and what they were before anything was archived. */
  const wanted: { readonly caller: Caller; readonly path: string; readonly before: Json }[] = [];
  let oldest = 0;

  beforeAll(async () => {
    app = await startBank();
    stranger = new Caller(app.url);
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    keys = (await stranger.get('/journal/keys')).body;
    const want = async (caller: Caller, path: string): Promise<void> => {
      wanted.push({ caller, path, before: await receiptAt(caller, path) });
    };

    const ask = await maker.place(limit('BTC-USD', 'sell', '61000', '0.02'));
    const bid = await demo.place(limit('BTC-USD', 'buy', '61000', '0.05'));
    oldest = ORDER_IDS.parse(ask.order_id)!;
    await demo.delete(`/orders/${bid.order_id}`);
    const wallet = await demo.post('/wallets', { name: 'Savings' });
    const moved = await demo.post('/accounts/me/transfers', {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '12.5',
    });
    expect(moved.status).toBe(201);
    await approvedKyc(demo, operator);
    const { payout_id } = await payOut(demo, await addIban(demo), '10');
    const [entry] = (await demo.get('/accounts/me/entries?limit=1')).body.data;
    await want(demo, `/orders/${bid.order_id}/receipt`);
    await want(demo, `/orders/${bid.order_id}/receipt?of=latest`);
    await want(maker, `/orders/${ask.order_id}/receipt?of=latest`);
    await want(stranger, `/markets/BTC-USD/trades/${bid.fills[0].trade_id}/receipt`);
    await want(demo, `/accounts/me/receipt?ledger_sequence=${entry.ledger_sequence}`);
    await want(demo, '/accounts/me/receipt');
    await want(demo, `/accounts/me/transfers/${moved.body.transfer_id}/receipt`);
    await want(demo, `/payouts/${payout_id}/receipt`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  /** A receipt that proves itself. */
  const receiptAt = async (caller: Caller, path: string): Promise<Json> => {
    const { status, body } = await caller.get(path);
    expect([path, status, body]).toMatchObject([path, 200, {}]);
    expect(verifyReceipt(body, keys)).toMatchObject({ ok: true });
    return body;
  };
  const expectReceipts = async (): Promise<void> => {
    for (const { caller, path, before } of wanted) {
      const { statement, salt, leaf, height, statement_index } = before;
      expect(await receiptAt(caller, path)).toMatchObject({ statement, salt, leaf, height, statement_index });
    }
  };
  const refusals = (): Promise<[status: number, code: string | undefined][]> =>
    Promise.all(
      wanted.map(async ({ caller, path }) => {
        const { status, body } = await caller.get(path);
        return [status, body.error?.code];
      }),
    );
  const all = (status: number, code: string) => wanted.map(() => [status, code]);
  const files = (): Promise<ArchiveFile[]> => listArchive(app.config.journalArchive);
  /** The place of the row that a receipt is of. */
  const sequenceOf = ({ leaf }: Json): number => {
    const { first_sequence } = JSON.parse(Buffer.from(leaf, 'base64').toString());
    return first_sequence;
  };
  const fileOf = async (receipt: Json): Promise<string> => {
    const sequence = sequenceOf(receipt);
    return (await files()).find(({ lastSequence }) => lastSequence >= sequence)!.path;
  };

  it('are what they were before', async () => {
    const last = Math.max(...wanted.map(({ before }) => sequenceOf(before)));
    await eventually(async () => {
      // Only what comes before a later row can leave, once all who follow the journal have read it.
      await maker.place(limit('BTC-USD', 'sell', '99000', '0.01'));
      const rows = await onClient(app.config.databaseUrl!, async (client) => {
        await archiveJournal(client, { folder: app.config.journalArchive, ...SIZES });
        return client.query('SELECT 1 FROM journal WHERE first_sequence <= $1', [last]);
      });
      return rows.rowCount === 0;
    }, 'all of it is archived');
    expect((await files()).length).toBeGreaterThan(1);
    await expectReceipts();
    // Those in the table have theirs as well, and what never was has none.
    const order = await maker.place(limit('BTC-USD', 'sell', '98000', '0.01'));
    await receiptAt(maker, `/orders/${order.order_id}/receipt`);
    const theirs = await demo.get('/accounts/me/receipt?ledger_sequence=1');
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'not_found']);
  });

  it('come with answers that are asked for them', async () => {
    const path = wanted[1]!.path.replace(/\/receipt.*$/, '');
    const { headers, body } = await demo.send('GET', path, undefined, { prefer: 'receipt' });
    expect(headers.get('preference-applied')).toBe('receipt');
    expect(body.receipt.statement).toEqual(wanted[1]!.before.statement);
  });

  it('are given to those alone whose matter it is', async () => {
    const { path } = wanted[0]!;
    expect((await stranger.get(path)).status).toBe(401);
    expect((await maker.get(path)).body.error.code).toBe('order_not_found');
    const mine = await maker.get(`/accounts/me/receipt?ledger_sequence=${oldest}`);
    expect(mine.body.statement.account_id).toBe(wanted[2]!.before.statement.account_id);
    expect((await demo.get(`/accounts/me/receipt?ledger_sequence=${oldest}`)).status).toBe(404);
  });

  it('are not there without the folder, and are again with it', async () => {
    const { journalArchive: folder } = app.config;
    await rename(folder, `${folder}-away`);
    expect(await refusals()).toEqual(all(404, 'not_found'));
    await rename(`${folder}-away`, folder);
    await expectReceipts();
  });

  it('are not made of files that are not what was written', async () => {
    const [{ before, path, caller }] = wanted as [(typeof wanted)[number]];
    const file = await fileOf(before);
    const other = (await files()).find(({ path }) => path !== file)!.path;
    const [whole, others] = [await readFile(file), await readFile(other)];
    // The last number in the index, before the end of its member.
    const indexBegin = Number(whole.readBigUInt64LE(whole.length - 18));
    const damages: [what: string, damage: () => Promise<void>, status: number, code: string][] = [
      ['cut off', () => truncate(file, whole.length - 30), 404, 'not_found'],
      ['empty', () => truncate(file, 0), 404, 'not_found'],
      ['those of another file', () => writeFile(file, others), 503, 'temporarily_unavailable'],
      [
        'overwritten but for its index',
        () => writeFile(file, Buffer.from(whole).fill(7, 0, indexBegin)),
        503,
        'temporarily_unavailable',
      ],
    ];
    for (const [what, damage, status, code] of damages) {
      await damage();
      const answer = await caller.get(path);
      expect([what, answer.status, answer.body.error.code]).toEqual([what, status, code]);
      await writeFile(file, whole);
    }
    await expectReceipts();
  });

  it('are made for many who ask at once', async () => {
    const { path, before } = wanted[3]!;
    const answers = await Promise.all(Array.from({ length: 30 }, () => stranger.get(path)));
    for (const { status, body } of answers)
      if (status === 200) expect(body.statement).toEqual(before.statement);
      else expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    await expectReceipts();
  });
});
