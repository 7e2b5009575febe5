import { describe, expect, it } from 'vitest';
import { nextPollAt, type FeedPace } from './feed-schedule.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');

const minutesUntil = (failures: number, pace: FeedPace = {}, random = 0): number =>
  (nextPollAt(NOW, failures, pace, () => random).getTime() - NOW.getTime()) / 60_000;

describe('nextPollAt', () => {
  it('comes after ten minutes, or within the hour where the feed says so', () => {
    expect(minutesUntil(0)).toBe(10);
    expect(minutesUntil(0, { ttlMinutes: 5 })).toBe(10);
    expect(minutesUntil(0, { ttlMinutes: 30 })).toBe(30);
    expect(minutesUntil(0, { ttlMinutes: 1_440 })).toBe(60);
    expect(minutesUntil(0, { ttlMinutes: NaN })).toBe(10);
    expect(minutesUntil(0, { cacheControl: 'public, max-age=1200' })).toBe(20);
    expect(minutesUntil(0, { cacheControl: 's-maxage=1200' })).toBe(10);
    expect(minutesUntil(0, { cacheControl: 'no-store', ttlMinutes: 15 })).toBe(15);
  });

  it('backs off while polls fail, up to a day', () => {
    expect([1, 2, 3, 4].map((failures) => minutesUntil(failures))).toEqual([10, 20, 40, 80]);
    expect(minutesUntil(9)).toBe(24 * 60);
    expect(minutesUntil(5_000)).toBe(24 * 60);
  });

  it('waits as long as the host asks for', () => {
    expect(minutesUntil(1, { retryAfter: '3600' })).toBe(60);
    expect(minutesUntil(1, { retryAfter: '60' })).toBe(10);
    expect(minutesUntil(1, { retryAfter: 'Sat, 21 Nov 2026 13:00:00 GMT' })).toBe(60);
    expect(minutesUntil(1, { retryAfter: 'Sat, 21 Nov 2020 13:00:00 GMT' })).toBe(10);
    expect(minutesUntil(1, { retryAfter: '999999999' })).toBe(24 * 60);
    expect(minutesUntil(1, { retryAfter: 'soon' })).toBe(10);
  });

  it('spreads polls a little', () => {
    expect(minutesUntil(0, {}, 1)).toBe(11);
  });
});
