/** A private key in the clear, with its public key. The holder must wipe it, and never pass it on. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** How a chain derives keys from a seed, and how it writes public keys and addresses. */
export interface ChainScheme {
  /** The derivation path of a wallet's n-th address, such as `m/44'/60'/0'/0/0`. */
  pathOf(index: number): string;
  /** The key pair at a path, in buffers of its own that the caller wipes; the seed stays the caller's. */
  derive(seed: Uint8Array, path: string): KeyPair;
  addressOf(publicKey: Uint8Array): string;
  formatPublicKey(publicKey: Uint8Array): string;
}
