import type { Amount } from '../money/amount.js';

/** Event markets of which exactly one is settled at 1 and all others at 0; see `event-groups.ts`. */
export class EventGroup {
  /**
   * Sets that exist without a short contract, which is the long contracts less the short ones of each market. Negative
   * where longs have been merged and shorts are left. Zero from the settlement on.
   */
  setsLots = 0;
  digest: bigint | null = null;
  readonly groupId: string;
  readonly title: string;
  readonly marketIds: readonly string[];
  /** Those of all its markets. */
  readonly quoteAsset: string;
  readonly lotSize: Amount;
  /** Where the money of all its markets is. */
  readonly poolAccountId: number;
  readonly createdAtMs: number;

  constructor(terms: Omit<EventGroup, 'setsLots' | 'digest' | 'sizeOf'>) {
    this.groupId = terms.groupId;
    this.title = terms.title;
    this.marketIds = terms.marketIds;
    this.quoteAsset = terms.quoteAsset;
    this.lotSize = terms.lotSize;
    this.poolAccountId = terms.poolAccountId;
    this.createdAtMs = terms.createdAtMs;
  }

  /** The money of as many contracts that pay. */
  sizeOf(lots: number): bigint {
    return BigInt(lots) * this.lotSize;
  }
}
