import { BlockList, isIP } from 'node:net';
import { readers, type Reader } from '../../../src/index.js';

/** Addresses and networks, separated by commas. */
export const networks: Reader<BlockList> = {
  expects: 'a list, separated by commas, of addresses and networks, such as 10.0.0.7 and 10.1.0.0/16',
  parse: (text) => {
    const list = new BlockList();
    for (const item of text.split(',')) {
      const [address = '', bits, ...more] = item.trim().split('/');
      const version = isIP(address);
      const wholeBits = version === 4 ? 32 : 128;
      const prefixBits = bits === undefined ? wholeBits : readers.integer(0, wholeBits).parse(bits);
      if (version === 0 || prefixBits === undefined || more.length > 0) return undefined;
      list.addSubnet(address, prefixBits, version === 4 ? 'ipv4' : 'ipv6');
    }
    return list;
  },
};

export function isAmong(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
