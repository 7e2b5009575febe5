/**
 * All accounts of one person, and of the users whom that person made. What everybody shares is counted for them together, so
 * that nobody has more of it by having more accounts. All of it follows from the live orders.
 */
import type { Side } from '../matching/terms.js';

export class Party {
  /** Live orders in all markets, and those among them that wait to trigger, or to run. */
  openOrders = 0;
  openStops = 0;
  /** How many of its accounts are in memory. */
  accounts = 0;
  private readonly shares = new Map<string, Share>();

  constructor(readonly key: string) {}

  shareOf(marketId: string): Share {
    let share = this.shares.get(marketId);
    if (share === undefined) {
      share = new Share();
      this.shares.set(marketId, share);
    }
    return share;
  }
}

/** What a party has of what all share in one market. */
export class Share {
  /** What its live orders could still trade. */
  readonly openLots: Record<Side, number> = { buy: 0, sell: 0 };
  readonly trailingStops: Record<Side, number> = { buy: 0, sell: 0 };
}
