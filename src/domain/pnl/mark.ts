/** The price at which an open position is valued, and where it comes from. */

export const MARK_SOURCES = ['best_bid', 'best_ask', 'last_price', 'settlement', 'none'] as const;
export type MarkSource = (typeof MARK_SOURCES)[number];

export interface Mark {
  /** In units of 10^-18; null with the source `none` alone. */
  readonly price: bigint | null;
  readonly source: MarkSource;
}

/** What a market offers to whoever leaves it, each price in units of 10^-18 and null where there is none. */
export interface ExitPrices {
  readonly bestBid: bigint | null;
  readonly bestAsk: bigint | null;
  readonly lastPrice: bigint | null;
}

export const NO_MARK: Mark = { price: null, source: 'none' };

/**
 * A long position is left at the best bid, a short one at the best ask; where nobody is on that side,
 * the last price has to do. A flat position needs none.
 */
export function exitMark(sizeLots: number, { bestBid, bestAsk, lastPrice }: ExitPrices): Mark {
  if (sizeLots === 0) return NO_MARK;
  const exitPrice = sizeLots > 0 ? bestBid : bestAsk;
  if (exitPrice !== null) return { price: exitPrice, source: sizeLots > 0 ? 'best_bid' : 'best_ask' };
  return lastPrice === null ? NO_MARK : { price: lastPrice, source: 'last_price' };
}
