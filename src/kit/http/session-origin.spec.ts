import { describe, expect, it } from 'vitest';
import { deviceOf } from './session-origin.js';

describe('deviceOf', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Firefox on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['curl/8.5.0', 'curl'],
    ['node', 'node'],
    ['acme-bot/1.0 (+https://acme.example)', 'acme-bot'],
    ['', 'an unknown program'],
    [undefined, 'an unknown program'],
    ['\u202e\u0000', 'an unknown program'],
    ['/', 'an unknown program'],
  ])('calls %j %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it('keeps no more than a line of what somebody sends', () => {
    expect(deviceOf('x'.repeat(5_000))).toHaveLength(100);
  });
});
