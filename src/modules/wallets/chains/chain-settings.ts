import type { Amount } from '../../../domain/money/amount.js';
import { assetAmount, integer, listOf, url } from '../../../kit/config/readers.js';
import { optional, setting, settingForEach } from '../../../kit/config/setting.js';
import { settingGroup } from '../../../kit/config/setting-group.js';
import { ConfigError } from '../../../kit/config/start-refusal.js';
import { evmToken, type EvmToken } from './evm-token.js';

const anyNode = url('https', 'http', 'wss', 'ws');
/** The built-in connector speaks HTTP; plugins read the addresses of other chains. */
const ethereumNode = url('https', 'http');
const UNITS_PER_GWEI = 10n ** 9n;

/** By the chain's name in lower case, such as `ethereum`. */
export const CHAIN_RPC_URLS = settingForEach(
  'CHAIN_<NAME>_RPC_URL',
  (chain) => (chain === 'ethereum' ? ethereumNode : anyNode),
  'Node of a chain, such as CHAIN_ETHEREUM_RPC_URL; without one its on-chain routes are unavailable.',
);

/** Of the connector for ethereum, which is used where `CHAIN_RPC_URLS` has a node of it. */
export const ETHEREUM_SETTINGS = settingGroup(
  {
    tokens: optional(
      'CHAIN_ETHEREUM_TOKENS',
      listOf(evmToken, 50),
      'none',
      'ERC-20 tokens that wallets take, separated by commas, each as CODE:contract:decimals.',
    ),
    confirmations: setting(
      'CHAIN_ETHEREUM_CONFIRMATIONS',
      integer(1, 500),
      '12',
      'Blocks after which deposits are credited and transfers are completed.',
    ),
    depositMin: setting(
      'CHAIN_ETHEREUM_DEPOSIT_MIN',
      listOf(assetAmount, 100),
      'ETH:0.001',
      'What must have arrived at an address before it is credited, separated by commas, such as ETH:0.001,USDC:1.',
    ),
    pollMs: setting(
      'CHAIN_ETHEREUM_POLL_MS',
      integer(10, 600_000),
      '4000',
      'How often ethereum is looked at, in milliseconds.',
    ),
    replaceAfterSeconds: setting(
      'CHAIN_ETHEREUM_REPLACE_AFTER_SECONDS',
      integer(0, 86_400),
      '180',
      'How long a transaction may wait for its block before it is replaced by one that pays more.',
    ),
    maxFeeGwei: setting(
      'CHAIN_ETHEREUM_MAX_FEE_GWEI',
      integer(1, 1_000_000),
      '500',
      'The most that a transaction offers for each unit of gas.',
    ),
    startBlock: optional(
      'CHAIN_ETHEREUM_START_BLOCK',
      integer(0, 9_999_999_999),
      'where the first address was given out',
      'The first block to look for deposits in; read at the first start only.',
    ),
  },
  (values) => {
    const tokens = tokensAmong(values.tokens ?? []);
    return {
      tokens,
      /** Blocks, its own included, after which a transaction counts as final. */
      confirmations: values.confirmations,
      /** By asset: the minimum total on an address before any of it is credited. */
      depositMinimums: minimumsAmong(values.depositMin, tokens),
      pollMs: values.pollMs,
      /** How long a transaction may wait for a block before one with a higher fee replaces it. */
      replaceAfterMs: values.replaceAfterSeconds * 1_000,
      /** In units of 10^-18 ETH. */
      maxFeePerGas: BigInt(values.maxFeeGwei) * UNITS_PER_GWEI,
      /** Undefined starts where the first address was given out, at the latest at the current head. */
      startBlock: values.startBlock,
    };
  },
);

/** One that is named twice, or that no deposit is of, would be dropped in silence. */
function minimumsAmong(
  minimums: readonly (readonly [asset: string, amount: Amount])[],
  tokens: readonly EvmToken[],
): ReadonlyMap<string, Amount> {
  const assets = ['ETH', ...tokens.map(({ code }) => code)];
  const byAsset = new Map(minimums);
  if (byAsset.size < minimums.length || [...byAsset.keys()].some((asset) => !assets.includes(asset)))
    throw new ConfigError(
      'CHAIN_ETHEREUM_DEPOSIT_MIN',
      `must name each asset once, and only those of the chain: ${assets.join(', ')}.`,
    );
  return byAsset;
}

/** An asset has one contract: money of two contracts would not be interchangeable. */
function tokensAmong(tokens: readonly EvmToken[]): readonly EvmToken[] {
  const codes = new Set(tokens.map(({ code }) => code));
  const contracts = new Set(tokens.map(({ contract }) => contract));
  if (codes.size < tokens.length || contracts.size < tokens.length) {
    throw new ConfigError('CHAIN_ETHEREUM_TOKENS', 'must name each code and each contract once.');
  }
  return tokens;
}
