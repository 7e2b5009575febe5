import { describe, expect, it, vi } from 'vitest';
import {
  deposit,
  eventually,
  type Floor,
  limit,
  lockProjection,
  onClient,
  queryOnce,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { readEffects } from '../journal/journal-reader.js';
import { connectCore } from '../leadership/leadership.js';
import { cursorOf, ProjectionLate, Projector } from './projector.js';

describe('the projector', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );

  /** As the tables are at this moment, whatever is committed. */
  const stored = async (): Promise<number> => {
    const [row] = await queryOnce<{ count: string }>(database.url, 'SELECT count(*) FROM orders');
    return Number(row!.count);
  };
  const cursor = () => onClient(database.url, cursorOf);
  const term = () => core.sequencer.freshTerm();
  const place = (ticks = 100) => core.place(limit(floor.ann, 'buy', ticks, 1));
  const refuseOrders = () =>
    queryOnce(database.url, `ALTER TABLE orders ADD CONSTRAINT blocked CHECK (price_ticks <> 66) NOT VALID`);
  const allowOrders = () => queryOnce(database.url, 'ALTER TABLE orders DROP CONSTRAINT blocked');

  it('has the tables up with every commit that a reader may know of', async () => {
    for (let placed = 1; placed <= 20; placed++) {
      await place();
      await term().projected();
      expect(await stored()).toBe(placed);
    }
    expect(await cursor()).toBe(term().sequence);
  });

  it('brings them up by itself where nobody asks', async () => {
    await place();
    await eventually(async () => (await stored()) === 1, 'the order is in its table');
    // The server is done a moment before the projector knows.
    await eventually(() =>
      expect(term().projector).toMatchObject({ waitingRows: 0, lagMs: 0, failure: null }),
    );
  });

  it('writes an order that came, changed and went in one window as it was left', async () => {
    const { order } = await place();
    await core.place(limit(floor.bob, 'sell', 100, 1));
    const { order: other } = await core.place(limit(floor.ann, 'buy', 99, 4));
    await core.place(limit(floor.bob, 'sell', 99, 1));
    await core.run({ type: 'cancel_order', accountId: floor.ann, orderId: other.orderId });
    const rows = await core.query<{ status: string; filled_lots: string; side: string }>(
      'SELECT status, filled_lots, side FROM orders WHERE account_id = $1 AND order_id = ANY ($2) ORDER BY order_id',
      [floor.ann, [order.orderId, other.orderId]],
    );
    expect(rows).toEqual([
      { status: 'filled', filled_lots: '1', side: 'buy' },
      { status: 'cancelled', filled_lots: '1', side: 'buy' },
    ]);
  });

  it('writes what a later commit needs in its own transaction before it', async () => {
    const { order } = await place();
    const hold = {
      ownerKind: 'payout',
      ownerId: 'p',
      accountId: floor.ann,
      asset: 'USD',
      amount: '1',
    } as const;
    await core.run({ type: 'place_hold', ...hold });
    const rows = await queryOnce<{ isHeld: boolean }>(
      database.url,
      `SELECT b.held = o.held + 1e18 AS "isHeld" FROM orders o
       JOIN balances b ON b.account_id = o.account_id AND b.asset = 'USD' WHERE o.order_id = $1`,
      [order.orderId],
    );
    expect(rows).toEqual([{ isHeld: true }]);
  });

  it('reads a large commit as it was packed', async () => {
    await core.submit(Array.from({ length: 200 }, (_, index) => limit(floor.ann, 'buy', 1 + index, 1)));
    await core.submit(Array.from({ length: 200 }, (_, index) => limit(floor.bob, 'sell', 1 + index, 1)));
    const [sizes] = await core.query<{ commands: number; effects: number; text: string | null }>(
      `SELECT length(packed_commands) AS commands, length(effects) AS effects, commands AS text
       FROM journal ORDER BY last_sequence DESC LIMIT 1`,
    );
    expect(sizes!.text).toBeNull();
    expect(sizes!.commands).toBeLessThan(200 * 40);
    expect(sizes!.effects).toBeLessThan(200 * 200);
    expect(await stored()).toBe(400);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('finds a repeat whose key is in no table yet', async () => {
    await refuseOrders();
    const command = limit(floor.ann, 'buy', 66, 1, { clientOrderId: 'again' });
    const { order } = await core.place(command);
    expect(await core.submit([command])).toEqual([
      { ok: true, result: { type: 'order_reference', orderId: order.orderId } },
    ]);
    await allowOrders();
    await term().projected();
    expect(await stored()).toBe(1);
  });

  it('tells what keeps it, refuses readers in time, and goes on as soon as it can', async () => {
    await refuseOrders();
    await place(66);
    await place(67);
    await eventually(() => term().projector.failure !== null, 'the failure is told');
    expect(term().projector.failure).toContain('blocked');
    expect(term().projector.waitingRows).toBeGreaterThan(0);
    // Only the reader's own timer is made to run; the projector goes on by the real ones.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reading = term().projected();
    vi.advanceTimersByTime(4_999);
    vi.useRealTimers();
    expect(await Promise.race([reading, Promise.resolve('still waiting')])).toBe('still waiting');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const another = term().projected();
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    await expect(another).rejects.toBeInstanceOf(ProjectionLate);
    expect(await stored()).toBe(0);
    await allowOrders();
    await reading;
    await eventually(async () => (await stored()) === 2, 'the orders are in their table');
    await eventually(() => expect(term().projector.failure).toBeNull());
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it.each(['orders', 'trades', 'balances', 'core_projection'])(
    'goes on where it was once the disk has room again for %s',
    async (table) => {
      const trade = async (): Promise<void> => {
        await place();
        await core.place(limit(floor.bob, 'sell', 100, 1));
      };
      // The first trade opens the accounts of the house, which are written in its commit.
      await trade();
      await term().projected();
      const before = await cursor();
      await queryOnce(
        database.url,
        `CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';
         END $$;
         CREATE TRIGGER fill_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION fill_disk();`,
      );
      const { epoch } = term();
      for (let traded = 0; traded < 3; traded++) await trade();
      await eventually(() => term().projector.failure !== null, 'the failure is told');
      expect(term().projector.failure).toContain('could not extend file');
      // Nor is anything there that the others had room for.
      expect(await cursor()).toBe(before);
      expect(await stored()).toBe(2);

      await queryOnce(database.url, `DROP TRIGGER fill_disk ON ${table}; DROP FUNCTION fill_disk()`);
      await eventually(async () => (await stored()) === 8, 'the orders are in their table');
      expect(term().epoch).toBe(epoch);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    },
  );

  it('survives the loss of its connection', async () => {
    for (let round = 0; round < 5; round++) {
      await place();
      await queryOnce(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'tradepost-projector' AND datname = current_database()`,
      );
    }
    await place();
    await term().projected();
    expect(await stored()).toBe(6);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('leaves to the next leader what it could not write, which begins with it', async () => {
    await term().projected();
    await refuseOrders();
    const before = await cursor();
    const { order } = await place(66);
    await core.run(deposit(floor.bob, 'USD', '5'));
    const hash = core.stateHash();
    await eventually(() => term().projector.failure !== null, 'it is stuck');
    await core.stop();
    expect(await cursor()).toBe(before);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: hash });

    await allowOrders();
    core = await TestCore.start(database.url);
    expect(core.stateHash()).toBe(hash);
    expect(await cursor()).toBe(term().sequence);
    expect(term().view.book(SPOT, 1)!.bids).toEqual([[66, 1, 1]]);
    await core.run({ type: 'cancel_order', accountId: floor.ann, orderId: order.orderId });
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('lets orders go on up to a bound of rows that wait, and then refuses them in time', async () => {
    await core.stop();
    core = await TestCore.start(database.url, { waitingRowsMax: 100 });
    const { epoch, projector } = term();
    const held = await lockProjection(database.url);
    try {
      let placed = 0;
      const flood = async (): Promise<unknown> => {
        for (;;) {
          try {
            await place();
            placed++;
          } catch (error) {
            return error;
          }
        }
      };
      const refusals = await Promise.all([flood(), flood()]);
      for (const refusal of refusals)
        expect(refusal).toMatchObject({
          code: 'temporarily_unavailable',
          message: expect.stringContaining('waits to be written') as string,
          retryAfterS: 1,
        });
      expect(projector.waitingRows).toBeGreaterThanOrEqual(100);
      // An order has some three rows; no batch is larger than what one flood sends at a time.
      expect(placed).toBeGreaterThan(20);
      expect(await stored()).toBe(0);

      await held.release();
      await place();
      await term().projected();
      expect(await stored()).toBe(placed + 1);
    } finally {
      await held.release();
    }
    expect(term().epoch).toBe(epoch);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('writes nothing where another process has brought the tables further', async () => {
    const before = await cursor();
    await place();
    await place(101);
    await term().projected();
    const after = await cursor();
    const entries = await onClient(database.url, (client) => readEffects(client, before, 10));
    const rowsOf = () =>
      queryOnce(
        database.url,
        `SELECT o::text FROM orders o UNION ALL SELECT b::text FROM balances b ORDER BY 1`,
      );
    const rows = await rowsOf();

    // It was frozen with a window on its way, and wakes up.
    const log = { warn: () => undefined, error: () => undefined };
    const zombie = new Projector(() => connectCore(database.url, 'projector'), before, 0, log);
    try {
      const [{ effects, timeMs, firstSequence, lastSequence }] = entries as [(typeof entries)[number]];
      zombie.add({ effects: effects!, timeMs, firstSequence, lastSequence, stateParts: '{}' });
      await eventually(() => zombie.failure !== null, 'it fails');
      expect(zombie.failure).toContain('another process moves them');
    } finally {
      await zombie.end();
    }
    expect(await cursor()).toBe(after);
    expect(await rowsOf()).toEqual(rows);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('brings accounts back to memory as their last commit left them', async () => {
    await core.stop();
    core = await TestCore.start(database.url, { accountsInMemoryMax: 1 });
    for (let round = 0; round < 30; round++) {
      await Promise.all([
        core.run(deposit(floor.ann, 'USD', '1')),
        core.run(deposit(floor.bob, 'USD', '1')),
        core.run(deposit(floor.cat, 'USD', '1')),
      ]);
    }
    const balances = await core.query<{ available: string }>(
      `SELECT available FROM balances WHERE account_id = ANY ($1) AND asset = 'USD'`,
      [[floor.ann, floor.bob, floor.cat]],
    );
    expect(new Set(balances.map(({ available }) => available))).toEqual(
      new Set([`${1_000_030n * 10n ** 18n}`]),
    );
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });
});
