import type { Amount } from '../../domain/money/amount.js';
import type { EvmToken } from '../config/evm-token.js';

export interface EvmSettings {
  readonly chain: string;
  readonly nativeAsset: string;
  /** May contain a key of the node's provider: never log it. */
  readonly url: string;
  readonly tokens: readonly EvmToken[];
  readonly confirmations: number;
  readonly replaceAfterMs: number;
  readonly pollMs: number;
  readonly startBlock: number | undefined;
  /** By asset; what is not named has none. */
  readonly depositMinimums?: ReadonlyMap<string, Amount>;
  /** No transaction offers more for its gas, whatever the market asks. In units of 10^-18. */
  readonly maxFeePerGas: bigint;
}
