/** The objects of trading: orders and markets. They refer to each other, so one file has both. */
import { type BookEntry, type Level, OrderBook, shownLotsOf } from '../matching/order-book.js';
import type { SelfTradePrevention, Side } from '../matching/terms.js';
import type { FieldValues } from '../fields.js';
import { type Amount, amount, UNITS_PER_ONE } from '../money/amount.js';
import type { CoverEntry } from './cover-queue.js';
import type { DueEntry } from './due-queue.js';
import type { EventGroup } from './event-group.js';
import { isStopType } from './order-terms.js';
import type { Party } from './party.js';
import { type ReachedTicks, type Stop, StopQueue } from './stop-queue.js';
import type {
  AdvancedTerms,
  FeeRates,
  MarketDefinition,
  MarketStatus,
  OrderSnapshot,
  OrderStatus,
  OrderType,
  StatusReason,
  StopTrigger,
  TimeInForce,
} from './types.js';

/** What the state hash and the rows of a commit need from every object that can change. */
export interface Tracked {
  /** The batch that last changed it; the current batch while it waits to be written. */
  changedInBatch: number;
  /** Its share of the state hash after the last committed batch; null if it has none. */
  digest: bigint | null;
}

export class Order implements BookEntry<Order>, Tracked, DueEntry, Stop, CoverEntry {
  level: Level<Order> | null = null;
  previous: Order | null = null;
  next: Order | null = null;
  dueIndex = -1;
  stopIndex = -1;
  coverSlot = -1;
  changedInBatch = -1;
  digest: bigint | null = null;
  /** Those of its account, while it is live. */
  owner: string | null = null;
  party: Party | null = null;
  /** False until the batch that created it is committed: insert the row instead of updating it. */
  stored = false;

  filledLots = 0;
  filledNotional = 0n;
  fees = 0n;
  /** The accumulated rounding of the fee, in units of 10^-36: exact fee = fees·10^18 − feeRounding. */
  feeRounding = 0n;
  held = 0n;
  /** Its contribution to the account's open lots; see `recountLots`. */
  countedLots = 0;
  countedTicks = NaN;
  /** Lots that close an opposite position and so need no money (event markets). */
  coveredLots = 0;
  /** Of a waiting trailing stop, its part of the best price since it was accepted; see `trailing-stops.ts`. */
  bestTicks: number | null = null;
  /** Lots that the book does not show; see `displayLots`. */
  hiddenLots = 0;
  /** What plugins keep with it; null until there is something. Not a part of the state hash. */
  fields: FieldValues | null = null;
  status: OrderStatus = 'open';
  statusReason: StatusReason | null = null;
  /** The sequence of the command that gave it its place in the queue. */
  queueSequence: number;
  bookSequence = 0;
  updatedAtMs: number;

  readonly orderId: number;
  readonly accountId: number;
  readonly market: Market;
  readonly clientOrderId: string | null;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** NaN if the type has no price: such an order never enters the book. */
  priceTicks: number;
  readonly stopPriceTicks: number | null;
  sizeLots: number;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly expiresAtMs: number | null;
  /** The rates of a fee policy, or the market's where they have changed; null = those that the market was made with. */
  readonly feeRates: FeeRates | null;
  /** Null where the order has none of them. */
  readonly advanced: AdvancedTerms | null;
  readonly createdAtMs: number;
  remainingLots: number;

  constructor(terms: OrderTerms) {
    this.orderId = terms.orderId;
    this.accountId = terms.accountId;
    this.market = terms.market;
    this.clientOrderId = terms.clientOrderId;
    this.side = terms.side;
    this.type = terms.type;
    this.timeInForce = terms.timeInForce;
    this.priceTicks = terms.priceTicks;
    this.stopPriceTicks = terms.stopPriceTicks;
    this.sizeLots = terms.sizeLots;
    this.postOnly = terms.postOnly;
    this.reduceOnly = terms.reduceOnly;
    this.selfTradePrevention = terms.selfTradePrevention;
    this.expiresAtMs = terms.expiresAtMs;
    this.feeRates = terms.feeRates;
    this.advanced = terms.advanced;
    this.createdAtMs = terms.createdAtMs;
    this.remainingLots = terms.sizeLots;
    this.queueSequence = terms.orderId;
    this.updatedAtMs = terms.createdAtMs;
  }

  get dueMs(): number {
    return this.expiresAtMs!;
  }

  get dueOrder(): number {
    return this.orderId;
  }

  /** Order ids are unique, so they need no further tie-breaker. */
  get dueName(): string {
    return '';
  }

  get isLive(): boolean {
    return this.status === 'open' || this.status === 'partially_filled' || this.status === 'untriggered';
  }

