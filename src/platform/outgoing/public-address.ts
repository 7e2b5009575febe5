import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of all IPv6 addresses only these are given out for the public Internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to a machine on the public Internet: not to this machine, its networks, a group,
 * nor to anything reserved. Addresses that stand for another one (mapped IPv4, NAT64, 6to4, Teredo) are none,
 * whatever they stand for: the machine behind them has an address of its own.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
