import { describe, expect, it } from 'vitest';
import { isAmong, networks } from './networks.js';
import { readProxyHeader } from './proxy-header.js';

const V2 = '0d0a0d0a000d0a515549540a';
const v2 = (hex: string): Buffer => Buffer.from(V2 + hex, 'hex');
const v1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const IPV6_PAIR = '20010db8000000000000000000000001' + '20010db8000000000000000000000002' + '9c402696';

describe('header of the PROXY protocol', () => {
  it.each([
    ['TCP over IPv4', v1('PROXY TCP4 203.0.113.5 192.0.2.1 40000 9878\r\n'), '203.0.113.5'],
    ['TCP over IPv6', v1('PROXY TCP6 2001:db8::1 2001:db8::2 40000 9878\r\n'), '2001:db8::1'],
    ['what the proxy does not know', v1('PROXY UNKNOWN\r\n'), null],
    ['version 2, IPv4', v2('2111000ccb007105c00002019c402696'), '203.0.113.5'],
    ['version 2, IPv6', v2('21210024' + IPV6_PAIR), '2001:db8::1'],
    [
      'version 2 with more behind the addresses',
      v2('21110010cb007105c00002019c402696' + '04000101'),
      '203.0.113.5',
    ],
    ['version 2, the proxy itself', v2('20000000'), null],
    ['version 2, without addresses', v2('21000000'), null],
  ])('is read: %s', (_what, bytes, address) => {
    const whole = Buffer.concat([bytes, v1('8=FIX.4.4')]);
    expect(readProxyHeader(whole)).toEqual({ byteLength: bytes.length, address });
    for (let length = 0; length < bytes.length; length++) {
      expect(readProxyHeader(bytes.subarray(0, length)), `${length} bytes`).toBe('incomplete');
    }
  });

  it.each([
    ['something else', v1('8=FIX.4.4')],
    ['no address', v1('PROXY TCP4 203.0.113.500 192.0.2.1 1 2\r\n')],
    ['an address of the other family', v1('PROXY TCP6 203.0.113.5 192.0.2.1 1 2\r\n')],
    ['a port that is none', v1('PROXY TCP4 203.0.113.5 192.0.2.1 65536 2\r\n')],
    ['a line feed alone', v1('PROXY UNKNOWN\n')],
    ['a line without an end', v1(`PROXY UNKNOWN ${'x'.repeat(107)}`)],
    ['version 3', v2('3111000ccb007105c00002019c402696')],
    ['a command that is not known', v2('2211000c')],
    ['UDP', v2('2112000ccb007105c00002019c402696')],
    ['too short for its addresses', v2('21110008cb007105c0000201')],
    ['too long', v2('2111ffff')],
  ])('is malformed: %s', (_what, bytes) => {
    expect(readProxyHeader(bytes)).toBe('malformed');
  });
});

describe('addresses of proxies', () => {
  it('are addresses and networks', () => {
    const list = networks.parse('127.0.0.1, 10.0.0.0/8,2001:db8::/32')!;
    const addresses = ['127.0.0.1', '::ffff:10.1.2.3', '2001:db8::7', '127.0.0.2', '2001:db9::1', ''];
    expect(addresses.map((address) => isAmong(list, address))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '127.0.0.1,', '::1/129'])(
    'are not "%s"',
    (text) => {
      expect(networks.parse(text)).toBeUndefined();
    },
  );
});
