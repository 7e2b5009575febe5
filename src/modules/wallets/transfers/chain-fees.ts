import type { Amount } from '../../../domain/money/amount.js';

/** What the chain may take for a transaction at most; put aside with the money, and given back where it took less. */
export interface ChainFee {
  /** The chain's own asset. */
  readonly asset: string;
  readonly amount: Amount;
}

/** Estimates the cost of a send beforehand. */
export abstract class ChainFees {
  /**
   * The maximum cost of sending `amount` of `asset` to `to` (canonical), including replacements with a higher fee: no
   * more than the held fee is ever paid. Throws `chain_unavailable` (503) if the chain has no connector or its node
   * does not answer.
   */
  abstract estimate(payment: {
    readonly chain: string;
    readonly asset: string;
    readonly amount: Amount;
    readonly to: string;
  }): Promise<ChainFee>;
}
