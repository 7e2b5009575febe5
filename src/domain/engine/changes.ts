/**
 * What a batch of commands has changed, collected as it happens: the rows to write, the events to
 * tell, and the shares of the state hash to renew. Things that change twice appear once.
 */
import type { BookSide } from '../matching/order-book.js';
import type { Account, Asset, Balance, Hold, Limits, Market, Order, Position, Tracked } from './state.js';
import type {
  BookChange,
  BookLevel,
  LedgerTransfer,
  MatchedBet,
  SettlementChunk,
  SettlementRecord,
  Side,
  Trade,
} from './types.js';

export class Changes {
  readonly orders: Order[] = [];
  readonly trades: Trade[] = [];
  readonly matchedBets: MatchedBet[] = [];
  readonly transfers: LedgerTransfer[] = [];
  readonly balances: Balance[] = [];
  readonly positions: Position[] = [];
  readonly markets: Market[] = [];
  readonly newMarkets: Market[] = [];
  readonly settlements: SettlementRecord[] = [];
  readonly settlementChunks: SettlementChunk[] = [];
  readonly newAccounts: Account[] = [];
  /** Those whose KYC level was set, or that were frozen or unfrozen. */
  readonly accounts: Account[] = [];
  readonly newAssets: Asset[] = [];
  readonly newHolds: Hold[] = [];
  readonly endedHolds: Hold[] = [];
  readonly books: BookChange[] = [];
  /** Set where the limits were configured anew. */
  limits: Limits | null = null;

  /** One for each market in which the current command did something. */
  private readonly touches: Touch[] = [];

  constructor(readonly batch: number) {}

  order(order: Order): void {
    if (this.isFirst(order)) this.orders.push(order);
  }

  balance(balance: Balance): void {
    if (this.isFirst(balance)) this.balances.push(balance);
  }

  account(account: Account): void {
    if (this.isFirst(account)) this.accounts.push(account);
  }

  position(position: Position): void {
    if (this.isFirst(position)) this.positions.push(position);
  }

  market(market: Market): void {
    if (this.isFirst(market)) this.markets.push(market);
  }

  /** A level of a book that will be told as it stands at the end of the command. */
  level(market: Market, side: Side, priceTicks: number): void {
    const { bids, asks } = this.touchOf(market);
    const prices = side === 'buy' ? bids : asks;
    if (prices.at(-1) !== priceTicks) prices.push(priceTicks);
  }

  /** A market in which the current command did something: its book sequence moves on by one. */
  touch(market: Market, timeMs: number): void {
    const touch = this.touchOf(market);
    if (touch.isCounted) return;
    touch.isCounted = true;
    market.bookSequence++;
    market.changedAtMs = timeMs;
    this.market(market);
  }

  /** Closes the command: one book change for each market that it touched. */
  endCommand(): void {
    for (const { market, bids, asks } of this.touches) {
      this.books.push({
        marketId: market.definition.marketId,
        bookSequence: market.bookSequence,
        bids: levelsAt(market.book.bids, bids),
        asks: levelsAt(market.book.asks, asks),
      });
    }
    this.touches.length = 0;
  }

  /** Looks at the latest first: a command that touches many markets does so one after the other. */
  private touchOf(market: Market): Touch {
    for (let index = this.touches.length - 1; index >= 0; index--) {
      const touch = this.touches[index]!;
      if (touch.market === market) return touch;
    }
    const touch: Touch = { market, bids: [], asks: [], isCounted: false };
    this.touches.push(touch);
    return touch;
  }

  private isFirst(thing: Tracked): boolean {
    if (thing.changedInBatch === this.batch) return false;
    thing.changedInBatch = this.batch;
    return true;
  }
}

/** What the current command did in one market: prices may repeat. */
interface Touch {
  readonly market: Market;
  readonly bids: number[];
  readonly asks: number[];
  /** Its book sequence has moved on for this command. */
  isCounted: boolean;
}

/** The levels at these prices as they stand now; prices may repeat. */
export function levelsAt(side: BookSide<Order>, prices: readonly number[]): BookLevel[] {
  const levels: BookLevel[] = [];
  for (const priceTicks of prices.length > 1 ? new Set(prices) : prices) {
    const level = side.levelAt(priceTicks);
    levels.push([priceTicks, level?.totalLots ?? 0, level?.orders ?? 0]);
  }
  return levels;
}
