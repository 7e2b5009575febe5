import type { BitcoinNetwork } from '../wallet-settings.js';
import { bitcoinScheme } from './bitcoin-scheme.js';
import type { Chain } from './chain.js';
import { ethereumScheme } from './ethereum-scheme.js';
import type { ChainScheme } from './key-pair.js';
import { solanaScheme } from './solana-scheme.js';

/** How a chain derives keys and writes addresses; `network` matters to bitcoin alone. */
export function schemeOf(chain: Chain, network: BitcoinNetwork): ChainScheme {
  switch (chain) {
    case 'ethereum':
      return ethereumScheme;
    case 'bitcoin':
      return bitcoinScheme(network);
    case 'solana':
      return solanaScheme;
  }
}
