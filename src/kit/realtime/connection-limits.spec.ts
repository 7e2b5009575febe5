import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { countsWithoutPeers } from '../../../test/support/peers.js';
import {
  ConnectionLimits,
  CONNECTIONS_MAX,
  CONNECTIONS_PER_ADDRESS_MAX,
  CONNECTIONS_PER_PRINCIPAL_MAX,
} from './connection-limits.js';

function from(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

function limitsWith(config: { readonly trustProxy: number }): ConnectionLimits {
  return new ConnectionLimits(config, countsWithoutPeers());
}

describe('ConnectionLimits', () => {
  it('leave room for others when one address has all it may have', () => {
    const limits = limitsWith({ trustProxy: 0 });
    const ends = Array.from({ length: CONNECTIONS_PER_ADDRESS_MAX }, () => limits.count(from('10.0.0.1')));
    expect(limits.refusalOf(from('10.0.0.1'))).toBeDefined();
    expect(limits.refusalOf(from('10.0.0.2'))).toBeUndefined();
    ends[0]!();
    expect(limits.refusalOf(from('10.0.0.1'))).toBeUndefined();
  });

  it('count sockets and streams of users whom somebody made as their maker’s', () => {
    const limits = limitsWith({ trustProxy: 0 });
    for (let i = 0; i < CONNECTIONS_PER_PRINCIPAL_MAX; i++)
      limits.countPrincipal({ accountOwner: `user:${2 + (i % 4)}`, registrationRoot: 'user:1' });
    expect(() => limits.countPrincipal({ accountOwner: 'user:1' })).toThrow('You have');
    limits.countPrincipal({ accountOwner: 'user:9' });
  });

  it('end somewhere, however many addresses there are', () => {
    const limits = limitsWith({ trustProxy: 0 });
    for (let i = 0; i < CONNECTIONS_MAX; i++) limits.count(from(`10.0.${i >> 8}.${i & 255}`));
    expect(limits.refusalOf(from('192.0.2.1'))).toBeDefined();
  });

  it('believe as many proxies as they are told to', () => {
    for (const [proxies, isKnown] of [
      [0, true],
      [1, false],
    ] as const) {
      const limits = limitsWith({ trustProxy: proxies });
      for (let i = 0; i < CONNECTIONS_PER_ADDRESS_MAX; i++)
        limits.count(from('10.0.0.1', `192.0.2.${i & 255}`));
      expect(limits.refusalOf(from('10.0.0.1', '198.51.100.1')) === undefined).toBe(!isKnown);
    }
  });

  it('count a /64 of IPv6 as one address', () => {
    const limits = limitsWith({ trustProxy: 0 });
    for (let i = 0; i < CONNECTIONS_PER_ADDRESS_MAX; i++)
      limits.count(from(`2001:db8:1:2::${i.toString(16)}`));
    expect(limits.refusalOf(from('2001:db8:1:2:ffff::9'))).toBeDefined();
    expect(limits.refusalOf(from('2001:db8:1:3::1'))).toBeUndefined();
  });
});
