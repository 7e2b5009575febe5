import type { Side } from '../matching/terms.js';
import { CoverQueue } from './cover-queue.js';
import { Share } from './party.js';
import type { Market, Order, Tracked } from './trading.js';

/** Contracts that an account holds in an event market, or would hold, and the lots of its orders that could close them. */
export interface Contracts {
  readonly sizeLots: number;
  readonly cover: Readonly<Record<Side, { readonly totalLots: number }>>;
}

/** How many lots an order of this side may trade before it would open a position. */
export function reducibleLots(sizeLots: number, side: Side): number {
  return side === 'buy' ? Math.max(0, -sizeLots) : Math.max(0, sizeLots);
}

/** What an account holds, and would hold, in a market. */
export class Position implements Tracked {
  /** Signed: positive is long. Counts trades, not deposits. */
  sizeLots = 0;
  /** Entry value of the open size: sum of price times size, never negative. */
  costBasis = 0n;
  realizedPnl = 0n;
  fees = 0n;
  /** Its signed size when the market settled, from which corrections are computed; zero before. */
  settledLots = 0;
  changedInBatch = -1;
  digest: bigint | null = null;

  /** Live orders of the account in this market, in order of acceptance. */
  readonly buys = new Map<number, Order>();
  readonly sells = new Map<number, Order>();
  /** The lots that they could still trade. */
  readonly openLots: Record<Side, number> = { buy: 0, sell: 0 };
  /** Those that have not triggered yet. */
  openStops = 0;
  /** The priced orders in event markets; the position covers the first of them. */
  readonly cover: Readonly<Record<Side, CoverQueue<Order>>> = {
    buy: new CoverQueue(),
    sell: new CoverQueue(),
  };

  constructor(
    readonly accountId: number,
    readonly market: Market,
    /** That of the account's party in the market. */
    readonly share: Share = new Share(),
  ) {}

  ordersOf(side: Side): Map<number, Order> {
    return side === 'buy' ? this.buys : this.sells;
  }

  reducibleBy(side: Side): number {
    return reducibleLots(this.sizeLots, side);
  }
}
