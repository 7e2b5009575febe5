import { describe, expect, it } from 'vitest';
import { MINUTE_MS, RollingWindow, WINDOW_MINUTES } from './rolling-window.js';

const START = Date.UTC(2026, 10, 1, 12, 0, 30);

describe('RollingWindow', () => {
  it('is empty before the first trade', () => {
    expect(new RollingWindow().summary(START)).toEqual({ volumeLots: 0n, highTicks: null, lowTicks: null });
  });

  it('sums the volume and keeps the range of what was traded', () => {
    const window = new RollingWindow();
    window.add(START, 100, 5);
    window.add(START + 1, 90, 1);
    window.add(START + 10 * MINUTE_MS, 120, 2);
    expect(window.summary(START + 11 * MINUTE_MS)).toEqual({ volumeLots: 8n, highTicks: 120, lowTicks: 90 });
  });

  it('forgets a minute once 1,439 others have begun after it', () => {
    const window = new RollingWindow();
    window.add(START, 500, 7);
    window.add(START + MINUTE_MS, 100, 1);
    const lastMinute = START + (WINDOW_MINUTES - 1) * MINUTE_MS;
    expect(window.summary(lastMinute).volumeLots).toBe(8n);
    expect(window.summary(lastMinute + MINUTE_MS)).toEqual({ volumeLots: 1n, highTicks: 100, lowTicks: 100 });
    expect(window.summary(lastMinute + 2 * MINUTE_MS).volumeLots).toBe(0n);
  });

  it('stays exact where the sum passes the safe integers', () => {
    const window = new RollingWindow();
    for (let i = 0; i < 3; i++) window.add(START, 1, Number.MAX_SAFE_INTEGER);
    expect(window.summary(START).volumeLots).toBe(3n * BigInt(Number.MAX_SAFE_INTEGER));
  });
});
