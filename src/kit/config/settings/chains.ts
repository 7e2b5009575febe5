import type { Amount } from '../../../domain/money/amount.js';
import { evmToken, type EvmToken } from '../evm-token.js';
import { assetAmount, integer, listOf, url } from '../readers.js';
import { optional, parse, type ReadSetting, setting, type SettingDescription } from '../setting.js';
import { ConfigError } from '../start-refusal.js';

export interface ChainsConfig {
  /** By the chain's name in lower case, such as `ethereum`. */
  readonly chainRpcUrls: Readonly<Record<string, string>>;
  /** Settings of the ethereum connector, used if `chainRpcUrls` names a node. */
  readonly chainEthereum: {
    readonly tokens: readonly EvmToken[];
    /** Blocks, its own included, after which a transaction counts as final. */
    readonly confirmations: number;
    readonly pollMs: number;
    /** How long a transaction may wait for a block before one with a higher fee replaces it. */
    readonly replaceAfterMs: number;
    /** By asset: the minimum total on an address before any of it is credited. */
    readonly depositMinimums: ReadonlyMap<string, Amount>;
    /** In units of 10^-18 ETH. */
    readonly maxFeePerGas: bigint;
    /** Undefined starts where the first address was given out, at the latest at the current head. */
    readonly startBlock: number | undefined;
  };
}

export const chainSettings = {
  chainEthereumTokens: optional(
    'CHAIN_ETHEREUM_TOKENS',
    listOf(evmToken, 50),
    'none',
    'ERC-20 tokens that wallets take, separated by commas, each as CODE:contract:decimals.',
  ),
  chainEthereumConfirmations: setting(
    'CHAIN_ETHEREUM_CONFIRMATIONS',
    integer(1, 500),
    '12',
    'Blocks after which deposits are credited and transfers are completed.',
  ),
  chainEthereumDepositMin: setting(
    'CHAIN_ETHEREUM_DEPOSIT_MIN',
    listOf(assetAmount, 100),
    'ETH:0.001',
    'What must have arrived at an address before it is credited, separated by commas, such as ETH:0.001,USDC:1.',
  ),
  chainEthereumPollMs: setting(
    'CHAIN_ETHEREUM_POLL_MS',
    integer(10, 600_000),
    '4000',
    'How often ethereum is looked at, in milliseconds.',
  ),
  chainEthereumReplaceAfterSeconds: setting(
    'CHAIN_ETHEREUM_REPLACE_AFTER_SECONDS',
    integer(0, 86_400),
    '180',
    'How long a transaction may wait for its block before it is replaced by one that pays more.',
  ),
  chainEthereumMaxFeeGwei: setting(
    'CHAIN_ETHEREUM_MAX_FEE_GWEI',
    integer(1, 1_000_000),
    '500',
    'The most that a transaction offers for each unit of gas.',
  ),
  chainEthereumStartBlock: optional(
    'CHAIN_ETHEREUM_START_BLOCK',
    integer(0, 9_999_999_999),
    'where the first address was given out',
    'The first block to look for deposits in; read at the first start only.',
  ),
};

/** `CHAIN_ETHEREUM_RPC_URL` and its like: one variable for each chain, so it is not read by name. */
export const CHAIN_RPC_URLS: SettingDescription = {
  name: 'CHAIN_<NAME>_RPC_URL',
  default: 'none',
  meaning:
    'Node of a chain, such as CHAIN_ETHEREUM_RPC_URL; without one its on-chain routes are unavailable.',
};

/** Of such a variable, with the chain's name in it. */
export const CHAIN_RPC_URL = /^CHAIN_([A-Z0-9_]+)_RPC_URL$/;
const chainRpcUrlReader = url('https', 'http', 'wss', 'ws');
/** The built-in connector speaks HTTP; plugins read the URLs of other chains. */
const ethereumRpcUrlReader = url('https', 'http');
const UNITS_PER_GWEI = 10n ** 9n;

export function readChainsConfig(read: ReadSetting, env: NodeJS.ProcessEnv): ChainsConfig {
  const tokens = readTokens(read(chainSettings.chainEthereumTokens) ?? []);
  return {
    chainRpcUrls: readChainRpcUrls(env),
    chainEthereum: {
      tokens,
      confirmations: read(chainSettings.chainEthereumConfirmations),
      depositMinimums: readMinimums(read(chainSettings.chainEthereumDepositMin), tokens),
      pollMs: read(chainSettings.chainEthereumPollMs),
      replaceAfterMs: read(chainSettings.chainEthereumReplaceAfterSeconds) * 1_000,
      maxFeePerGas: BigInt(read(chainSettings.chainEthereumMaxFeeGwei)) * UNITS_PER_GWEI,
      startBlock: read(chainSettings.chainEthereumStartBlock),
    },
  };
}

function readChainRpcUrls(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const [name, raw] of Object.entries(env)) {
    const chain = CHAIN_RPC_URL.exec(name)?.[1];
    if (chain === undefined || !raw) continue;
    urls[chain.toLowerCase()] = parse(
      name,
      chain === 'ETHEREUM' ? ethereumRpcUrlReader : chainRpcUrlReader,
      raw,
    );
  }
  return urls;
}

/** One that is named twice, or that no deposit is of, would be dropped in silence. */
function readMinimums(
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
function readTokens(tokens: readonly EvmToken[]): readonly EvmToken[] {
  const codes = new Set(tokens.map(({ code }) => code));
  const contracts = new Set(tokens.map(({ contract }) => contract));
  if (codes.size < tokens.length || contracts.size < tokens.length) {
    throw new ConfigError('CHAIN_ETHEREUM_TOKENS', 'must name each code and each contract once.');
  }
  return tokens;
}
