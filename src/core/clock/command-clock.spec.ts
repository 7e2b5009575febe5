import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually, type Floor, limit, TestCore } from '../../../test/support/core.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { Clock, CLOCK_STEP_MS_MAX } from '../../kit/clock.js';
import { CommandClock } from './command-clock.js';

const HOUR_MS = 3_600_000;

/** Both clocks in the test's hand: `pass` moves them together, `set` the wall clock alone. */
function takeClocks() {
  const now = Date.now.bind(Date);
  const monotonic = performance.now.bind(performance);
  let passedMs = 0;
  let setMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + passedMs + setMs);
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passedMs);
  return {
    pass: (ms: number) => (passedMs += ms),
    set: (ms: number) => (setMs += ms),
    trueMs: () => now() + passedMs,
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('CommandClock', () => {
  const near = (ms: number): [number, number] => [ms - 50, ms + 1_000];
  const expectNear = (actual: number, ms: number): void => {
    const [low, high] = near(ms);
    expect(actual).toBeGreaterThanOrEqual(low);
    expect(actual).toBeLessThanOrEqual(high);
  };

  it('is the wall clock, in whole milliseconds, with its small corrections', () => {
    const clocks = takeClocks();
    const clock = new Clock();
    const commands = new CommandClock(clock);
    clocks.pass(HOUR_MS);
    expectNear(commands.nowMs(0), clocks.trueMs());
    clocks.set(CLOCK_STEP_MS_MAX - 1_000);
    expectNear(commands.nowMs(0), clocks.trueMs() + CLOCK_STEP_MS_MAX - 1_000);
    expect(clock.hasStepped).toBe(false);
    expect(Number.isInteger(commands.nowMs(0.5))).toBe(true);
  });

  it.each([HOUR_MS, -HOUR_MS])('does not follow a step of %d ms, and comes back from it', (stepMs) => {
    const clocks = takeClocks();
    const clock = new Clock();
    const commands = new CommandClock(clock);
    clocks.set(stepMs);
    clocks.pass(60_000);
    expectNear(commands.nowMs(0), clocks.trueMs());
    expect(clock.hasStepped).toBe(true);
    expectNear(clock.driftMs, stepMs);
    clocks.set(-stepMs);
    expectNear(commands.nowMs(0), clocks.trueMs());
    expect(clock.hasStepped).toBe(false);
  });

  it('never goes back behind the state, nor stands still where that is ahead, nor keeps its lead', () => {
    const clocks = takeClocks();
    const clock = new Clock();
    const commands = new CommandClock(clock);
    const stateMs = clocks.trueMs() + HOUR_MS;
    expectNear(commands.nowMs(stateMs), stateMs);
    clocks.pass(HOUR_MS);
    expectNear(commands.nowMs(stateMs), stateMs + HOUR_MS / 2);
    clocks.pass(HOUR_MS);
    expectNear(commands.nowMs(stateMs), clocks.trueMs());
    clocks.pass(HOUR_MS);
    expectNear(commands.nowMs(stateMs), clocks.trueMs());
  });
});

describe('a core whose clock is set', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );
  afterEach(() => vi.restoreAllMocks());

  const lastCommitMs = async (): Promise<number> => {
    const [row] = await core.query<{ at: Date }>('SELECT max(committed_at) AS at FROM journal');
    return row!.at.getTime();
  };
  const place = (terms = {}) => core.place(limit(floor.ann, 'buy', 100, 1, terms));
  const hasEnded = async (orderId: number): Promise<boolean> => {
    const rows = await core.query(`SELECT 1 FROM orders WHERE order_id = $1 AND status = 'expired'`, [
      orderId,
    ]);
    return rows.length > 0;
  };

  it('forward does not take its state along, and expires nothing early', async () => {
    const { order } = await place({ timeInForce: 'GTD', expiresAtMs: Date.now() + HOUR_MS / 2 });
    const clocks = takeClocks();
    clocks.set(HOUR_MS);
    await place();
    expect(await lastCommitMs()).toBeLessThan(clocks.trueMs() + 1_000);
    await core.cutWriter();
    await place();
    expect(await lastCommitMs()).toBeLessThan(clocks.trueMs() + 1_000);
    expect(await hasEnded(order.orderId)).toBe(false);
    expect(core.log.some(({ message }) => message.includes('clock was set'))).toBe(true);
  });

  it('back lets nothing live longer', async () => {
    const { order } = await place({ timeInForce: 'GTD', expiresAtMs: Date.now() + 1_000 });
    takeClocks().set(-HOUR_MS);
    await eventually(() => hasEnded(order.orderId), 'the order expires');
  });

  it('back does not go on answering readers once its lease is in doubt', () => {
    const clocks = takeClocks();
    clocks.set(-HOUR_MS);
    expect(core.sequencer.freshTerm()).toBeDefined();
    clocks.pass(6_000);
    expect(() => core.sequencer.freshTerm()).toThrow();
  });

  it('goes on from a time that is far ahead, and still expires what is due', async () => {
    await core.stop();
    const clocks = takeClocks();
    clocks.set(24 * HOUR_MS);
    core = await TestCore.start(database.url);
    await place();
    const aheadMs = await lastCommitMs();
    expect(aheadMs).toBeGreaterThan(clocks.trueMs() + 23 * HOUR_MS);
    await core.stop();
    clocks.set(-24 * HOUR_MS);
    core = await TestCore.start(database.url);
    const { order } = await place({ timeInForce: 'GTD', expiresAtMs: aheadMs + 5_000 });
    expect(await lastCommitMs()).toBeGreaterThanOrEqual(aheadMs);
    expect(await hasEnded(order.orderId)).toBe(false);
    clocks.pass(10_000);
    await place();
    await eventually(() => hasEnded(order.orderId), 'the order expires');
    expect(await core.verify()).toMatchObject({ ok: true });
  });
});
