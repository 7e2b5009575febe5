import type { Amount } from '../../../domain/money/amount.js';

/** What the chain may take for a transaction at most; put aside with the money, and given back where it took less. */
export interface ChainFee {
  /** The chain's own asset. */
  readonly asset: string;
  readonly amount: Amount;
}

/** Tells what sending costs, before anything is sent. */
export abstract class ChainFees {
  /**
   * The most that sending `amount` of `asset` to `to` (canonical) may cost, replacements that offer more
   * included: what was put aside for a fee is all that is ever paid of it.
   * Throws `chain_unavailable` (503) where the chain has no connector or its node does not answer.
   */
  abstract estimate(payment: {
    readonly chain: string;
    readonly asset: string;
    readonly amount: Amount;
    readonly to: string;
  }): Promise<ChainFee>;
}
