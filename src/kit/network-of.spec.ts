import { describe, expect, it } from 'vitest';
import { networkOf } from './network-of.js';

describe('networkOf', () => {
  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:db8:0:0:ffff::9'],
    ['2001:DB8::1', '2001:0db8:0000:0000:0000:0000:0000:0002'],
    ['::1', '0:0:0:0:1::'],
    ['fe80::1%eth0', 'fe80::2'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['192.0.2.1', '::ffff:c000:201'],
  ])('takes %s and %s for one caller', (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other));
  });

  it.each([
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    ['192.0.2.1', '192.0.2.2'],
    ['', 'unknown'],
  ])('tells %s from %s', (one, other) => {
    expect(networkOf(one)).not.toBe(networkOf(other));
  });
});
