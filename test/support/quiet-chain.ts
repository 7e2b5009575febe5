import { amount, amountOf, UNITS_PER_ONE, ZERO } from '../../src/domain/money/amount.js';
import type {
  ChainBlock,
  ChainConnector,
  FeeMarket,
  Inclusion,
  SendOutcome,
} from '../../src/modules/wallets/chains/chain-connector.js';
import { ChainConnectors } from '../../src/modules/wallets/chains/chain-connectors.js';
import { EvmConnector } from '../../src/modules/wallets/chains/evm-connector.js';
import { TradepostPlugin } from '../../src/kit/module/tradepost-module.js';

export const GWEI = UNITS_PER_ONE / 1_000_000_000n;
export const QUIET_TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/**
 * A static ethereum without a node: one block, a gas price, and an empty hot wallet. Transfers stay `pending` until a
 * test advances them.
 */
class QuietEthereum extends EvmConnector {
  constructor() {
    super({
      chain: 'ethereum',
      nativeAsset: 'ETH',
      url: 'http://127.0.0.1:1',
      tokens: [
        { code: 'USDC', contract: QUIET_TOKEN, decimals: 6 },
        // No asset of the demo data.
        { code: 'DAI', contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F', decimals: 18 },
      ],
      confirmations: 1,
      pollMs: 50,
      replaceAfterMs: 60_000,
      maxFeePerGas: 500n * GWEI,
      startBlock: undefined,
      depositMinimums: new Map([['ETH', amountOf('0.01')]]),
    });
  }

  override networkId = () => Promise.resolve('quiet');
  override decimalsOf = () => Promise.resolve(null);
  override head = () => Promise.resolve(1);
  override block = (number: number): Promise<ChainBlock> =>
    Promise.resolve({ number, hash: `0xb${number}`, parentHash: `0xb${number - 1}` });
  override firstBlockSince = () => Promise.resolve(1);
  override incoming = () => Promise.resolve([]);
  override balance = () => Promise.resolve(ZERO);
  override nextNonce = () => Promise.resolve(0);
  override feeMarket = (): Promise<FeeMarket> =>
    Promise.resolve({ offer: { maxFeePerGas: GWEI, maxPriorityFeePerGas: 1n }, likelyFeePerGas: GWEI });
  override gasLimit = () => Promise.resolve(amount(21_000n));
  override send = (): Promise<SendOutcome> => Promise.resolve({ taken: false, reason: 'quiet' });
  override inclusion = (): Promise<Inclusion | null> => Promise.resolve(null);
}

class QuietChains extends ChainConnectors {
  private readonly connectors = [new QuietEthereum()];

  override all(): readonly ChainConnector[] {
    return this.connectors;
  }
}

@TradepostPlugin({ name: 'quiet-chain', compatibility: '*', implementations: [QuietChains] })
export class QuietChainPlugin {}
