import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Only these IPv6 addresses are assigned for the public Internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is on the public Internet: not loopback, private, multicast or reserved. Addresses that embed
 * another one (mapped IPv4, NAT64, 6to4, Teredo) never are: the machine behind them has its own address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
