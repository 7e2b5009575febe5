import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deposit,
  EVENT,
  eventually,
  limit,
  lockProjection,
  openFloor,
  prolongLeases,
  queryOnce,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { Command } from '../../domain/engine/commands.js';
import { connectCore, connectTo, disconnect, LEASE_MS, tryTakeOver, wasCommitted } from './leadership.js';
import { DamagedState } from '../state/state-rows.js';

const CUTS = 40;

describe('leadership', () => {
  let database: TestDatabase;
  const started: TestCore[] = [];
  const start = async (): Promise<TestCore> => {
    const core = new TestCore(database.url);
    started.push(core);
    await core.sequencer.start();
    return core;
  };
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const core of started.splice(0)) await core.stop();
    await database.drop();
  });

  it('belongs to one: a second process refuses at once and takes over without waiting', async () => {
    const first = await start();
    const floor = await openFloor(first);
    const second = await start();
    expect(() => second.sequencer.freshTerm()).toThrow(
      expect.objectContaining({ code: 'temporarily_unavailable' }) as Error,
    );
    await expect(second.place(limit(floor.ann, 'buy', 100, 1))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      retryAfterS: 1,
    });
    await first.place(limit(floor.ann, 'buy', 100, 1));
    const hash = first.stateHash();

    await prolongLeases(database.url);
    await first.stop();
    await eventually(() => second.sequencer.currentTerm !== null, 'the standby leads');
    expect(second.stateHash()).toBe(hash);
    await second.place(limit(floor.ann, 'buy', 100, 1));
    expect(await second.verify()).toMatchObject({ ok: true });
  });

  it('tells listeners where the journal stands, so that they notice what another process committed last', async () => {
    const first = await start();
    const floor = await openFloor(first);
    const second = await start();
    const told: number[] = [];
    second.sequencer.onCommitted(({ lastSequence }) => void told.push(lastSequence));
    await first.place(limit(floor.ann, 'buy', 100, 1));
    const { sequence } = first.sequencer.freshTerm();
    await prolongLeases(database.url);
    await first.stop();
    await eventually(() => second.sequencer.currentTerm !== null, 'the standby leads');
    expect(told).toEqual([sequence]);
  });

  it('is lost with the epoch: nothing of a fenced commit is written', async () => {
    const core = await start();
    const floor = await openFloor(core);
    const epoch = core.sequencer.freshTerm().epoch;
    await core.query('UPDATE core_leader SET epoch = epoch + 1');
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    // The commit under the old epoch wrote nothing; the request ran again in a term of its own.
    expect(core.sequencer.freshTerm().epoch).toBe(epoch + 2);
    expect(await core.query('SELECT order_id FROM orders')).toEqual([{ order_id: `${order.orderId}` }]);
    expect(await core.verify()).toMatchObject({ ok: true });
  });

  it('is asked about before an answer that needs no commit, once it has not been confirmed for a while', async () => {
    const core = await start();
    const floor = await openFloor(core);
    const term = core.sequencer.freshTerm();
    await core.query('UPDATE core_leader SET epoch = epoch + 1');
    term.confirmedAtMs -= 60_000;
    expect(() => core.sequencer.freshTerm()).toThrow();
    expect(await core.refusalOf(limit(floor.ann, 'buy', 100, 0))).toBe('size_out_of_range');
    expect(core.sequencer.currentTerm).not.toBe(term);
  });

  it('renews its lease also while requests come that write nothing', async () => {
    const core = await start();
    const floor = await openFloor(core);
    const term = core.sequencer.freshTerm();
    for (let round = 0; round < 3; round++) {
      term.confirmedAtMs -= LEASE_MS / 4;
      const { confirmedAtMs } = term;
      await core.sequencer.preview(limit(floor.ann, 'buy', 100, 1));
      expect(term.confirmedAtMs).toBeGreaterThan(confirmedAtMs);
    }
    expect(core.sequencer.currentTerm).toBe(term);
  });

  it('is taken from one whose lease has run out although its connection lives', async () => {
    const frozen = await connectCore(database.url, 'writer');
    expect(await tryTakeOver(frozen, 'frozen')).toMatchObject({ epoch: 1 });
    await queryOnce(
      database.url,
      `UPDATE core_leader SET lease_until = clock_timestamp() - interval '1 second'`,
    );
    const core = await start();
    await eventually(() => core.sequencer.currentTerm !== null, 'the standby leads');
    expect(core.sequencer.freshTerm().epoch).toBe(2);
    await expect(frozen.query('SELECT 1')).rejects.toThrow();
    await disconnect(frozen);
  });

  it('is not taken from one in the middle of a long commit, until that is done and it says no more', async () => {
    const leader = await connectCore(database.url, 'writer');
    const standby = await connectCore(database.url, 'writer');
    expect(await tryTakeOver(leader, 'busy')).toMatchObject({ epoch: 1 });
    await leader.query(`UPDATE core_leader SET lease_until = clock_timestamp() - interval '1 second'`);
    const held = await lockProjection(database.url);
    const committing = leader.query('SELECT 1 FROM core_projection FOR UPDATE');
    const isCommitting = async (): Promise<boolean> => {
      const { rowCount } = await standby.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    };
    await eventually(isCommitting, 'the commit is on its way');
    for (let tries = 0; tries < 3; tries++) expect(await tryTakeOver(standby, 'standby')).toBeNull();
    // It was at work all the time, and it still holds the lead.
    await held.release();
    await committing;
    await leader.query('SELECT 1');
    // From now on it is as silent as a process that was stopped.
    await eventually(async () => (await tryTakeOver(standby, 'standby')) !== null, 'the standby leads');
    await expect(leader.query('SELECT 1')).rejects.toThrow();
    await disconnect(leader);
    await disconnect(standby);
  });

  it('tells whether a commit whose answer was lost became durable, and closes its fence', async () => {
    const core = await start();
    await openFloor(core);
    const { epoch, sequence } = core.sequencer.freshTerm();
    expect(await wasCommitted(connectTo(database.url), epoch, sequence)).toBe(true);
    expect(await wasCommitted(connectTo(database.url), epoch, sequence + 1)).toBe(false);
    const [leader] = await core.query<{ epoch: string }>('SELECT epoch FROM core_leader');
    expect(leader!.epoch).toBe(`${epoch + 1}`);
  });

  it('is refused by a process that finds other orders than were committed', async () => {
    const first = await start();
    const floor = await openFloor(first);
    const { order } = await first.place(limit(floor.ann, 'buy', 100, 5));
    await first.stop();
    await first.query('UPDATE orders SET remaining_lots = 4 WHERE order_id = $1', [order.orderId]);
    await expect(start()).rejects.toThrow(DamagedState);
    await first.query('UPDATE orders SET remaining_lots = 5 WHERE order_id = $1', [order.orderId]);
    const mended = await start();
    expect(mended.sequencer.currentTerm).not.toBeNull();
  });

  /**
   * The same journal must lead to the same state whether the state was kept in memory all the time, as
   * in the replay, or loaded anew whenever the connection broke, as here.
   */
  it('loses and forgets nothing while its connection is cut dozens of times', async () => {
    const core = await start();
    const floor = await openFloor(core);
    const traders = [floor.ann, floor.bob, floor.cat];
    const random = seeded(20_261_121);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const live: { accountId: number; orderId: number }[] = [];
    const acknowledged = new Set<number>();

    const nextCommand = (): Command => {
      const kind = random();
      const target = live.length > 0 ? pick(live) : undefined;
      if (kind < 0.12 && target !== undefined) return { type: 'cancel_order', ...target };
      if (kind < 0.22 && target !== undefined) {
        return {
          type: 'amend_order',
          ...target,
          priceTicks: 40 + Math.floor(random() * 20),
          sizeLots: 1 + Math.floor(random() * 30),
        };
      }
      if (kind < 0.25) return deposit(pick(traders), 'USD', '1.25');
      if (kind < 0.27)
        return {
          type: 'set_market_status',
          marketId: pick([SPOT, EVENT]),
          status: 'halted',
          settlementValue: null,
        };
      if (kind < 0.33)
        return {
          type: 'set_market_status',
          marketId: pick([SPOT, EVENT]),
          status: 'open',
          settlementValue: null,
        };
      const orderType = pick(['limit', 'limit', 'limit', 'market', 'stop_limit', 'stop'] as const);
      const hasPrice = orderType === 'limit' || orderType === 'stop_limit';
      const timeInForce = hasPrice ? pick(['GTC', 'GTC', 'IOC', 'FOK', 'GTD'] as const) : 'IOC';
      return limit(
        pick(traders),
        pick(['buy', 'sell']),
        40 + Math.floor(random() * 20),
        1 + Math.floor(random() * 20),
        {
          marketId: pick([SPOT, EVENT]),
          orderType,
          timeInForce,
          ...(hasPrice ? {} : { priceTicks: null }),
          stopPriceTicks: orderType.startsWith('stop') ? 40 + Math.floor(random() * 20) : null,
          expiresAtMs: timeInForce === 'GTD' ? Date.now() + Math.floor(random() * 400) : null,
          postOnly: random() < 0.1 && timeInForce === 'GTC',
          reduceOnly: random() < 0.2,
          selfTradePrevention: pick(['cancel_newest', 'cancel_oldest', 'cancel_both', 'decrement']),
        },
      );
    };
    let cuts = 0;
    let answered = 0;
    const cutting = (async () => {
      while (cuts < CUTS) {
        // However slow the machine is, something must get done between two cuts.
        const before = answered;
        await eventually(() => answered > before, 'a request is answered after a cut');
        await delay(random() * 60);
        cuts += await core.cutWriter();
      }
    })();
    while (cuts < CUTS) {
      const commands = Array.from({ length: 6 }, nextCommand);
      await Promise.all(
        commands.map(async (command) => {
          const outcomes = await core.submit([command]).catch(() => undefined);
          if (outcomes !== undefined) answered++;
          for (const outcome of outcomes ?? []) {
            if (!outcome.ok || outcome.result.type !== 'order') continue;
            const { order } = outcome.result;
            acknowledged.add(order.orderId);
            live.push({ accountId: order.accountId, orderId: order.orderId });
          }
        }),
      );
    }
    await cutting;
    expect(acknowledged.size).toBeGreaterThan(CUTS);

    const stored = await core.query<{ order_id: string }>('SELECT order_id FROM orders');
    const ids = new Set(stored.map(({ order_id }) => Number(order_id)));
    expect([...acknowledged].filter((orderId) => !ids.has(orderId))).toEqual([]);
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});

/** Mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
