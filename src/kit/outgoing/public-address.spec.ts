import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.js';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
  ])('lets %s be called', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this machine', ['127.0.0.1', '127.255.255.254', '::1']],
    ['no address yet', ['0.0.0.0', '0.1.2.3', '::']],
    [
      'private networks',
      ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
    ],
    ['the link, and metadata of clouds', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1']],
    ['networks of providers', ['100.64.0.1', '100.127.255.255', '192.0.0.1', '198.18.0.1']],
    ['groups and everybody', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    [
      'documents and the future',
      ['192.0.2.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '3fff::1'],
    ],
    [
      'mapped and compatible IPv4',
      ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::8.8.8.8'],
    ],
    ['translated IPv4', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '::ffff:0:127.0.0.1']],
    ['tunnels', ['2002:7f00:1::1', '2002:808:808::1', '2001:0:53aa:64c::1', '192.88.99.1']],
    ['what no machine has', ['100::1', '4000::1', '5f00::1', '2001:2::1', '2001:10::1']],
    ['what is no address', ['', 'localhost', '1.2.3', '999.1.1.1', ':::', '8.8.8.8 ', '8.8.8.8/32']],
  ] as const)('refuses %s', (_what, addresses) => {
    for (const address of addresses)
      expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: false });
  });
});
