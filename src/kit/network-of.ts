import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a registry gives a provider, what a provider gives a site, and what one subscriber usually holds. */
const IPV6_PREFIXES = [32, 48, 64] as const;
const IPV6_PART_BITS = 16;

/**
 * What counts as one caller: an IPv4 address, also one that is written as IPv6 (`::ffff:192.0.2.1`), or a /64 of
 * IPv6 addresses, which is what one subscriber usually holds. However an address is written, it is the same
 * caller. What is no address stays as it is.
 */
export function networkOf(address: string): string {
  const parsed = parse(address);
  return typeof parsed === 'string' ? parsed : prefixOf(parsed, 64);
}

/**
 * The networks that a caller is in, from the widest to `networkOf` itself: who holds a /32 of IPv6 or a /24 of IPv4 can
 * send from each of its networks.
 */
export function networksOf(address: string): string[] {
  const parsed = parse(address);
  if (typeof parsed !== 'string') return IPV6_PREFIXES.map((bits) => prefixOf(parsed, bits));
  return isIPv4(parsed) ? [`${parsed.slice(0, parsed.lastIndexOf('.'))}.0/24`, parsed] : [parsed];
}

function parse(address: string): string | ipaddr.IPv6 {
  // Nearly all are written as they are counted.
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : parsed;
}

function prefixOf({ parts }: ipaddr.IPv6, bits: number): string {
  const kept = parts.slice(0, bits / IPV6_PART_BITS);
  return `${kept.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
