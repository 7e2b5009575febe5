import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Floor, limit, openFloor, SPOT, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { handleFor } from '../../kit/turns/owner.js';
import { QUEUE_MAX } from '../sequencer/work-queue.js';
import { Followers } from './followers.js';

const ORDERS_PER_REQUEST = 50;

describe('the writer, while a follower is behind', () => {
  let database: TestDatabase;
  let core: TestCore;
  let followers: Followers;
  let floor: Floor;
  /** Since when the follower has taken up nothing; null while it takes up everything at once. */
  let stuckSinceMs: number | null = null;

  beforeEach(async () => {
    stuckSinceMs = null;
    database = await createTestDatabase();
    followers = new Followers();
    followers.add({
      name: 'slow',
      lagMs: () => (stuckSinceMs === null ? 0 : performance.now() - stuckSinceMs),
    });
    core = await TestCore.start(database.url, { followers });
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await core.stop();
    await database.drop();
  });

  const place = () =>
    core.submit(
      // Of two accounts, neither of which may have so many open orders alone.
      Array.from({ length: ORDERS_PER_REQUEST }, (_, i) =>
        limit(i % 2 ? floor.ann : floor.cat, 'buy', 100, 1),
      ),
    );
  /** Answers how many orders it has taken then, and the request that waits or is the last on its way. */
  const makeWriterRest = async (): Promise<{ placed: number; last: Promise<unknown> }> => {
    stuckSinceMs = performance.now();
    for (let placed = 0; ; placed += ORDERS_PER_REQUEST) {
      let isAnswered = false;
      const last = place().finally(() => (isAnswered = true));
      while (!isAnswered) {
        if (followers.holdWriter(core.sequencer.currentTerm!.sequence)) return { placed, last };
        if (performance.now() - stuckSinceMs > 5_000) throw new Error('the writer does not rest');
        await new Promise(setImmediate);
      }
      await last;
    }
  };
  const liveOrders = async (): Promise<number> => {
    const [row] = await core.query<{ live: number }>(
      `SELECT count(*)::int AS live FROM orders WHERE status = 'open'`,
    );
    return row!.live;
  };

  it('takes no orders, refuses those for which there is no room, and lets cancellations through', async () => {
    const { order } = await core.place(limit(floor.bob, 'sell', 20_000, 1));
    const { placed, last } = await makeWriterRest();
    expect(placed).toBeGreaterThan(100);

    const { epoch, sequence } = core.sequencer.currentTerm!;
    const waiting: Promise<unknown>[] = [last];
    while (core.sequencer.depth <= QUEUE_MAX - ORDERS_PER_REQUEST) waiting.push(place());
    await expect(place()).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      message: 'Too many commands wait already. Slow down.',
      retryAfterS: 1,
    });
    await handleFor({ owner: ['bob'] }, async () => {
      await core.run({ type: 'cancel_order', accountId: floor.bob, orderId: order.orderId });
      await core.run({ type: 'cancel_all_orders', accountId: floor.bob, marketId: SPOT });
    });
    expect(core.sequencer.depth).toBeGreaterThan(QUEUE_MAX - 2 * ORDERS_PER_REQUEST);
    // Two cancellations, and of the orders those at most that were on their way.
    expect(core.sequencer.currentTerm!.sequence - sequence).toBeLessThan(4 * ORDERS_PER_REQUEST + 10);

    stuckSinceMs = null;
    await Promise.all(waiting);
    expect(core.sequencer.currentTerm!.epoch).toBe(epoch);
    expect(await liveOrders()).toBe(placed + ORDERS_PER_REQUEST * waiting.length);
    expect(await core.verify()).toMatchObject({ ok: true });
  });

  it('waits no longer for one that does not come up at all', async () => {
    const { placed, last } = await makeWriterRest();
    await Promise.all([last, place()]);
    expect(performance.now() - stuckSinceMs!).toBeGreaterThan(5_000);
    await place();
    expect(await liveOrders()).toBe(placed + 3 * ORDERS_PER_REQUEST);
  });

  it('does what waits when it stops', async () => {
    const { placed, last } = await makeWriterRest();
    const waiting = place();
    await core.stop();
    expect(performance.now() - stuckSinceMs!).toBeLessThan(5_000);
    await Promise.all([last, waiting]);
    core = await TestCore.start(database.url);
    expect(await liveOrders()).toBe(placed + 2 * ORDERS_PER_REQUEST);
  });
});
