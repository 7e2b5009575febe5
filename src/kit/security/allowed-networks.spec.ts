import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkIn, requireAllowedNetwork } from './allowed-networks.js';
import type { Principal } from './principal.js';

function isAllowed(allowedNetworks: readonly string[] | undefined, address: string | undefined): boolean {
  try {
    requireAllowedNetwork({ allowedNetworks } as Principal, address);
    return true;
  } catch {
    return false;
  }
}

describe('a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['::1', '::1/128'],
  ])('is read: %s', (text, network) => {
    expect(networkIn(text)).toBe(network);
  });

  it.each([
    '',
    '203.0.113.7/24',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/',
    '203.0.113.0/24/24',
    '203.0.113',
    '0xcb.0.113.7',
    '3405803783',
    '2001:db8::1/32',
    '2001:db8::/129',
    'fe80::1%eth0',
    'example.com',
    ' 203.0.113.7',
  ])('is none: %j', (text) => {
    expect(networkIn(text)).toBeUndefined();
  });
});

describe('a credential that is bound to networks', () => {
  const bound = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32'];

  it.each(['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::5', '198.51.100.7'])(
    'may be used from %s',
    (from) => {
      expect(isAllowed(bound, from)).toBe(true);
    },
  );

  it.each(['203.0.114.1', '::ffff:203.0.114.1', '2001:db9::1', '198.51.100.8', 'unknown', '', undefined])(
    'may not be used from %s',
    (from) => {
      expect(isAllowed(bound, from)).toBe(false);
    },
  );

  it('may be used from anywhere in its network, and from nowhere else', () => {
    fc.assert(
      fc.property(
        fc.nat(0xffffffff),
        fc.nat(0xffffffff),
        fc.integer({ min: 0, max: 32 }),
        (one, other, bits) => {
          const text = (address: number): string =>
            [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
          const mask = bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
          const network = networkIn(`${text((one & mask) >>> 0)}/${bits}`);
          expect(isAllowed([network!], text(other))).toBe((one & mask) >>> 0 === (other & mask) >>> 0);
        },
      ),
    );
  });

  it('is one that says so', () => {
    expect(isAllowed(undefined, 'unknown')).toBe(true);
    expect(isAllowed([], '203.0.113.9')).toBe(false);
  });
});
