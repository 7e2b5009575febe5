import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Floor, limit, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { liveOrdersCapacity, ordersAddedBy } from './capacity.js';

const MIB = 1024 * 1024;

describe('a process with little memory', () => {
  it('takes fewer orders than would end it, and at least some', () => {
    expect(liveOrdersCapacity(384 * MIB)).toBe(89_478);
    expect(liveOrdersCapacity(4_096 * MIB)).toBe(2_684_354);
    expect(liveOrdersCapacity(64 * MIB)).toBe(10_000);
  });
});

describe('a leader whose memory has room for two orders', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;

  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url, { liveOrdersMax: 2 });
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await core.stop();
    await database.drop();
  });

  it('refuses new orders, and takes what ends at once, what takes the place of another, and cancellations', async () => {
    const first = await core.place(limit(floor.ann, 'buy', 100, 1));
    await core.place(limit(floor.bob, 'buy', 101, 1));
    const another = limit(floor.ann, 'buy', 102, 1);
    const full = { code: 'capacity', retryAfterS: 60 };
    await expect(core.submit([another])).rejects.toMatchObject(full);
    await expect(core.submit([another])).rejects.toBeInstanceOf(ServiceFailure);
    // A request is taken whole, or not at all.
    await core.run({ type: 'cancel_order', accountId: floor.ann, orderId: first.order.orderId });
    await expect(core.submit([another, another])).rejects.toMatchObject(full);
    const [taken, ended] = await core.submit([
      another,
      limit(floor.ann, 'sell', 200, 1, { timeInForce: 'IOC' }),
    ]);
    expect([taken, ended].map((outcome) => outcome!.ok)).toEqual([true, true]);
    await expect(core.submit([another])).rejects.toMatchObject(full);
    await core.run({ type: 'cancel_all_orders', accountId: floor.bob, marketId: null });
    await core.place(another);
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});

describe('what a command may add to the live orders', () => {
  const order = limit(1, 'buy', 100, 1);

  it('is one for an order that may rest or wait, and none for one that ends at once', () => {
    expect(ordersAddedBy([order, { ...order, timeInForce: 'GTD' }])).toBe(2);
    expect(ordersAddedBy([{ ...order, orderType: 'stop', timeInForce: 'IOC', priceTicks: null }])).toBe(1);
    expect(
      ordersAddedBy([
        { ...order, timeInForce: 'IOC' },
        { ...order, timeInForce: 'FOK' },
      ]),
    ).toBe(0);
    expect(ordersAddedBy([{ ...order, orderType: 'market', priceTicks: null }])).toBe(0);
  });

  it('is every order of a list, and every side of a mass quote', () => {
    const part = { side: 'sell', orderType: 'limit' } as never;
    const list = { type: 'place_order_list', exits: [part, part] } as never as { entry: unknown };
    expect(ordersAddedBy([{ ...list, entry: null } as never, { ...list, entry: part } as never])).toBe(5);
    const terms = { priceTicks: 1, sizeLots: 1 };
    const quotes = [
      { marketId: 'A', bid: terms, ask: terms },
      { marketId: 'B', bid: null, ask: terms },
    ];
    expect(ordersAddedBy([{ type: 'mass_quote', quotes } as never])).toBe(3);
    expect(ordersAddedBy([{ type: 'cancel_order', accountId: 1, orderId: 1 }])).toBe(0);
  });
});
