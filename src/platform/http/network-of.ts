import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_PARTS = 4;

/**
 * What counts as one caller: an IPv4 address, also one that is written as IPv6 (`::ffff:192.0.2.1`), or a /64 of
 * IPv6 addresses, which is what one subscriber usually holds. However an address is written, it is the same
 * caller. What is no address stays as it is.
 */
export function networkOf(address: string): string {
  // Nearly all are written as they are counted.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, IPV6_NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
