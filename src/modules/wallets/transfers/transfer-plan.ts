import type { Amount } from '../../../domain/money/amount.js';

/** An end of a transfer inside. */
export interface TransferEnd {
  readonly type: 'account' | 'wallet';
  /** The core's account. */
  readonly accountId: number;
  readonly walletId: string | null;
}

/** Where the money of a transfer comes from: a wallet of the caller's, or a trading account that the caller moves money of. */
export interface TransferSource extends TransferEnd {
  /** The key of the principal whose it is, who need not be the caller: see `Principal.accountOwner`. */
  readonly owner: string;
}

/** A transfer that every rule allows which can be known before its money is touched. */
export interface TransferPlan {
  readonly asset: string;
  readonly amount: Amount;
  readonly target: (TransferEnd & { readonly owner: string }) | ChainTarget;
}

/** An address outside, and what sending there takes. */
export interface ChainTarget {
  readonly type: 'address';
  readonly chain: string;
  /** In the chain's canonical form. */
  readonly address: string;
  readonly feeAsset: string;
  /** The most that the chain takes. */
  readonly feeHeld: Amount;
  readonly needsApproval: boolean;
}
