/** The price at which an open position is valued, and where it comes from. */

export const MARK_SOURCES = ['best_bid', 'best_ask', 'last_price', 'settlement', 'none'] as const;
export type MarkSource = (typeof MARK_SOURCES)[number];

export interface Mark {
  /** In units of 10^-18; null only with the source `none`. */
  readonly price: bigint | null;
  readonly source: MarkSource;
}

/** The prices at which a position can be closed, in units of 10^-18; null if there is none. */
export interface ExitPrices {
  readonly bestBid: bigint | null;
  readonly bestAsk: bigint | null;
  readonly lastPrice: bigint | null;
}

export const NO_MARK: Mark = { price: null, source: 'none' };

/**
 * A long position is marked at the best bid, a short one at the best ask; where that side is empty, at the last price.
 * A flat position has no mark.
 */
export function exitMark(sizeLots: number, { bestBid, bestAsk, lastPrice }: ExitPrices): Mark {
  if (sizeLots === 0) return NO_MARK;
  const exitPrice = sizeLots > 0 ? bestBid : bestAsk;
  if (exitPrice !== null) return { price: exitPrice, source: sizeLots > 0 ? 'best_bid' : 'best_ask' };
  return lastPrice === null ? NO_MARK : { price: lastPrice, source: 'last_price' };
}
