import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Floor,
  limit,
  openFloor,
  prolongLeases,
  queryOnce,
  TestCore,
} from '../../../test/support/core.js';
import { CuttingProxy } from '../../../test/support/cutting-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';

/** A commit whose answer is lost may be durable or not; no caller may get a wrong answer. */
describe('a commit whose answer is lost', () => {
  let database: TestDatabase;
  let proxy: CuttingProxy;
  let core: TestCore;
  let floor: Floor;
  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await CuttingProxy.open(database.url);
    core = await TestCore.start(proxy.url, { outcomeWaitMs: 500 });
    floor = await openFloor(core);
  });
  afterEach(async () => {
    proxy.reopen();
    await core.stop();
    await proxy.close();
    await database.drop();
  });

  /** Those that are durable, asked past the proxy. A batch here is one order, which takes the first number. */
  const orderIds = async (): Promise<{ order_id: string }[]> => {
    const rows = await queryOnce<{ first_sequence: string; commands: string }>(
      database.url,
      'SELECT first_sequence, commands FROM journal ORDER BY last_sequence',
    );
    return rows
      .filter(({ commands }) => commands.includes('place_order'))
      .map(({ first_sequence }) => ({ order_id: first_sequence }));
  };
  const proven = async (): Promise<void> => {
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  };

  it('is answered as what it was where it became durable', async () => {
    const committed: number[] = [];
    core.sequencer.onCommitted(({ orders }) => committed.push(...orders.map(({ orderId }) => orderId)));
    proxy.spoilNextCommit('lose the answer');
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    expect(proxy.mishaps).toBe(1);
    expect(await orderIds()).toEqual([{ order_id: `${order.orderId}` }]);
    expect(committed).toEqual([order.orderId]);
    await core.place(limit(floor.bob, 'sell', 100, 1));
    await proven();
  });

  it('is run again where it did not', async () => {
    proxy.spoilNextCommit('lose the request');
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    expect(proxy.mishaps).toBe(1);
    expect(await orderIds()).toEqual([{ order_id: `${order.orderId}` }]);
    await proven();
  });

  it('costs no lease to wait for, even where the server believes that the old connection lives', async () => {
    await prolongLeases(database.url);
    proxy.spoilNextCommit('lose the line');
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    expect(proxy.mishaps).toBe(1);
    expect(await orderIds()).toEqual([{ order_id: `${order.orderId}` }]);
    await proven();
  });

  it('is told as unknown while nobody can be asked, and a repeat finds the one order', async () => {
    proxy.spoilNextCommit('lose the answer');
    const order = limit(floor.ann, 'buy', 100, 1, { clientOrderId: 'unknown' });
    const placing = core.place(order);
    proxy.shut();
    await expect(placing).rejects.toMatchObject({ code: 'outcome_unknown', retryAfterS: 1 });
    expect(() => core.sequencer.freshTerm()).toThrow();
    const [stored] = await orderIds();
    proxy.reopen();
    const [repeat] = await core.submit([order]);
    expect(repeat).toEqual({
      ok: true,
      result: { type: 'order_reference', orderId: Number(stored!.order_id) },
    });
    expect(await orderIds()).toHaveLength(1);
    await proven();
  });

  it('may belong to a batch of several statements', async () => {
    const names: string[] = [];
    for (const moment of ['core-commit', 'COMMIT'] as const) {
      for (const mishap of ['lose the answer', 'lose the request', 'lose the line'] as const) {
        const name = `${mishap} of ${moment}`;
        names.push(name);
        proxy.spoilNextCommit(mishap, moment);
        await core.run({ type: 'create_account', kind: 'trading', name, owner: 'user:dee' });
      }
    }
    expect(proxy.mishaps).toBe(6);
    const accounts = await core.query<{ name: string }>(
      `SELECT name FROM accounts WHERE owner = 'user:dee' ORDER BY account_id`,
    );
    expect(accounts.map(({ name }) => name)).toEqual(names);
    await proven();
  });
});
