import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deposit,
  EVENT,
  eventually,
  type Floor,
  limit,
  marketTerms,
  openFloor,
  openTrader,
  queryOnce,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { CommitListeners, EVERYBODY } from '../view/commit-listeners.js';
import type { CommittedBatch } from '../view/views.js';
import { Replica } from './replica.js';

const silent = { warn: () => undefined, error: () => undefined };

const READERS = `application_name = 'tradepost-reader' AND datname = current_database()`;

describe('Replica', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let replica: Replica;
  let listeners: CommitListeners;
  let seen: CommittedBatch[] = [];
  let made: CommittedBatch[] = [];
  let leaderReaders: readonly number[];

  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    listeners = new CommitListeners((error) => {
      throw error;
    });
    listeners.add((batch) => void seen.push(batch), EVERYBODY);
    core.sequencer.onCommitted((batch) => void made.push(batch));
    leaderReaders = (
      await queryOnce<{ pid: number }>(database.url, `SELECT pid FROM pg_stat_activity WHERE ${READERS}`)
    ).map(({ pid }) => pid);
    replica = new Replica(database.url, listeners, silent);
    replica.start();
    await replica.current();
    seen = [];
    made = [];
  });

  afterEach(async () => {
    await replica.stop();
    await core.stop();
    await database.drop();
  });

  /** Readers of both processes see the same state, and both published the same. */
  async function expectSame(): Promise<void> {
    await replica.current();
    const { view: leading } = core.sequencer.freshTerm();
    const view = replica.view!;
    expect(replica.sequence).toBe(core.sequencer.freshTerm().sequence);
    expect(view.markets()).toEqual(leading.markets());
    expect([...view.assets].sort()).toEqual([...leading.assets].sort());
    for (const { definition } of leading.markets()) {
      expect(view.book(definition.marketId, 1_000)).toEqual(leading.book(definition.marketId, 1_000));
    }
    expect(seen.map(comparable)).toEqual(made.map(comparable));
  }

  /** Those of the replica alone: the leader would have to take the lead again. */
  const cutReaders = (): Promise<unknown> =>
    queryOnce(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE ${READERS} AND pid <> ALL ('{${leaderReaders.join()}}')`,
    );

  it('shows no view older than its caller where the journal cannot be read at first', async () => {
    const { ann } = floor;
    for (let round = 0; round < 10; round++) {
      await cutReaders();
      await core.place(limit(ann, 'buy', 900 + round, 1));
      await replica.currentOrTooOld(() => false);
      expect(replica.sequence).toBe(core.sequencer.currentTerm!.sequence);
    }
  });

  it('shows no view at all where the journal cannot be read for long', async () => {
    await database.drop();
    await replica.currentOrTooOld(() => false);
    expect(replica.view).toBeNull();
  });

  it('sees what the leader sees, and tells the same', async () => {
    const { ann, bob, cat } = floor;
    const first = await core.place(limit(ann, 'buy', 1_000, 50));
    await core.place(limit(bob, 'buy', 1_000, 30));
    await expectSame();
    await core.place(limit(cat, 'sell', 990, 60));
    await core.run({ type: 'cancel_order', accountId: bob, orderId: first.order.orderId + 1 });
    await core.place(limit(ann, 'buy', 999, 10, { orderType: 'stop_limit', stopPriceTicks: 1_010 }));
    await core.submit([limit(bob, 'sell', 1_005, 7), limit(cat, 'buy', 1_005, 20)]);
    await expectSame();
    await core.place(limit(ann, 'buy', 40, 5, { marketId: EVENT }));
    await core.place(limit(bob, 'sell', 40, 5, { marketId: EVENT }));
    await expectSame();
  });

  it('follows new assets, markets, accounts and settlements', async () => {
    const { ann, bob } = floor;
    const settle = (status: 'closed' | 'settled'): Promise<unknown> =>
      core.run({
        type: 'set_market_status',
        marketId: EVENT,
        status,
        settlementValue: status === 'settled' ? '1' : null,
      });
    await core.run({ type: 'create_asset', code: 'ETH', scale: 18 });
    await expectSame();
    await core.run(marketTerms({ marketId: 'ETH-USD', kind: 'spot', baseAsset: 'ETH' }));
    await expectSame();
    const dora = await openTrader(core, 'dora');
    await core.submit([deposit(dora, 'ETH', '5')]);
    await core.place(limit(dora, 'sell', 2_000, 10, { marketId: 'ETH-USD' }));
    await core.run({ type: 'set_account_frozen', accountId: dora, frozen: true });
    await core.place(limit(ann, 'buy', 60, 5, { marketId: EVENT }));
    await core.place(limit(bob, 'sell', 60, 5, { marketId: EVENT }));
    await expectSame();
    await settle('closed');
    await expectSame();
    await settle('settled');
    await eventually(
      () => core.sequencer.freshTerm().view.market(EVENT)!.status === 'settled',
      'everybody is paid',
    );
    await replica.current();
    expect(replica.view!.markets()).toEqual(core.sequencer.freshTerm().view.markets());
    expect(seen.flatMap(({ changedAccountIds }) => changedAccountIds)).toContain(dora);
    expect(seen.flatMap(({ marketIds }) => marketIds)).toEqual(expect.arrayContaining(['ETH-USD', EVENT]));
  });

  it('follows changed terms of markets, more than once', async () => {
    for (const title of ['Rain', 'More rain']) {
      await core.run({
        type: 'change_market',
        marketId: EVENT,
        title,
        priceMax: '0.9',
        makerFeeRate: '0.1',
        closesAtMs: null,
      });
      await core.place(limit(floor.ann, 'buy', 10, 1, { marketId: EVENT }));
      await expectSame();
      expect(replica.view!.market(EVENT)!.definition.title).toBe(title);
    }
  });

  it('goes on where it was after its connection was cut, and misses nothing', async () => {
    await core.place(limit(floor.ann, 'buy', 1_000, 50));
    await replica.current();
    await cutReaders();
    await core.place(limit(floor.bob, 'sell', 1_000, 20));
    await eventually(
      () =>
        replica
          .current()
          .then(() => true)
          .catch(() => false),
      'the replica follows again',
    );
    await expectSame();
  });

  it('reads all again where the journal does not have what it has applied', async () => {
    await core.place(limit(floor.ann, 'buy', 1_000, 50));
    await replica.current();
    const { generation } = replica;
    // As after the promotion of a standby that had another last entry.
    await queryOnce(
      database.url,
      `UPDATE journal SET hash = repeat('f', 64) WHERE last_sequence = ${replica.sequence}`,
    );
    await cutReaders();
    await eventually(() => replica.generation > generation, 'the view is loaded again');
  });

  it('answers many who ask at once with what was durable when they asked', async () => {
    const asked: Promise<void>[] = [];
    for (let i = 0; i < 20; i++) {
      await core.place(limit(floor.ann, 'buy', 900 + i, 1));
      const { sequence } = core.sequencer.freshTerm();
      asked.push(
        ...Array.from({ length: 10 }, async () => {
          await replica.current();
          expect(replica.sequence).toBeGreaterThanOrEqual(sequence);
        }),
      );
    }
    await Promise.all(asked);
    await expectSame();
  });
});

/** Orders and books are published as a commit left them, however many of its commands changed them. */
function comparable(batch: CommittedBatch): object {
  const { books, orders, balances, accountSequences, ...rest } = batch;
  const byId = (list: readonly object[]): string[] =>
    list
      .map((item) =>
        JSON.stringify(item, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
      )
      .sort();
  return {
    ...rest,
    marketsOfBooks: [...new Set(books.map(({ marketId }) => marketId))].sort(),
    orders: byId(orders),
    balances: byId(balances),
    accountSequences: [...accountSequences].sort(([a], [b]) => a - b),
  };
}
