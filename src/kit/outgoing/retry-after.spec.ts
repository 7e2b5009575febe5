import { describe, expect, it } from 'vitest';
import { readRetryAfter, retryAfterRemark } from './retry-after.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['100000000000', 100_000_000_000_000],
    ['Sat, 21 Nov 2026 13:00:00 GMT', 3_600_000],
    ['Saturday, 21-Nov-26 13:00:00 GMT', 3_600_000],
    ['Sat, 21 Nov 2020 13:00:00 GMT', 0],
  ])('is read: %s', (text, pauseMs) => {
    expect(readRetryAfter(text, NOW)).toBe(pauseMs);
    expect(retryAfterRemark(text, NOW)).toBeNull();
  });

  it.each(['', 'soon', '1.5', '30 seconds', '-5', '2026-11-21', 'Sat, 99 Nov 2026 13:00:00 GMT'])(
    'is said to be not understood: %j',
    (text) => {
      expect(readRetryAfter(text, NOW)).toBeUndefined();
      expect(retryAfterRemark(text, NOW)).toBe(`Its Retry-After is not understood: "${text}".`);
    },
  );
});
