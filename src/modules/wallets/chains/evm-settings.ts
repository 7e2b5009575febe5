import type { Amount } from '../../../domain/money/amount.js';
import type { EvmToken } from './evm-token.js';

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
  /** By asset; an asset without an entry has no minimum. */
  readonly depositMinimums?: ReadonlyMap<string, Amount>;
  /** The highest fee per gas, whatever the market price. In units of 10^-18. */
  readonly maxFeePerGas: bigint;
}
