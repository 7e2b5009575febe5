import { describe, expect, it } from 'vitest';
import { parseUtcTime } from './is-utc-time.js';

describe('parseUtcTime', () => {
  it.each([
    ['2026-11-01T12:00:00Z', Date.UTC(2026, 10, 1, 12)],
    ['2026-11-01T12:00:00.5Z', Date.UTC(2026, 10, 1, 12, 0, 0, 500)],
    ['2028-02-29T23:59:59.999Z', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
  ])('reads %s', (text, timeMs) => {
    expect(parseUtcTime(text)).toBe(timeMs);
  });

  it.each([
    '2026-02-31T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2026-13-01T00:00:00Z',
    '2026-11-01T24:00:01Z',
    '2026-11-01T12:00:00',
    '2026-11-01T12:00:00+01:00',
    '2026-11-01 12:00:00Z',
    '2026-11-01',
    '1793534400000',
    '',
  ])('refuses %j', (text) => {
    expect(parseUtcTime(text)).toBeUndefined();
  });
});
