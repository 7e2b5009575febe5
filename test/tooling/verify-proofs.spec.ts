import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Proofs from '../../packages/verify/src/proofs.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { Caller, callerFor, type Json } from '../support/caller.js';
import { cutNow } from '../support/clients/liabilities-client.js';
import { limit } from '../support/clients/markets-client.js';
import { eventually } from '../support/eventually.js';

/** The built package, on what a service really answers. */
describe('tradepost-verify with receipts and heads', () => {
  let app: TestApp;
  let folder: string;
  let receipt: Json;
  let earlier: Json;
  let later: Json;
  let keys: Json;
  let consistency: Json;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-proofs-'));
    app = await startTestApp();
    const stranger = new Caller(app.url);
    const demo = await callerFor(app.url, 'demo');
    const head = async (): Promise<Json> => (await stranger.get('/journal/head')).body;
    const placed = await demo.place(limit('BTC-USD', 'buy', '100', '0.01'));
    receipt = (await demo.get(`/orders/${placed.order_id}/receipt`)).body;
    earlier = await head();
    await demo.delete(`/orders/${placed.order_id}`);
    later = await eventually(async () => {
      const next = await head();
      expect(next.height).toBeGreaterThan(earlier.height);
      return next;
    });
    keys = (await stranger.get('/journal/keys')).body;
    const sizes = `first=${earlier.tree_size}&second=${later.tree_size}`;
    consistency = (await stranger.get(`/journal/proofs/consistency?${sizes}`)).body;
    await write({ receipt, earlier, later, keys, consistency });
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = async (files: Record<string, Json>): Promise<void> => {
    for (const [name, value] of Object.entries(files))
      await writeFile(
        join(folder, `${name}.json`),
        typeof value === 'string' ? value : JSON.stringify(value),
      );
  };
  const verify = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [resolve('packages/verify/dist/cli.js'), ...args],
      { cwd: folder, encoding: 'utf8' },
    );
    return { status, said: stdout, warned: stderr };
  };

  it('proves a receipt, and says what of a forged one differs', async () => {
    const proven = verify('receipt', 'receipt.json', '--keys', 'keys.json');
    expect(proven).toMatchObject({ status: 0 });
    expect(proven.said).toContain(`row ${receipt.height} of the journal`);
    expect(proven.said).toContain('orders: {');
    const [change] = receipt.statement.changes;
    const forgedRow = { ...change, row: { ...change.row, filled_lots: 7 } };
    await write({ forged: { ...receipt, statement: { ...receipt.statement, changes: [forgedRow] } } });
    const forged = verify('receipt', 'forged.json', '--keys', 'keys.json');
    expect(forged).toMatchObject({ status: 1, said: 'Differs: the statement is not one that the row has\n' });
    await write({ strange: { data: [{ ...keys.data[0], key_id: 'f'.repeat(32) }] } });
    expect(verify('receipt', 'receipt.json', '--keys', 'strange.json')).toMatchObject({
      status: 1,
      said: expect.stringContaining('its id does not follow from the key') as string,
    });
  });

  it('proves heads, from the files that the service writes, too', async () => {
    expect(verify('head', 'earlier.json', 'later.json', '--keys', 'keys.json')).toMatchObject({
      status: 0,
      said: expect.stringContaining(`Verified: 2 signed heads up to row ${later.height}`) as string,
    });
    const written = join(app.config.dataDir, 'journal-heads');
    const files = (await readdir(written)).map((name) => join(written, name));
    expect(files.length).toBeGreaterThan(0);
    expect(verify('head', ...files, '--keys', 'keys.json')).toMatchObject({ status: 0 });
    await write({ changed: { ...later, sequence: later.sequence + 1 } });
    expect(verify('head', 'changed.json', '--keys', 'keys.json')).toMatchObject({ status: 1 });
  });

  it('proves that a later head goes on from an earlier one', async () => {
    const args = ['head', 'earlier.json', 'later.json', '--keys', 'keys.json', '--consistency'];
    expect(verify(...args, 'consistency.json')).toMatchObject({ status: 0 });
    await write({ other: { ...consistency, proof: [later.chain_hash] } });
    expect(verify(...args, 'other.json')).toMatchObject({ status: 1 });
  });

  it('does the same in browsers, by other primitives', async () => {
    const browser = (await import(
      /* @vite-ignore */ pathToFileURL(resolve('packages/verify/dist/browser.js')).href
    )) as typeof Proofs;
    expect(browser.verifyReceipt(receipt, keys)).toMatchObject({ ok: true, height: receipt.height });
    expect(browser.verifyReceipt({ ...receipt, salt: later.root_hash }, keys).ok).toBe(false);
    expect(browser.verifyConsistency(earlier, later, consistency, keys)).toMatchObject({ ok: true });
    const unsigned = { ...later, signature: earlier.signature };
    expect(browser.verifyHeads([unsigned], keys)).toMatchObject({ ok: false });
    for (const value of [null, 7, 'x', [], {}, { head: {} }]) {
      expect(browser.verifyReceipt(value, keys).ok).toBe(false);
      expect(browser.verifyReceipt(receipt, value).ok).toBe(false);
      expect(browser.verifyHeads([value], keys).ok).toBe(false);
      expect(browser.verifyConsistency(earlier, later, value, keys).ok).toBe(false);
    }
  });

  it('proves that a balance is part of what is owed', async () => {
    const operator = await callerFor(app.url, 'admin');
    const demo = await callerFor(app.url, 'demo');
    const report = await cutNow(operator);
    const proof = (await demo.get(`/accounts/me/proof?as_of=${report.as_of}`)).body;
    await write({ report, proof, less: { ...report, totals: report.totals.slice(1) } });
    const proven = verify('proof', 'proof.json', '--liabilities', 'report.json', '--keys', 'keys.json');
    expect(proven).toMatchObject({ status: 0 });
    expect(proven.said).toContain(`${(await demo.balance('USD')).total} USD`);
    const changed = verify('proof', 'proof.json', '--liabilities', 'less.json', '--keys', 'keys.json');
    expect(changed).toMatchObject({ status: 1, said: expect.stringContaining('signature') as string });
    expect(verify('proof', 'proof.json', '--keys', 'keys.json').warned).toContain('--liabilities REPORT');
  });

  it('replays the public journal of a service, and of files', async () => {
    const demo = await callerFor(app.url, 'demo');
    const maker = await callerFor(app.url, 'maker');
    await maker.place(limit('BTC-USD', 'sell', '102', '0.02'));
    const bought = await demo.place(limit('BTC-USD', 'buy', '102', '0.01'));
    // The head covers whatever has a receipt.
    expect((await demo.get(`/orders/${bought.order_id}/receipt`)).status).toBe(200);
    // The service lives in this process, so it must not wait for the command.
    const run = promisify(execFile);
    const command = [resolve('packages/verify/dist/cli.js'), 'public', app.url, '--keys', 'keys.json'];
    const live = await run(process.execPath, command, { cwd: folder });
    expect(live.stdout).toMatch(/^Verified: \d+ rows up to .* with [1-9]\d* trades .*\n\d+:[0-9a-f]{64}\n$/);

    const stranger = new Caller(app.url);
    const head = (await stranger.get('/journal/head')).body;
    const pages: Json[] = [];
    for (let from = 1; from <= head.height; from += 20)
      pages.push((await stranger.get(`/journal/public?limit=20&from=${from}`)).body);
    const rows = pages.flatMap(({ data }) => data).slice(0, head.height);
    const lines = (values: Json[]): string => values.map((value) => JSON.stringify(value)).join('\n');
    const traded = rows.findLast(({ public: part }) => part?.markets[0]?.trades.length > 0)!;
    const [market] = traded.public.markets;
    const cheaper = { ...market.trades[0], price_ticks: market.trades[0].price_ticks - 1 };
    const other = { ...traded, public: { markets: [{ ...market, trades: [cheaper] }] } };
    await write({
      head,
      pages: lines(pages.slice(0, -1).concat({ data: rows.slice((pages.length - 1) * 20) })),
      forged: lines(rows.map((row) => (row === traded ? other : row))),
      fewer: lines(rows.toSpliced(4, 1)),
    });
    const args = ['--head', 'head.json', '--keys', 'keys.json'];
    expect(verify('public', 'pages.json', ...args)).toMatchObject({ status: 0 });
    expect(verify('public', 'forged.json', ...args)).toMatchObject({
      status: 1,
      said: `Differs: the public part of row ${traded.leaf.height} is not the one that its leaf names\n`,
    });
    expect(verify('public', 'fewer.json', ...args)).toMatchObject({
      status: 1,
      said: 'Differs: row 5 is missing: the next one is 6\n',
    });
    expect(verify('public', 'pages.json', '--keys', 'keys.json').warned).toContain('--head HEAD');
    expect(verify('public', 'none.json', ...args)).toMatchObject({ status: 2 });

    const browser = (await import(
      /* @vite-ignore */ pathToFileURL(resolve('packages/verify/dist/browser.js')).href
    )) as typeof Proofs;
    const journal = new browser.PublicJournal();
    for (const row of rows) expect(journal.take(row)).toBeNull();
    expect(journal.verify(head, keys)).toMatchObject({ ok: true, publicStateHash: head.public_state_hash });
    expect(journal.verify(earlier, keys)).toMatchObject({ ok: false });
    for (const value of [null, 7, {}, { leaf: {} }, { leaf: rows[0].leaf, public: 7 }])
      expect(new browser.PublicJournal().take(value)).not.toBeNull();
  });

  it('says what it needs', async () => {
    await write({ none: '{' });
    expect(verify('receipt', 'receipt.json').warned).toContain('--keys KEYS');
    expect(verify('receipt', 'none.json', '--keys', 'keys.json')).toMatchObject({ status: 2 });
    expect(verify('receipt', 'nowhere.json', '--keys', 'keys.json')).toMatchObject({ status: 2 });
    expect(verify('nothing', 'receipt.json')).toMatchObject({ status: 2 });
  });
});
