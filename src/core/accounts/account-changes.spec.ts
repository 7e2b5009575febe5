import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deposit, type Floor, limit, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { CommittedBatch } from '../view/views.js';

interface Row {
  readonly account_id: string;
  readonly sequence: string;
  readonly ledger_sequence: string;
  readonly order_ids: string;
}

describe('the numbers of what commits change in accounts', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  const told: CommittedBatch[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    core.sequencer.onCommitted((batch) => told.push(batch));
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await expectNoGaps();
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  const changesOf = async (accountId: number): Promise<Row[]> =>
    core.query<Row & Record<string, unknown>>(
      'SELECT * FROM account_changes WHERE account_id = $1 ORDER BY sequence',
      [accountId],
    );

  async function expectNoGaps(): Promise<void> {
    const rows = await core.query<{ account_id: string; first: string; last: string; count: string }>(
      'SELECT account_id, min(sequence) AS first, max(sequence) AS last, count(*) FROM account_changes GROUP BY 1',
    );
    for (const { first, last, count } of rows) expect([first, count]).toEqual(['1', last]);
  }

  it('count each commit once, with the orders that it changed, on both sides of a trade', async () => {
    const { order: resting } = await core.place(limit(floor.ann, 'sell', 10_000, 5));
    const { order: taking } = await core.place(limit(floor.bob, 'buy', 10_000, 3));
    const [ann, bob] = [(await changesOf(floor.ann)).at(-1)!, (await changesOf(floor.bob)).at(-1)!];
    expect([ann.order_ids, bob.order_ids]).toEqual([String(resting.orderId), String(taking.orderId)]);
    expect(ann.ledger_sequence).toBe(bob.ledger_sequence);
    expect(told.at(-1)!.accountSequences).toEqual(
      new Map([
        [floor.bob, Number(bob.sequence)],
        [floor.ann, Number(ann.sequence)],
      ]),
    );
    expect(told.at(-1)!.balances.map(({ accountId }) => accountId)).toContain(floor.ann);
  });

  it('leave out what was refused, and accounts of the house', async () => {
    const before = await changesOf(floor.ann);
    expect(await core.refusalOf(limit(floor.ann, 'buy', 10_000, 90_000_000))).toBeDefined();
    expect(await changesOf(floor.ann)).toEqual(before);
    const owners = await core.query<{ owner: string | null }>(
      'SELECT DISTINCT owner FROM accounts JOIN account_changes USING (account_id)',
    );
    expect(owners.map(({ owner }) => owner).sort()).toEqual(['user:ann', 'user:bob', 'user:cat']);
  });

  it('go on without gaps when a commit fails, and after a restart', async () => {
    const last = async (): Promise<number> => Number((await changesOf(floor.cat)).at(-1)!.sequence);
    const before = await last();
    const deposits = 40;
    await Promise.all(
      Array.from({ length: deposits }, async (_, i) => {
        if (i % 10 === 5) await core.cutWriter();
        await core.run(deposit(floor.cat, 'USD', '1'));
      }),
    );
    const afterCuts = await last();
    expect(afterCuts).toBeGreaterThan(before);
    await core.stop();
    core = await TestCore.start(database.url);
    await core.run(deposit(floor.cat, 'USD', '1'));
    expect(await last()).toBe(afterCuts + 1);
  });
});