  get hasPrice(): boolean {
    return this.type === 'limit' || this.type === 'stop_limit';
  }

  get makerFeeRate(): Amount {
    const { originalMakerFeeRate, makerFeeRate } = this.market.definition;
    return this.feeRates === null ? (originalMakerFeeRate ?? makerFeeRate) : this.feeRates.maker;
  }

  get takerFeeRate(): Amount {
    const { originalTakerFeeRate, takerFeeRate } = this.market.definition;
    return this.feeRates === null ? (originalTakerFeeRate ?? takerFeeRate) : this.feeRates.taker;
  }

  /** How much of it the book shows at a time: all of it, but for icebergs. */
  get displayLots(): number {
    return this.advanced?.displayLots ?? Infinity;
  }

  get listId(): number | null {
    return this.advanced?.listId ?? null;
  }

  get isMassQuote(): boolean {
    return this.advanced?.origin === 'mass_quote';
  }

  /** Whether it closes, in its list, what the list's entry opens; of two such orders one ends the other. */
  get isExit(): boolean {
    return this.advanced?.listRole === 'exit';
  }

  /** Whether it is an exit of whose entry nothing has traded yet. */
  get awaitsEntry(): boolean {
    return this.statusReason === 'awaiting_entry';
  }

  get isStop(): boolean {
    return isStopType(this.type);
  }

  get isTrailing(): boolean {
    return this.type === 'trailing_stop';
  }

  get stopTrigger(): StopTrigger {
    return this.advanced?.stopTrigger ?? 'last';
  }

  get trailingTicks(): number | null {
    return this.advanced?.trailingTicks ?? null;
  }

  get trailingBps(): number | null {
    return this.advanced?.trailingBps ?? null;
  }

  /** What the book shows of it now: a part of `displayLots`, which is as large again once it has traded whole. */
  get shownLots(): number {
    return shownLotsOf(this.remainingLots, this.filledLots, this.displayLots);
  }

  /** Whether its untraded part may rest in the book. */
  get mayRest(): boolean {
    return this.hasPrice && (this.timeInForce === 'GTC' || this.timeInForce === 'GTD');
  }

  /** The asset in which the order's money is held. */
  get heldAsset(): string {
    const { definition } = this.market;
    return definition.baseAsset !== null && this.side === 'sell'
      ? definition.baseAsset
      : definition.quoteAsset;
  }

  /** A copy outside all books and indexes, for what-if calculations. */
  twin(): Order {
    const twin = Object.create(Order.prototype) as Order;
    const apart = { level: null, previous: null, next: null, dueIndex: -1, stopIndex: -1 };
    return Object.assign(twin, this, apart);
  }

  snapshot(): OrderSnapshot {
    const snapshot = {
      orderId: this.orderId,
      accountId: this.accountId,
      marketId: this.market.definition.marketId,
      clientOrderId: this.clientOrderId,
      side: this.side,
      type: this.type,
      timeInForce: this.timeInForce,
      priceTicks: this.hasPrice ? this.priceTicks : null,
      stopPriceTicks: this.stopPriceTicks,
      sizeLots: this.sizeLots,
      filledLots: this.filledLots,
      remainingLots: this.remainingLots,
      filledNotional: this.filledNotional as Amount,
      fees: this.fees as Amount,
      postOnly: this.postOnly,
      reduceOnly: this.reduceOnly,
      selfTradePrevention: this.selfTradePrevention,
      expiresAtMs: this.expiresAtMs,
      advanced: this.advanced,
      status: this.status,
      statusReason: this.statusReason,
      createdAtMs: this.createdAtMs,
      updatedAtMs: this.updatedAtMs,
      bookSequence: this.bookSequence,
    };
    return this.fields === null ? snapshot : { ...snapshot, fields: this.fields };
  }
}

/** The initial terms of an order; everything else is derived or set later. */
export type OrderTerms = Pick<
  Order,
  | 'orderId'
  | 'accountId'
  | 'market'
  | 'clientOrderId'
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'priceTicks'
  | 'stopPriceTicks'
  | 'sizeLots'
  | 'postOnly'
  | 'reduceOnly'
  | 'selfTradePrevention'
  | 'expiresAtMs'
  | 'feeRates'
  | 'advanced'
  | 'createdAtMs'
>;

/** The pending opening or closing time of a market. */
export class MarketDue implements DueEntry {
  dueIndex = -1;
  /** Before all orders that expire at the same time. */
  readonly dueOrder = 0;

  constructor(
    readonly market: Market,
    readonly kind: 'open' | 'close',
    readonly dueMs: number,
  ) {}

