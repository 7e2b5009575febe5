import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Pseudonyms } from './pseudonyms.js';

const SECRET = Buffer.alloc(32, 7);
const NOON_MS = Date.UTC(2026, 10, 27, 12);

describe('pseudonyms', () => {
  it('are what the rows of earlier versions have, from the first use on', () => {
    const pseudonyms = new Pseudonyms(SECRET);
    const expected = createHmac('sha256', SECRET)
      .update('BTC-USD\n2026-11-27\n17')
      .digest('hex')
      .slice(0, 16);
    expect([1, 2].map(() => pseudonyms.of(17, 'BTC-USD', NOON_MS))).toEqual([expected, expected]);
  });

  it('differ by account, market, day and secret', () => {
    const day = 24 * 60 * 60_000;
    const pseudonyms = new Pseudonyms(SECRET);
    const all = [
      pseudonyms.of(17, 'BTC-USD', NOON_MS),
      pseudonyms.of(18, 'BTC-USD', NOON_MS),
      pseudonyms.of(17, 'ETH-USD', NOON_MS),
      pseudonyms.of(17, 'BTC-USD', NOON_MS + day),
      new Pseudonyms(Buffer.alloc(32, 8)).of(17, 'BTC-USD', NOON_MS),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
