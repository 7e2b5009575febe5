import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMessage, sealMessage } from './sealed-message.js';

const KEY = randomBytes(32);
const NOW_MS = 1_790_000_000_000;
const MINUTE_MS = 60_000;

const seal = (payload: string, channel = 'news', key = KEY): Buffer =>
  Buffer.from(sealMessage(key, channel, payload, NOW_MS));
const open = (message: Buffer, nowMs = NOW_MS): string | undefined =>
  openMessage(KEY, 'news', message, nowMs)?.toString();

describe('a sealed message', () => {
  it('says what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (payload) => {
        expect(open(seal(payload))).toBe(payload);
      }),
    );
  });

  it('cannot be changed in any byte, shortened or made longer', () => {
    const message = seal('{"amount":"1"}');
    for (let i = 0; i < message.length; i++) {
      const changed = Buffer.from(message);
      changed[i]! ^= 1;
      expect(open(changed)).toBeUndefined();
      expect(open(message.subarray(0, i))).toBeUndefined();
    }
    expect(open(Buffer.concat([message, Buffer.from(' ')]))).toBeUndefined();
  });

  it('cannot be forged without the key, nor moved to another channel', () => {
    expect(open(seal('x', 'news', randomBytes(32)))).toBeUndefined();
    expect(open(seal('x', 'commands'))).toBeUndefined();
    expect(open(seal('x', 'new'))).toBeUndefined();
    expect(open(Buffer.alloc(0))).toBeUndefined();
    expect(open(Buffer.from('{"version":1}'))).toBeUndefined();
  });

  it('is good for as long as clocks may differ, and no longer', () => {
    for (const minutes of [-5, 0, 5]) expect(open(seal('x'), NOW_MS + minutes * MINUTE_MS)).toBe('x');
    for (const minutes of [-6, 6]) expect(open(seal('x'), NOW_MS + minutes * MINUTE_MS)).toBeUndefined();
  });
});
