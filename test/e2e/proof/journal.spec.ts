import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProvenPublicJournal, PublicJournal } from '../../../packages/verify/src/proofs.js';
import { bytesOf, hashOf, hexOf } from '../../../src/domain/proof/bytes.js';
import {
  contradicts,
  faultOfHead,
  type JournalKey,
  knownKeysOf,
  type KnownKeys,
  type SignedJournalHead,
} from '../../../src/domain/proof/journal-head.js';
import { isConsistent, leafHash, rootByInclusion } from '../../../src/domain/proof/merkle-tree.js';
import type { JournalLeaf } from '../../../src/domain/proof/statement.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { queryOnce } from '../../support/core.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { ORDER_IDS } from '../../../src/modules/markets/names/ids.js';

/** Heads, keys and proofs as a stranger sees them: no credential, and nothing but the public routes. */
describe('the journal as anyone may check it', () => {
  let app: TestApp;
  let stranger: Caller;
  let demo: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startTestApp();
    stranger = new Caller(app.url);
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const head = async (): Promise<SignedJournalHead> => {
    const { status, body } = await stranger.get('/journal/head');
    expect(status).toBe(200);
    return body;
  };
  const keys = async (): Promise<KnownKeys> => {
    const known = knownKeysOf((await stranger.get('/journal/keys')).body.data as JournalKey[]);
    if (typeof known === 'string') throw new Error(known);
    return known;
  };
  /** The first signed head after an order of its own. */
  const headAfterOrder = async (): Promise<SignedJournalHead> => {
    const before = await eventually(head);
    await demo.place(limit('BTC-USD', 'buy', '100', '0.01'));
    return eventually(async () => {
      const next = await head();
      expect(next.height).toBeGreaterThan(before.height);
      return next;
    });
  };

  it('signs where it stands, a moment after each commit', async () => {
    const first = await headAfterOrder();
    const second = await headAfterOrder();
    const known = await keys();
    for (const each of [first, second]) {
      expect(faultOfHead(each, known)).toBeNull();
      expect(each.tree_size).toBe(each.height);
    }
    expect(second.sequence).toBeGreaterThan(first.sequence);
    expect(contradicts(first, second)).toBe(false);
    const check = (await operator.get('/admin/ledger/check')).body;
    expect(check.state_hash).toBe(second.state_hash);
    for (const changed of [
      { ...second, sequence: second.sequence + 1 },
      { ...second, state_hash: first.state_hash },
      { ...second, signature: first.signature },
    ])
      expect(faultOfHead(changed, known)).not.toBeNull();
    expect(contradicts(second, { ...second, root_hash: first.root_hash })).toBe(true);
  });

  it('asks for patience while commits wait for their first head', async () => {
    const query = (statement: string): Promise<unknown> => queryOnce(app.config.databaseUrl!, statement);
    const signed = await headAfterOrder();
    await query('CREATE TABLE kept_heads AS TABLE journal_heads');
    await query('DELETE FROM journal_heads');
    const { status, body, headers } = await stranger.get('/journal/head');
    await query('INSERT INTO journal_heads TABLE kept_heads');
    await query('DROP TABLE kept_heads');
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'temporarily_unavailable' });
    expect(headers.get('retry-after')).toBe('1');
    expect(await head()).toEqual(signed);
  });

  it('proves that it only grew, and each of its rows', async () => {
    const first = await headAfterOrder();
    const second = await headAfterOrder();
    const consistency = await stranger.get(
      `/journal/proofs/consistency?first=${first.tree_size}&second=${second.tree_size}`,
    );
    expect(consistency.status).toBe(200);
    const tree = (of: SignedJournalHead): { size: number; root: Uint8Array } => ({
      size: of.tree_size,
      root: hashOf(of.root_hash),
    });
    expect(isConsistent(tree(first), tree(second), consistency.body.proof.map(hashOf))).toBe(true);
    let previous: JournalLeaf | null = null;
    for (let height = 1; height <= second.height; height++) {
      const { body } = await stranger.get(
        `/journal/proofs/inclusion?height=${height}&tree_size=${second.tree_size}`,
      );
      const bytes = bytesOf(body.leaf);
      expect(hexOf(leafHash(bytes))).toBe(body.leaf_hash);
      const root = rootByInclusion(leafHash(bytes), height - 1, second.tree_size, body.proof.map(hashOf));
      expect(hexOf(root!)).toBe(second.root_hash);
      const leaf = JSON.parse(Buffer.from(bytes).toString()) as JournalLeaf;
      expect(leaf.height).toBe(height);
      expect(leaf.previous_hash).toBe(previous?.chain_hash ?? '0'.repeat(64));
      expect(leaf.first_sequence).toBe((previous?.last_sequence ?? 0) + 1);
      previous = leaf;
    }
    expect(previous).toMatchObject({
      chain_hash: second.chain_hash,
      state_hash: second.state_hash,
      last_sequence: second.sequence,
      time: second.time,
    });
  });

  it('lists its heads in pages', async () => {
    const last = await headAfterOrder();
    const all: SignedJournalHead[] = [];
    let cursor = '';
    do {
      const { body } = await stranger.get(`/journal/heads?limit=2${cursor}`);
      all.push(...body.data);
      cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
    } while (cursor !== '');
    expect(all.map(({ height }) => height)).toEqual(
      [...new Set(all.map(({ height }) => height))].sort((a, b) => a - b),
    );
    expect(all.at(-1)).toEqual(last);
    expect((await stranger.get(`/journal/heads?from=${last.height}`)).body.data).toEqual([last]);
    expect((await stranger.get(`/journal/heads?from=${last.height + 1}`)).body.data).toEqual([]);
  });

  it('lists its public part, which anyone can replay to what is signed', async () => {
    const maker = await callerFor(app.url, 'maker');
    await maker.place(limit('BTC-USD', 'sell', '101', '0.02'));
    const resting = await demo.place(limit('BTC-USD', 'buy', '90', '0.01'));
    await demo.place(limit('BTC-USD', 'buy', '101', '0.005'));
    const last = await headAfterOrder();
    const rows: Json[] = [];
    let cursor = '';
    do {
      const { status, body } = await stranger.get(`/journal/public?limit=3${cursor}`);
      expect(status).toBe(200);
      expect(body.data.length).toBeLessThanOrEqual(3);
      rows.push(...body.data);
      cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
    } while (cursor !== '');
    expect((await stranger.get(`/journal/public?from=${last.height}&limit=1`)).body.data).toEqual([
      rows[last.height - 1],
    ]);
    expect((await stranger.get(`/journal/public?from=${last.height + 1_000}`)).body).toEqual({
      data: [],
      next_cursor: null,
    });
    const journal = new PublicJournal();
    for (const row of rows.slice(0, last.height)) expect(journal.take(row)).toBeNull();
    const proven = journal.verify(last, (await stranger.get('/journal/keys')).body);
    expect(proven).toMatchObject({ ok: true, isWhole: true, publicStateHash: last.public_state_hash });
    expect((proven as ProvenPublicJournal).trades).toBeGreaterThan(0);
    // It is the book that everybody is shown.
    const { body: market } = await stranger.get('/markets/BTC-USD');
    const { body: book } = await stranger.get('/markets/BTC-USD/orderbook');
    for (const [side, levels] of [
      ['buy', book.bids],
      ['sell', book.asks],
    ] as const) {
      const sizes = new Map<string, number>();
      for (const order of journal.ordersOf('BTC-USD').filter((each) => each.side === side)) {
        const price = (order.price_ticks * Number(market.tick_size)).toFixed(8);
        sizes.set(price, (sizes.get(price) ?? 0) + order.size_lots * Number(market.lot_size));
      }
      expect([...sizes].map(([price, size]) => [price, size.toFixed(8)]).sort()).toEqual(
        (levels as Json[]).map(([price, size]) => [Number(price).toFixed(8), Number(size).toFixed(8)]).sort(),
      );
    }
    // The owner finds the own order there, under a name that tells nobody else who that is.
    const text = JSON.stringify(rows);
    const shown = rows
      .flatMap(({ public: part }) => part?.markets ?? [])
      .flatMap(({ orders }) => orders)
      .find(({ order_id }) => order_id === ORDER_IDS.parse(resting.order_id as string));
    expect(shown).toMatchObject({ side: 'buy', trader: expect.stringMatching(/^[0-9a-f]{16}$/) as string });
    for (const secret of ['account', 'user:', 'client:', 'demo']) expect(text).not.toContain(secret);
  });

  it('hands over to a new key, which the old one signs', async () => {
    expect((await demo.post('/admin/journal/keys', {})).status).toBe(403);
    expect((await stranger.post('/admin/journal/keys', {})).status).toBe(401);
    const before = (await stranger.get('/journal/keys')).body.data as JournalKey[];
    const { status, body: made } = await operator.post('/admin/journal/keys', {});
    expect(status).toBe(201);
    expect(made.previous_key_id).toBe(before.at(-1)!.key_id);
    const after = (await stranger.get('/journal/keys')).body.data as JournalKey[];
    expect(after).toEqual([...before, made]);
    const signed = await headAfterOrder();
    expect(signed.key_id).toBe(made.key_id);
    expect(faultOfHead(signed, await keys())).toBeNull();
    expect(knownKeysOf([...before, { ...made, handover_signature: made.own_signature }])).toMatch(
      /not signed/,
    );
    expect(knownKeysOf([made])).toMatch(/does not follow/);
    const [audited] = (await operator.get('/admin/audit?limit=1')).body.data;
    expect(audited.target).toEqual({ type: 'journal_key', id: made.key_id });
  });

  it('refuses what no tree has', async () => {
    const { height } = await head();
    for (const query of [
      'consistency',
      'consistency?first=0',
      'consistency?first=-1',
      'consistency?first=1e3',
      `consistency?first=2&second=1`,
      `consistency?first=1&second=${height + 1_000}`,
      'consistency?first=1&first=2',
      'inclusion',
      'inclusion?height=0',
      `inclusion?height=${height + 1_000}`,
      'inclusion?height=2&tree_size=1',
      `inclusion?height=1&tree_size=${Number.MAX_SAFE_INTEGER}`,
      'inclusion?height=9007199254740993',
    ]) {
      const { status, body } = await stranger.get(`/journal/proofs/${query}`);
      expect([query, status, body.error?.code]).toEqual([query, 400, 'validation_failed']);
    }
    for (const query of [
      'from=0',
      'from=1e3',
      'limit=0',
      'limit=201',
      'from=1&from=2',
      'from=9007199254740993',
    ])
      expect((await stranger.get(`/journal/public?${query}`)).body.error?.code).toBe('validation_failed');
    expect((await stranger.get('/journal/public?cursor=zzz')).body.error.code).toBe('invalid_cursor');
    expect((await stranger.get('/journal/heads?cursor=zzz')).body.error.code).toBe('invalid_cursor');
    expect((await stranger.get('/journal/heads?limit=100000')).status).toBe(400);
  });
});
