import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Clock } from '../clock.js';
import { AgreedTime } from './agreed-time.js';

const HOUR_MS = 3_600_000;

describe('the time of schedules', () => {
  afterEach(() => vi.restoreAllMocks());

  /** A database whose clock is ahead by what a test sets. */
  function beside(clock = new Clock()) {
    const realMs = Date.now.bind(Date);
    const database = { aheadMs: 0 };
    const query = () => Promise.resolve({ rows: [{ now_ms: realMs() + database.aheadMs }] });
    return { time: new AgreedTime(clock, { query } as never), database };
  }

  it('is not moved by the clock of the machine, which the process does not follow', async () => {
    const { time } = beside();
    const beforeMs = time.nowMs();
    const realMs = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => realMs() + 48 * HOUR_MS);
    expect(time.nowMs() - beforeMs).toBeLessThan(HOUR_MS);
    expect(await time.isAgreed()).toBe(true);
  });

  it.each([-HOUR_MS, HOUR_MS])('is in doubt where the database is ahead by %d ms', async (aheadMs) => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const log = vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const { time, database } = beside();
    expect(await time.isAgreed()).toBe(true);
    database.aheadMs = aheadMs;
    expect([await time.isAgreed(), await time.isAgreed()]).toEqual([false, false]);
    database.aheadMs = 1_000;
    expect([await time.isAgreed(), await time.isAgreed()]).toEqual([true, true]);
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
  });

  it('is in doubt where the process began while its own clock was wrong', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const realMs = Date.now.bind(Date);
    const wrong = vi.spyOn(Date, 'now').mockImplementation(() => realMs() + 48 * HOUR_MS);
    const clock = new Clock();
    wrong.mockRestore();
    const { time } = beside(clock);
    expect(await time.isAgreed()).toBe(false);
  });
});
