/**
 * Collects what a batch of commands changes: the rows to write, the events to publish, and the shares of the state hash
 * to update. A thing that changes twice is listed once.
 */
import { invariant } from '../invariant.js';
import type { BookSide } from '../matching/order-book.js';
import type {
  Account,
  Asset,
  Balance,
  EventGroup,
  Hold,
  Limits,
  Market,
  Order,
  Position,
  Protection,
  Tracked,
} from './state.js';
import type {
  BookChange,
  BookLevel,
  LedgerTransfer,
  MatchedBet,
  SetLeg,
  SettlementChunk,
  SettlementRecord,
  Side,
  Trade,
} from './types.js';

const NO_ORDERS: Order[] = [];

export class Changes {
  readonly orders: Order[] = [];
  readonly trades: Trade[] = [];
  readonly matchedBets: MatchedBet[] = [];
  readonly transfers: LedgerTransfer[] = [];
  readonly balances: Balance[] = [];
  readonly positions: Position[] = [];
  readonly markets: Market[] = [];
  readonly newMarkets: Market[] = [];
  readonly newGroups: EventGroup[] = [];
  readonly setLegs: SetLeg[] = [];
  readonly settlements: SettlementRecord[] = [];
  readonly settlementChunks: SettlementChunk[] = [];
  readonly newAccounts: Account[] = [];
  /** Accounts whose KYC level was set, that were frozen or unfrozen, or whose own limits have changed or were used. */
  readonly accounts: Account[] = [];
  readonly newAssets: Asset[] = [];
  readonly newHolds: Hold[] = [];
  readonly endedHolds: Hold[] = [];
  readonly books: BookChange[] = [];
  readonly protections: Protection[] = [];
  /** Not null if the limits were changed. */
  limits: Limits | null = null;

  /** Trailing stops that keep a better price; nothing that their owners see of them has changed. */
  private readonly trailedOrders = new Set<Order>();
  /** Orders of before this batch whose fields have changed. */
  private readonly refieldedOrders = new Set<Order>();
  /** One for each market that the current command touched. */
  private readonly touches: Touch[] = [];
  /** What the current command moved; see `checkApplied`. */
  readonly moved: Balance[] = [];

  constructor(readonly batch: number) {}

  order(order: Order): void {
    if (this.isFirst(order)) this.orders.push(order);
  }

  trailed(order: Order): void {
    this.trailedOrders.add(order);
  }

  /** Those that are not among `orders`. */
  get onlyTrailed(): Order[] {
    if (this.trailedOrders.size === 0) return NO_ORDERS;
    return [...this.trailedOrders].filter(({ changedInBatch }) => changedInBatch !== this.batch);
  }

  /** Notes that the fields of an order are others now. */
  fielded(order: Order): void {
    this.refieldedOrders.add(order);
  }

  /** New orders with fields, and those whose fields have changed. */
  get fieldedOrders(): Order[] {
    return this.orders.filter(
      (order) => order.fields !== null && (!order.stored || this.refieldedOrders.has(order)),
    );
  }

  balance(balance: Balance): void {
    if (this.isFirst(balance)) this.balances.push(balance);
    if (balance.isMoved) return;
    balance.isMoved = true;
    this.moved.push(balance);
  }

  account(account: Account): void {
    if (this.isFirst(account)) this.accounts.push(account);
  }

  protection(protection: Protection): void {
    if (this.isFirst(protection)) this.protections.push(protection);
  }

  position(position: Position): void {
    if (this.isFirst(position)) this.positions.push(position);
  }

  market(market: Market): void {
    if (this.isFirst(market)) this.markets.push(market);
  }

  /** Marks a level of a book; its state at the end of the command will be published. */
  level(market: Market, side: Side, priceTicks: number): void {
    const { bids, asks } = this.touchOf(market);
    const prices = side === 'buy' ? bids : asks;
    if (prices.at(-1) !== priceTicks) prices.push(priceTicks);
  }

  /** Marks a market that the current command touched: its book sequence increases by one. */
  touch(market: Market, timeMs: number): void {
    const touch = this.touchOf(market);
    if (touch.isCounted) return;
    touch.isCounted = true;
    market.bookSequence++;
    market.changedAtMs = timeMs;
    this.market(market);
  }

  /** Whether the current command has touched a market. */
  get isInCommand(): boolean {
    return this.touches.length > 0;
  }

  /** Ends the command: adds one book change for each market that it touched, and returns those markets. */
  endCommand(): Market[] {
    const touched = this.touches.map(({ market }) => market);
    for (const { market, bids, asks, isCounted } of this.touches) {
      invariant(isCounted, 'a book that changes counts the command', market.definition.marketId);
      this.books.push({
        marketId: market.definition.marketId,
        bookSequence: market.bookSequence,
        bids: levelsAt(market.book.bids, bids),
        asks: levelsAt(market.book.asks, asks),
      });
    }
    this.touches.length = 0;
    return touched;
  }

  /** Searches from the latest: a command that touches many markets does so one after the other. */
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

/** What the current command did in one market; a price may be listed twice. */
interface Touch {
  readonly market: Market;
  readonly bids: number[];
  readonly asks: number[];
  /** Whether its book sequence was increased for this command. */
  isCounted: boolean;
}

/** The current state of the levels at these prices; a price may be listed twice. */
export function levelsAt(side: BookSide<Order>, prices: readonly number[]): BookLevel[] {
  const levels: BookLevel[] = [];
  for (const priceTicks of prices.length > 1 ? new Set(prices) : prices) {
    const level = side.levelAt(priceTicks);
    levels.push([priceTicks, level?.shownLots ?? 0, level?.orders ?? 0]);
  }
  return levels;
}
