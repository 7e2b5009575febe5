import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT, eventually, type Floor, limit, openFloor, SPOT, TestCore } from '../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Engine } from '../domain/engine/engine.js';

/** One request that the database or the engine cannot digest must not take others down with it. */
describe('a request that fails by itself', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await core.stop();
    await database.drop();
  });

  /** Undefined while the state is loaded again. */
  const marketStatus = (marketId: string) => core.sequencer.currentTerm?.view.market(marketId)!.status;
  const faults = () => [...core.sequencer.faults];
  const reopen = () =>
    core.run({ type: 'set_market_status', marketId: SPOT, status: 'open', settlementValue: null });

  /** Makes the database refuse one order, whatever becomes of it. */
  const refuseInDatabase = (condition: string) =>
    core.query(`ALTER TABLE orders ADD CONSTRAINT poison CHECK (NOT (${condition})) NOT VALID`);
  const poison = limit(0, 'buy', 66_600, 1, { clientOrderId: 'poison' });

  it('fails alone: its neighbours in the batch succeed, its market halts and says why', async () => {
    await refuseInDatabase(`client_order_id = 'poison'`);
    const results = await Promise.allSettled([
      core.place(limit(floor.ann, 'buy', 100, 1)),
      core.place({ ...poison, accountId: floor.bob }),
      core.place(limit(floor.cat, 'buy', 100, 1)),
      core.place(limit(floor.ann, 'buy', 50, 1, { marketId: EVENT })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'internal_error' } });
    // It came after the poison, and so it meets a market that has been halted.
    expect(results[2]).toMatchObject({
      reason: { message: expect.stringContaining('market_not_open') as string },
    });
    expect(marketStatus(SPOT)).toBe('halted');
    expect(marketStatus(EVENT)).toBe('open');
    expect(faults()).toEqual([[SPOT, expect.stringContaining('poison') as string]]);
    expect(await core.query(`SELECT 1 FROM orders WHERE client_order_id = 'poison'`)).toEqual([]);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('is told again when it comes again after the market was reopened', async () => {
    await refuseInDatabase(`client_order_id = 'poison'`);
    const send = () => core.place({ ...poison, accountId: floor.bob });
    for (let time = 0; time < 2; time++) {
      await expect(send()).rejects.toMatchObject({ code: 'internal_error' });
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      expect(faults()).toHaveLength(1);
      await reopen();
      expect(faults()).toEqual([]);
    }
    await core.query('ALTER TABLE orders DROP CONSTRAINT poison');
    await send();
  });

  it('halts the market of an order that cannot be cancelled', async () => {
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    await refuseInDatabase(`status = 'cancelled'`);
    const cancel = { type: 'cancel_order', accountId: floor.ann, orderId: order.orderId } as const;
    await expect(core.run(cancel)).rejects.toMatchObject({ code: 'internal_error' });
    await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
    expect(core.sequencer.freshTerm().view.book(SPOT, 1)!.bids).toEqual([[100, 1, 1]]);
  });

  it('may as well be one on which the engine throws', async () => {
    const apply = Engine.prototype.apply;
    Engine.prototype.apply = function (this: Engine, command) {
      // Only after it has been applied: the state that is thrown away must really be ahead of the truth.
      const outcome = apply.call(this, command);
      if (command.type === 'place_order' && command.clientOrderId === 'poison')
        throw new Error('a fault of the engine');
      return outcome;
    };
    try {
      const results = await Promise.allSettled([
        core.place(limit(floor.ann, 'buy', 100, 1)),
        core.place({ ...poison, accountId: floor.bob }),
        core.place(limit(floor.ann, 'buy', 50, 1, { marketId: EVENT })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      expect(core.sequencer.freshTerm().view.book(SPOT, 5)!.bids).toEqual([[100, 1, 1]]);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    } finally {
      Engine.prototype.apply = apply;
    }
  });

  it('may be what time calls for: requests go on, and it is tried again', async () => {
    await refuseInDatabase(`status = 'expired'`);
    const expiresAtMs = Date.now() + 300;
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1, { timeInForce: 'GTD', expiresAtMs }));
    await eventually(() => faults().length === 1, 'the fault is told');
    expect(faults()).toEqual([[SPOT, expect.stringContaining('due') as string]]);
    const others = await Promise.all([1, 2, 3].map((ticks) => core.place(limit(floor.bob, 'buy', ticks, 1))));
    expect(others.map((other) => other.order.status)).toEqual(['open', 'open', 'open']);
    expect(await core.verify()).toMatchObject({ ok: true });

    await core.query('ALTER TABLE orders DROP CONSTRAINT poison');
    await core.stop();
    core = await TestCore.start(database.url);
    await eventually(async () => {
      const [row] = await core.query<{ status: string }>('SELECT status FROM orders WHERE order_id = $1', [
        order.orderId,
      ]);
      return row!.status === 'expired';
    }, 'the order expires');
  });

  it('may be due in the very batch of innocent requests', async () => {
    await refuseInDatabase(`status = 'expired'`);
    const expiresAtMs = Date.now() + 250;
    await core.place(limit(floor.ann, 'buy', 100, 1, { timeInForce: 'GTD', expiresAtMs }));
    // Orders without a pause, so that the time comes while one of them is on its way.
    let placed = 0;
    while (Date.now() < expiresAtMs + 600) {
      await core.place(limit(floor.bob, 'buy', 1 + (placed % 50), 1));
      placed++;
    }
    expect(marketStatus(SPOT)).toBe('open');
    expect(placed).toBeGreaterThan(3);
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});
