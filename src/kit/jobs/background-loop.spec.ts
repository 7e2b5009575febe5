import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BackgroundLoop } from './background-loop.js';
import { eventually } from '../../../test/support/eventually.js';

const NEVER_MS = 3_600_000;

describe('BackgroundLoop', () => {
  const begun: BackgroundLoop[] = [];
  afterEach(async () => {
    for (const loop of begun.splice(0)) await loop.end();
    vi.restoreAllMocks();
  });

  async function begin(work: () => Promise<boolean>, everyMs = NEVER_MS): Promise<BackgroundLoop> {
    const loop = new BackgroundLoop({ name: 'Test', everyMs }, work);
    begun.push(loop);
    await loop.begin();
    return loop;
  }

  it('begins at once, and goes on for as long as there is more', async () => {
    let left = 5;
    await begin(() => Promise.resolve(--left > 0));
    await eventually(() => expect(left).toBe(0));
  });

  it('runs again after a while, also after a failure', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const work = vi.fn(() => Promise.resolve(false)).mockRejectedValueOnce(new Error('once'));
    await begin(work, 5);
    await eventually(() => expect(work.mock.calls.length).toBeGreaterThan(2));
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('never does two runs at a time, and misses no request that comes during one', async () => {
    let running = 0;
    let seen = 0;
    let asked = 0;
    const loop = await begin(async () => {
      expect(++running).toBe(1);
      const known = asked;
      await delay(2);
      seen = known;
      running--;
      return false;
    });
    for (let i = 0; i < 50; i++) {
      asked++;
      loop.request();
      await delay(Math.random() * 3);
    }
    await eventually(() => expect(seen).toBe(asked));
  });

  it('gathers requests from the first one on, whether it comes before, during or after a run', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    const beganMs: number[] = [];
    let runMs = 50;
    const work = async (): Promise<boolean> => {
      beganMs.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, runMs));
      return false;
    };
    const loop = new BackgroundLoop(
      { name: 'Test', everyMs: NEVER_MS, gatherMs: 200, isFirstLater: true },
      work,
    );
    await loop.begin();
    const asking = setInterval(() => loop.request(), 10);
    try {
      const startedMs = performance.now();
      await vi.advanceTimersByTimeAsync(1_100);
      expect(beganMs.map((ms) => ms - startedMs)).toEqual([210, 410, 610, 810, 1_010]);
      // A run that takes longer than requests may wait is followed by the next one at once.
      runMs = 1_000;
      await vi.advanceTimersByTimeAsync(4_000);
      const betweenMs = beganMs.slice(-3).map((ms, i, all) => ms - (all[i - 1] ?? ms));
      expect(betweenMs).toEqual([0, 1_001, 1_001]);
    } finally {
      clearInterval(asking);
      const ended = loop.end();
      await vi.advanceTimersByTimeAsync(2_000);
      await ended;
      vi.useRealTimers();
    }
  });

  it('ends with the run that is going on', async () => {
    let hasEnded = false;
    const loop = await begin(async () => {
      await delay(20);
      hasEnded = true;
      return true;
    });
    await loop.end();
    expect(hasEnded).toBe(true);
    loop.request();
  });

  it('leaves runs out while this process does not lead', async () => {
    let leads = false;
    const work = vi.fn(() => Promise.resolve(false));
    const loop = new BackgroundLoop({ name: 'Test', everyMs: 5, leads: () => leads }, work);
    begun.push(loop);
    await loop.begin();
    await delay(30);
    expect(work).not.toHaveBeenCalled();
    leads = true;
    await vi.waitFor(() => expect(work).toHaveBeenCalled(), 30_000);
    leads = false;
    const { length } = work.mock.calls;
    await delay(30);
    expect(work.mock.calls.length).toBeLessThanOrEqual(length + 1);
  });

  it('says which run is the first', async () => {
    const first: boolean[] = [];
    let asked = 0;
    const loop = new BackgroundLoop({ name: 'Test', everyMs: 5, leads: () => ++asked > 3 }, ({ isFirst }) => {
      first.push(isFirst);
      return Promise.resolve(false);
    });
    begun.push(loop);
    await loop.begin();
    await vi.waitFor(() => expect(first.length).toBeGreaterThan(2), 30_000);
    expect(first.slice(0, 3)).toEqual([true, false, false]);
  });

  it('may begin later, and end before', async () => {
    const work = vi.fn(() => Promise.resolve(false));
    const loop = new BackgroundLoop({ name: 'Test', everyMs: NEVER_MS, isFirstLater: true }, work);
    await loop.begin();
    await loop.end();
    expect(work).not.toHaveBeenCalled();
    await loop.begin();
    begun.push(loop);
    loop.request();
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(1), 30_000);
  });

  it('signals a run that the loop is to end', async () => {
    let hasHeard = false;
    const loop = new BackgroundLoop({ name: 'Test', everyMs: NEVER_MS }, async ({ signal }) => {
      await delay(NEVER_MS, undefined, { signal }).catch(() => (hasHeard = true));
      return true;
    });
    await loop.begin();
    await loop.end();
    expect(hasHeard).toBe(true);
  });

  it('begins anew, one run at a time, where it has begun already', async () => {
    let running = 0;
    const first: boolean[] = [];
    const loop = await begin(async () => {
      expect(++running).toBe(1);
      first.push(true);
      await delay(5);
      running--;
      return false;
    });
    await loop.begin();
    await vi.waitFor(() => expect(first).toHaveLength(2), 30_000);
  });

  it('can begin again', async () => {
    const work = vi.fn(() => Promise.resolve(false));
    const loop = await begin(work);
    await eventually(() => expect(work).toHaveBeenCalledTimes(1));
    await loop.end();
    await loop.begin();
    await eventually(() => expect(work).toHaveBeenCalledTimes(2));
  });
});