  get dueName(): string {
    return this.market.definition.marketId;
  }
}

export class Market implements Tracked {
  readonly book = new OrderBook<Order>();
  readonly stops = new StopQueue<Order>();
  status: MarketStatus = 'scheduled';
  bookSequence = 0;
  lastPriceTicks: number | null = null;
  /** The traded price range whose stops are not all collected yet; low above high if empty. */
  tradedRange: ReachedTicks = NOTHING_TRADED;
  openInterestLots = 0;
  /**
   * While the market is settling, `openInterestLots` are the unpaid long contracts and these the unpaid short ones.
   * Null otherwise, when both are equal.
   */
  owedShortLots: number | null = null;
  settlementValue: Amount | null = null;
  settledAtMs: number | null = null;
  /** The group that it belongs to; null where it stands alone. */
  group: EventGroup | null = null;
  /** When its book last changed. */
  changedAtMs = 0;
  changedInBatch = -1;
  digest: bigint | null = null;
  /** Whether status, settlement or definition differ from the stored row. */
  rowChanged = false;
  readonly dues: MarketDue[] = [];

  /** Price of one tick times size of one lot; exact because their decimals together are at most 18. */
  private readonly notionalUnit: bigint;

  constructor(
    public definition: MarketDefinition,
    readonly poolAccountId: number | null,
    readonly createdAtMs: number,
  ) {
    this.notionalUnit = (definition.tickSize * definition.lotSize) / UNITS_PER_ONE;
  }

  /** The rates that a new order without a fee policy must carry, since those that it would have without are others. */
  get changedFeeRates(): FeeRates | null {
    const { originalMakerFeeRate, makerFeeRate, takerFeeRate } = this.definition;
    return originalMakerFeeRate === null ? null : { maker: makerFeeRate, taker: takerFeeRate };
  }

  /** Its status, or `closed` from `closes_at` on: the command that closes it may run later. */
  statusAt(timeMs: number): MarketStatus {
    const { closesAtMs } = this.definition;
    const isOver = closesAtMs !== null && closesAtMs <= timeMs;
    return this.status === 'open' && isOver ? 'closed' : this.status;
  }

  /** The short contracts that are open. */
  get shortLots(): number {
    return this.owedShortLots ?? this.openInterestLots - (this.group?.setsLots ?? 0);
  }

  get isEvent(): boolean {
    return this.definition.kind === 'event';
  }

  /** Price times size. */
  notional(priceTicks: number, lots: number): bigint {
    const product = priceTicks * lots;
    const exact = Number.isSafeInteger(product) ? BigInt(product) : BigInt(priceTicks) * BigInt(lots);
    return exact * this.notionalUnit;
  }

  /** The money of one side for opening one lot at this price. */
  openingCost(side: Side, priceTicks: number): bigint {
    const notional = this.notional(priceTicks, 1);
    return side === 'buy' ? notional : this.sizeOf(1) - notional;
  }

  /** The size as an amount: of the base asset, or of the quote asset that as many contracts can pay. */
  sizeOf(lots: number): bigint {
    return BigInt(lots) * this.definition.lotSize;
  }

  /** What contracts are worth at a price; exact where price times lot_size has no more than 18 decimals. */
  worthOf(lots: number, price: bigint): bigint {
    return (this.sizeOf(lots) * price) / UNITS_PER_ONE;
  }

  price(ticks: number): Amount {
    return amount(BigInt(ticks) * this.definition.tickSize);
  }

  noteTradedAt(priceTicks: number): void {
    this.lastPriceTicks = priceTicks;
    const { lowTicks, highTicks } = this.tradedRange;
    if (priceTicks >= lowTicks && priceTicks <= highTicks) return;
    this.tradedRange = {
      lowTicks: Math.min(lowTicks, priceTicks),
      highTicks: Math.max(highTicks, priceTicks),
    };
  }

  /** The traded range if it may still have stops to collect, else null. */
  get pendingTicks(): ReachedTicks | null {
    return this.tradedRange.lowTicks > this.tradedRange.highTicks ? null : this.tradedRange;
  }

  clearTradedRange(): void {
    this.tradedRange = NOTHING_TRADED;
  }

  /** The amount that a fee rate is multiplied by. */
  feeBase(priceTicks: number, lots: number): bigint {
    const notional = this.notional(priceTicks, lots);
    if (this.definition.feeBase === 'notional') return notional;
    return (notional * (UNITS_PER_ONE - this.price(priceTicks))) / UNITS_PER_ONE;
  }
}

const NOTHING_TRADED: ReachedTicks = { lowTicks: Infinity, highTicks: -Infinity };
