import { HDKey } from '@scure/bip32';
import type { KeyPair } from './key-pair.js';
import { parsePath } from './path.js';

/** BIP-32 on secp256k1; the public key is compressed. Keys on the way are wiped, so far as they can be reached. */
export function deriveSecp256k1(seed: Uint8Array, path: string): KeyPair {
  let key = HDKey.fromMasterSeed(seed);
  for (const index of parsePath(path)) {
    const parent = key;
    key = parent.deriveChild(index);
    parent.wipePrivateData();
  }
  const { privateKey, publicKey } = key;
  key.wipePrivateData();
  if (privateKey === null || publicKey === null) throw new Error(`no key at ${path}`);
  return { privateKey, publicKey };
}
