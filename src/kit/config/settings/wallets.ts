import type { Amount } from '../../../domain/money/amount.js';
import { assetAmount, integer, listOf, oneOf } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';

export type BitcoinNetwork = 'mainnet' | 'testnet' | 'signet' | 'regtest';

export interface WalletsConfig {
  /** By asset: a transfer over a chain above this amount needs a second person. */
  readonly walletApprovalAbove: ReadonlyMap<string, Amount>;
  /** By asset: how much may leave a wallet over chains in 24 hours. */
  readonly walletDailyLimit: ReadonlyMap<string, Amount>;
  /** How long a new destination address must wait before it can receive money. */
  readonly walletDestinationWaitMs: number;
  readonly bitcoinNetwork: BitcoinNetwork;
}

export const walletSettings = {
  walletApprovalAbove: optional(
    'WALLET_APPROVAL_ABOVE',
    listOf(assetAmount, 100),
    'none',
    'Amounts such as USDC:10000,ETH:5 above which a transfer over a chain needs a second person.',
  ),
  walletDailyLimit: optional(
    'WALLET_DAILY_LIMIT',
    listOf(assetAmount, 100),
    'none',
    'Amounts such as USDC:50000,ETH:20 that may leave the wallets of an owner over chains in 24 hours.',
  ),
  walletDestinationWaitSeconds: setting(
    'WALLET_DESTINATION_WAIT_SECONDS',
    integer(0, 2_592_000),
    '0',
    'How long a newly listed destination of an owner waits until money may go there.',
  ),
  bitcoinNetwork: setting(
    'BITCOIN_NETWORK',
    oneOf('mainnet', 'testnet', 'signet', 'regtest'),
    'mainnet',
    'The network that bitcoin addresses are for.',
  ),
};

export function readWalletsConfig(read: ReadSetting): WalletsConfig {
  return {
    walletApprovalAbove: new Map(read(walletSettings.walletApprovalAbove)),
    walletDailyLimit: new Map(read(walletSettings.walletDailyLimit)),
    walletDestinationWaitMs: read(walletSettings.walletDestinationWaitSeconds) * 1_000,
    bitcoinNetwork: read(walletSettings.bitcoinNetwork),
  };
}
