import { NETWORK, TEST_NETWORK, p2wpkh } from '@scure/btc-signer';
import type { BitcoinNetwork } from '../wallet-settings.js';
import type { ChainScheme } from './key-pair.js';
import { deriveSecp256k1 } from './secp256k1.js';

type AddressFormat = typeof NETWORK;

/** Signet writes its addresses as testnet does. */
const FORMATS: Readonly<Record<BitcoinNetwork, AddressFormat>> = {
  mainnet: NETWORK,
  testnet: TEST_NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
};

/** SLIP-44: one coin type for bitcoin, one for all test networks of all coins. */
const MAINNET_COIN_TYPE = 0;
const TESTNET_COIN_TYPE = 1;

/** BIP-84: native segwit addresses (P2WPKH), public keys compressed, as 66 hex digits. */
export function bitcoinScheme(network: BitcoinNetwork): ChainScheme {
  const coinType = network === 'mainnet' ? MAINNET_COIN_TYPE : TESTNET_COIN_TYPE;
  return {
    pathOf: (index) => `m/84'/${coinType}'/0'/0/${index}`,
    derive: deriveSecp256k1,
    addressOf: (publicKey) => requireAddress(p2wpkh(publicKey, FORMATS[network]).address),
    formatPublicKey: (publicKey) => Buffer.from(publicKey).toString('hex'),
  };
}

function requireAddress(address: string | undefined): string {
  if (address === undefined) throw new Error('P2WPKH has no address');
  return address;
}
