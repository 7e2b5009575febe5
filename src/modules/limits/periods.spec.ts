import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMIT_PERIODS, periodAt } from './periods.js';

const at = (text: string): number => Date.parse(text);
const MOMENTS = fc.integer({ min: 0, max: at('2200-01-01T00:00:00Z') });

describe('periodAt', () => {
  it('begins weeks on Monday and months on the first, in UTC', () => {
    const sunday = at('2027-02-28T23:59:59.999Z');
    expect(periodAt('day', sunday)).toEqual({
      startMs: at('2027-02-28T00:00:00Z'),
      endMs: at('2027-03-01T00:00:00Z'),
    });
    expect(periodAt('week', sunday)).toEqual({
      startMs: at('2027-02-22T00:00:00Z'),
      endMs: at('2027-03-01T00:00:00Z'),
    });
    expect(periodAt('month', sunday)).toEqual({
      startMs: at('2027-02-01T00:00:00Z'),
      endMs: at('2027-03-01T00:00:00Z'),
    });
    expect(periodAt('week', sunday + 1).startMs).toBe(at('2027-03-01T00:00:00Z'));
  });

  it('leaves no moment out and none in two periods', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LIMIT_PERIODS), MOMENTS, (period, timeMs) => {
        const { startMs, endMs } = periodAt(period, timeMs);
        expect(startMs).toBeLessThanOrEqual(timeMs);
        expect(endMs).toBeGreaterThan(timeMs);
        expect(periodAt(period, startMs)).toEqual({ startMs, endMs });
        expect(periodAt(period, endMs - 1)).toEqual({ startMs, endMs });
        expect(periodAt(period, endMs).startMs).toBe(endMs);
      }),
    );
  });
});
