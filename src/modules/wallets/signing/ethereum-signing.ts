import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hashMessage, hexToBytes, type Hex } from 'viem';

/** The digest of EIP-191: of the message behind `\x19Ethereum Signed Message:\n` and its length. */
export function eip191Digest(message: Uint8Array): Hex {
  return hashMessage({ raw: message });
}

/**
 * Signs only digests of EIP-191 or EIP-712: 65 bytes, r, s and v (27 or 28), as 0x-hex. It takes the key as bytes:
 * viem's text form could not be wiped.
 */
export function signDigest(privateKey: Uint8Array, digest: Hex): Hex {
  const signature = secp256k1.sign(hexToBytes(digest), privateKey, { prehash: false, format: 'recovered' });
  const [recovery = 0, ...rest] = signature;
  return bytesToHex(Uint8Array.of(...rest, 27 + recovery));
}
