/** From where a credential may be used. */
import ipaddr from 'ipaddr.js';
import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';
import { invalidApiKey } from './challenges.js';
import type { Principal } from './principal.js';

/** `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32`, with no bits set behind the prefix. */
export function IsNetwork(options: ValidationOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isNetwork',
      validator: {
        validate: (value) => typeof value === 'string' && networkIn(value) !== undefined,
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be an address or a network, such as 203.0.113.7 or 203.0.113.0/24`,
          options,
        ),
      },
    },
    options,
  );
}

/** Throws `invalid_api_key` (401) for a credential that is bound to networks, none of which the address is in. */
export function requireAllowedNetwork({ allowedNetworks }: Principal, address: string | undefined): void {
  if (allowedNetworks === undefined) return;
  if (address !== undefined && ipaddr.isValid(address)) {
    // An IPv4 address may be written as IPv6: `::ffff:192.0.2.1`.
    const from = ipaddr.process(address);
    const isIn = (network: string): boolean => {
      const [first, bits] = ipaddr.parseCIDR(network);
      return first.kind() === from.kind() && from.match(first, bits);
    };
    if (allowedNetworks.some(isIn)) return;
  }
  throw invalidApiKey('The key is bound to other addresses than yours');
}

/** As CIDR, which is how networks are kept; undefined for what is none. */
export function networkIn(text: string): string | undefined {
  const [address = '', bits, ...more] = text.split('/');
  if (more.length > 0 || !/^[0-9a-f:.]+$/i.test(address)) return undefined;
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isV4 && !ipaddr.IPv6.isValid(address)) return undefined;
  const whole = isV4 ? 32 : 128;
  if (bits !== undefined && !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const prefix = bits === undefined ? whole : Number(bits);
  if (prefix > whole) return undefined;
  const network = `${ipaddr.parse(address).toString()}/${prefix}`;
  const first = isV4
    ? ipaddr.IPv4.networkAddressFromCIDR(network)
    : ipaddr.IPv6.networkAddressFromCIDR(network);
  return first.toString() === ipaddr.parse(address).toString() ? network : undefined;
}
