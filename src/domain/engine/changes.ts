/**
 * What a batch of commands has changed, collected as it happens: the rows to write, the events to
 * tell, and the shares of the state hash to renew. Things that change twice appear once.
 */
import type { Account, Asset, Balance, Hold, Market, Order, Position, Tracked } from './state.js';
import type { BookChange, BookLevel, LedgerTransfer, Side, Trade } from './types.js';

export class Changes {
  readonly orders: Order[] = [];
  readonly trades: Trade[] = [];
  readonly transfers: LedgerTransfer[] = [];
  readonly balances: Balance[] = [];
  readonly positions: Position[] = [];
  readonly markets: Market[] = [];
  readonly newMarkets: Market[] = [];
  readonly newAccounts: Account[] = [];
  readonly newAssets: Asset[] = [];
  readonly newHolds: Hold[] = [];
  readonly endedHolds: Hold[] = [];
  readonly books: BookChange[] = [];

  private readonly touchedLevels: { market: Market; side: Side; priceTicks: number }[] = [];
  private readonly touchedMarkets: Market[] = [];

  constructor(readonly batch: number) {}

  order(order: Order): void {
    if (this.isFirst(order)) this.orders.push(order);
  }

  balance(balance: Balance): void {
    if (this.isFirst(balance)) this.balances.push(balance);
  }

  position(position: Position): void {
    if (this.isFirst(position)) this.positions.push(position);
  }

  market(market: Market): void {
    if (this.isFirst(market)) this.markets.push(market);
  }

  /** A level of a book that will be told as it stands at the end of the command. */
  level(market: Market, side: Side, priceTicks: number): void {
    this.touchedLevels.push({ market, side, priceTicks });
  }

  /** A market in which the current command did something: its book sequence moves on by one. */
  touch(market: Market, timeMs: number): void {
    if (this.touchedMarkets.includes(market)) return;
    this.touchedMarkets.push(market);
    market.bookSequence++;
    market.changedAtMs = timeMs;
    this.market(market);
  }

  /** Closes the command: one book change for each market that it touched. */
  endCommand(): void {
    for (const market of this.touchedMarkets) {
      this.books.push({
        marketId: market.definition.marketId,
        bookSequence: market.bookSequence,
        bids: this.levelsOf(market, 'buy'),
        asks: this.levelsOf(market, 'sell'),
      });
    }
    this.touchedMarkets.length = 0;
    this.touchedLevels.length = 0;
  }

  private levelsOf(market: Market, side: Side): BookLevel[] {
    const levels: BookLevel[] = [];
    for (const touched of this.touchedLevels) {
      if (touched.market !== market || touched.side !== side) continue;
      if (levels.some(([priceTicks]) => priceTicks === touched.priceTicks)) continue;
      const level = market.book.sideOf(side).levelAt(touched.priceTicks);
      levels.push([touched.priceTicks, level?.totalLots ?? 0, level?.orders ?? 0]);
    }
    return levels;
  }

  private isFirst(thing: Tracked): boolean {
    if (thing.changedInBatch === this.batch) return false;
    thing.changedInBatch = this.batch;
    return true;
  }
}
