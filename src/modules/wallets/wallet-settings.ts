import { assetAmount, integer, listOf, oneOf } from '../../kit/config/readers.js';
import { optional, setting } from '../../kit/config/setting.js';
import { settingGroup } from '../../kit/config/setting-group.js';

export type BitcoinNetwork = 'mainnet' | 'testnet' | 'signet' | 'regtest';

export const WALLET_SETTINGS = settingGroup(
  {
    approvalAbove: optional(
      'WALLET_APPROVAL_ABOVE',
      listOf(assetAmount, 100),
      'none',
      'Amounts such as USDC:10000,ETH:5 above which a transfer over a chain needs a second person.',
    ),
    dailyLimit: optional(
      'WALLET_DAILY_LIMIT',
      listOf(assetAmount, 100),
      'none',
      'Amounts such as USDC:50000,ETH:20 that may leave the wallets of an owner over chains in 24 hours.',
    ),
    destinationWaitSeconds: setting(
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
  },
  ({ approvalAbove, dailyLimit, destinationWaitSeconds, ...others }) => ({
    ...others,
    /** By asset: a transfer over a chain above this amount needs a second person. */
    approvalAbove: new Map(approvalAbove),
    /** By asset: how much may leave a wallet over chains in 24 hours. */
    dailyLimit: new Map(dailyLimit),
    /** How long a new destination address must wait before it can receive money. */
    destinationWaitMs: destinationWaitSeconds * 1_000,
  }),
);
