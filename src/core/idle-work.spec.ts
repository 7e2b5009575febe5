import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleWork } from './idle-work.js';

const LONG_MS = 1_000;

describe('work for quiet moments', () => {
  let isQuiet: boolean;
  let looks: number;
  const core = {
    get isQuiet() {
      looks++;
      return isQuiet;
    },
  };
  /** Other timers of the process are not its business. */
  const expectAsleep = async (): Promise<void> => {
    looks = 0;
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(looks).toBe(0);
  };
  let pieces: number;
  let work: IdleWork;
  beforeEach(() => {
    vi.useFakeTimers();
    isQuiet = true;
    looks = 0;
    pieces = 0;
    work = new IdleWork(core, () => Promise.resolve(--pieces > 0));
  });
  afterEach(() => {
    work.stop();
    vi.useRealTimers();
  });

  it('is done piece by piece until none is left', async () => {
    pieces = 3;
    work.request();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(pieces).toBe(0);
    await expectAsleep();
  });

  it('waits while the writer is busy', async () => {
    pieces = 1;
    isQuiet = false;
    work.request();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(pieces).toBe(1);
    isQuiet = true;
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(pieces).toBe(0);
  });

  it('does not take a moment between two commits for quiet, each time it is asked', async () => {
    pieces = 1;
    work.request();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    pieces = 1;
    work.request();
    for (let look = 0; look < 40; look++) {
      isQuiet = look % 2 === 0;
      await vi.advanceTimersByTimeAsync(25);
    }
    expect(pieces).toBe(1);
  });

  it('does what is asked for while the last piece is under way', async () => {
    const finish: ((isMoreLeft: boolean) => void)[] = [];
    work = new IdleWork(core, () => new Promise((resolve) => finish.push(resolve)));
    work.request();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(finish).toHaveLength(1);
    work.request();
    finish[0]!(false);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(finish).toHaveLength(2);
    finish[1]!(false);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    await expectAsleep();
  });

  it('begins nothing once it is stopped', async () => {
    pieces = 1;
    work.request();
    work.stop();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(pieces).toBe(1);
  });
});
