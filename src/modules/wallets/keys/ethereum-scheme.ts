import { bytesToHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { ChainScheme } from './key-pair.js';
import { deriveSecp256k1 } from './secp256k1.js';

/** BIP-44. Addresses in checksum case (EIP-55), public keys compressed, as 0x and 66 hex digits. */
export const ethereumScheme: ChainScheme = {
  pathOf: (index) => `m/44'/60'/0'/0/${index}`,
  derive: deriveSecp256k1,
  addressOf: (publicKey) =>
    publicKeyToAddress(bytesToHex(secp256k1.Point.fromBytes(publicKey).toBytes(false))),
  formatPublicKey: (publicKey) => bytesToHex(publicKey),
};
