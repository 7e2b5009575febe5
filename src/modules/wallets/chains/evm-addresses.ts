/** Addresses of EVM chains that nobody has the key of: money that is sent there is lost. */
import { getAddress, isAddress } from 'viem';

/**
 * EIP-1352 keeps the addresses up to here for precompiled contracts. It covers zero, the precompiles so far (0x01 to 0x11
 * and 0x100, by EIP-7951 at the latest) and 0x…dEaD, where tokens are burnt.
 */
const RESERVED_MAX = 0xffffn;

const NOBODYS: ReadonlySet<string> = new Set([
  // The deposit contract of the beacon chain (EIP-6110), and the system contracts of EIP-4788, 2935, 7002 and 7251.
  '0x00000000219ab540356cbb839cbe05303d7705fa',
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  '0x0000f90827f1c53a10cb7a02335b175320002935',
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  // The caller of system contracts (EIP-4788), and what stands for the native asset (ERC-7528).
  '0xfffffffffffffffffffffffffffffffffffffffe',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  // Where tokens are burnt, beside 0x…dEaD.
  '0xffffffffffffffffffffffffffffffffffffffff',
  '0xdead000000000000000000000000000000000000',
  '0xdead000000000000000042069420694206942069',
]);

/** The address with its checksum (EIP-55); undefined for other text, and for an address without a key. */
export function payableAddress(text: string): `0x${string}` | undefined {
  // Mixed case is a checksum; a wrong one means a mistyped address.
  if (!isAddress(text)) return undefined;
  const isLost = BigInt(text) <= RESERVED_MAX || NOBODYS.has(text.toLowerCase());
  return isLost ? undefined : getAddress(text);
}
