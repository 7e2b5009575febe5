import { base58 } from '@scure/base';
import { HDKey } from 'micro-key-producer/slip10.js';
import type { ChainScheme, KeyPair } from './key-pair.js';
import { parsePath } from './path.js';

/** SLIP-10 on ed25519, every step hardened; a public key, in base58, is its own address. */
export const solanaScheme: ChainScheme = {
  pathOf: (index) => `m/44'/501'/${index}'/0'`,
  derive: deriveEd25519,
  addressOf: (publicKey) => base58.encode(publicKey),
  formatPublicKey: (publicKey) => base58.encode(publicKey),
};

function deriveEd25519(seed: Uint8Array, path: string): KeyPair {
  let key = HDKey.fromMasterSeed(seed);
  for (const index of parsePath(path)) {
    const parent = key;
    key = parent.deriveChild(index);
    parent.privateKey.fill(0);
    parent.chainCode.fill(0);
  }
  key.chainCode.fill(0);
  return { privateKey: key.privateKey, publicKey: key.publicKeyRaw };
}
