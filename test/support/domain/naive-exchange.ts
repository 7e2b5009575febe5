/**
 * The exchange in its simplest form, for comparison with the engine. It keeps flat arrays, sorts them whenever order
 * matters, counts in bigint units of 10^-18, and stores no holds but computes them anew each time. It is slow on
 * purpose: nothing clever can be wrong. Written from the rules that the API promises, not from the engine.
 */
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import type {
  AcceptQuote,
  AccountReference,
  AmendOrder,
  CancelAllOrders,
  CancelOrder,
  CancelOrderList,
  ConfigureLimits,
  ContinueSettlement,
  CorrectEventGroup,
  CorrectSettlement,
  MassQuote,
  MergeEventGroup,
  MoveMoney,
  PayFromHold,
  PlaceHold,
  PlaceOrder,
  PlaceOrderList,
  RefusalCode,
  ReleaseHold,
  ReplaceOrder,
  SetAccountFrozen,
  SetKycLevel,
  SetMarketStatus,
  SettleEventGroup,
  SplitEventGroup,
} from '../../../src/domain/engine/commands.js';
import type { RequestedOrder } from '../../../src/domain/engine/acceptance.js';
import type { QuoteRequest } from '../../../src/domain/engine/quotes.js';
import type {
  MarketDefinition,
  MarketStatus,
  OrderStatus,
  Side,
  StatusReason,
} from '../../../src/domain/engine/types.js';

const ONE = 10n ** 18n;
const RAIL_LIMIT = 10n ** 18n * ONE;

export interface NaiveOrder {
  /** The order's number in the sequence of accepted orders. */
  readonly serial: number;
  readonly account: number;
  readonly market: string;
  readonly side: Side;
  readonly type: PlaceOrder['orderType'];
  readonly timeInForce: PlaceOrder['timeInForce'];
  readonly stopPrice: bigint | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: PlaceOrder['selfTradePrevention'] | 'skip';
  readonly expiresAtMs: number | null;
  /** The list that it belongs to, and what it is there. */
  readonly list: number | null;
  readonly role: 'entry' | 'exit' | null;
  /** Whether it is an exit that was never armed. */
  isUnarmed: boolean;
  readonly trigger: 'last' | 'mark';
  /** How far a trailing stop follows behind, given the best price; null of other orders. */
  readonly trails: ((best: bigint) => bigint) | null;
  readonly isMassQuote: boolean;
  /** The best price since a trailing stop was accepted. */
  best: bigint | null;
  /** How much of it is shown at a time; null where all of it. */
  readonly display: bigint | null;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  price: bigint | null;
  size: bigint;
  filled: bigint;
  /** Size removed by self-trade prevention. */
  removed: bigint;
  notional: bigint;
  /** Sum of rate times base so far, in units of 10^-36. */
  exactFees: bigint;
  /** The fees less the rebates. */
  fees: bigint;
  rebates: bigint;
  status: OrderStatus;
  reason: StatusReason | null;
  /** When it joined the queue; null while it is not in the book. */
  queuedAt: number | null;
}

export interface NaiveFill {
  readonly price: bigint;
  readonly size: bigint;
  readonly maker: number;
  readonly taker: number;
  readonly makerFee: bigint;
  readonly takerFee: bigint;
}

export interface NaivePosition {
  readonly account: number;
  readonly market: string;
  size: bigint;
  cost: bigint;
  realized: bigint;
  fees: bigint;
  /** Size open when the market settled. */
  settled: bigint;
}

export interface NaiveMarket {
  readonly definition: MarketDefinition;
  readonly pool: number;
  status: MarketStatus;
  lastPrice: bigint | null;
  /** The range of traded prices since stops were last collected completely. */
  traded: { readonly low: bigint; readonly high: bigint } | null;
  settlement: bigint | null;
}

/** Markets that exclude each other, and the account that has the money of all of them. */
export interface NaiveGroup {
  readonly groupId: string;
  readonly markets: readonly string[];
  readonly pool: number;
}

/** What a trade of sets did to one position. */
export interface NaiveLeg {
  readonly account: number;
  readonly market: string;
  readonly side: Side;
  readonly size: bigint;
  readonly price: bigint;
}

/** What netting did with the contracts of one account; `isBounded` where there was no room for more. */
export interface NaiveNetting {
  readonly account: number;
  readonly merged: bigint;
  readonly converted: bigint;
  readonly paid: bigint;
  readonly released: bigint;
  readonly isBounded: boolean;
}

export interface NaiveQuote {
  readonly sizeLots: number;
  readonly notional: bigint;
  readonly fee: bigint;
  readonly worst: bigint;
}

interface Money {
  readonly account: number;
  readonly asset: string;
  total: bigint;
}

/** How the quotes of an account are protected. */
export interface NaiveProtection {
  readonly account: number;
  readonly fills: number;
  readonly windowMs: number;
  /** When its quotes were filled since it began to count. */
  times: number[];
  isTripped: boolean;
}

interface OtherHold {
  readonly owner: string;
  readonly account: number;
  readonly asset: string;
  readonly amount: bigint;
}

export type NaiveCommand =
  | PlaceOrder
  | ReplaceOrder
  | PlaceOrderList
  | CancelOrderList
  | MassQuote
  | AmendOrder
  | CancelOrder
  | CancelAllOrders
  | AcceptQuote
  | SetMarketStatus
  | ContinueSettlement
  | CorrectSettlement
  | SplitEventGroup
  | MergeEventGroup
  | SettleEventGroup
  | CorrectEventGroup
  | SetKycLevel
  | ConfigureLimits
  | SetAccountFrozen
  | MoveMoney
  | PlaceHold
  | ReleaseHold
  | PayFromHold
  | { readonly type: 'advance_time' }
  | { readonly type: 'run_triggers'; readonly marketId: string };

/** `null` if done, else the refusal. */
export type NaiveAnswer = RefusalCode | null;

export class NaiveExchange {
  timeMs = 0;
  scales: Record<string, number> = {};
  accounts: number[] = [];
  /** Whose the accounts are, and who made those, at the top of who made whom. */
  owners: Record<number, string> = {};
  roots: Record<number, string> = {};
  /** Accounts that hold and move money and never trade. */
  wallets: number[] = [];
  /** Accounts of the outside world by rail, and the one that fees go to. */
  rails: Record<string, number> = {};
  feesAccount = -1;
  /** Limits of live orders, and of stops among them, per account and market. */
  limits = {
    openOrdersMax: 10_000,
    openStopsMax: 200,
    ownerOpenOrdersMax: 20_000,
    ownerOpenStopsMax: 1_000,
  };
  /** KYC levels by account; 0 where none was set. */
  kycLevels: Record<number, number> = {};
  /** Frozen accounts: they cannot trade or withdraw. */
  frozen = new Set<number>();
  money: Money[] = [];
  markets: NaiveMarket[] = [];
  groups: NaiveGroup[] = [];
  positions: NaivePosition[] = [];
  otherHolds: OtherHold[] = [];
  protections: NaiveProtection[] = [];
  /** Accounts whose quotes must go. */
  private tripped: number[] = [];
  /** Live orders. */
  orders: NaiveOrder[] = [];
  /** Orders ended and trades made by the current command. */
  ended: NaiveOrder[] = [];
  fills: NaiveFill[] = [];
  legs: NaiveLeg[] = [];
  nettings: NaiveNetting[] = [];
  /** Accounts whose orders it filled in a group, since their positions were netted. */
  private filled: { account: number; group: NaiveGroup }[] = [];
  /** Markets changed by it. */
  touched = new Set<string>();
  /** Orders of lists that it changed. */
  private changed = new Set<NaiveOrder>();
  /** All orders of each list. */
  private readonly lists: NaiveOrder[][] = [];
  /** Serials of the orders that it placed, and why each side of a mass quote that had to be placed was refused. */
  placed: number[] = [];
  quoted: NaiveAnswer[] = [];
  /** The number of stops it ran, those that had expired by then among them. */
  stopsRun = 0;
  private serials = 0;
  private queuePlaces = 0;

  constructor(private readonly bounds: Bounds = BOUNDS) {}

  apply(command: NaiveCommand): NaiveAnswer {
    this.ended = [];
    this.fills = [];
    this.legs = [];
    this.nettings = [];
    this.touched = new Set();
    this.changed = new Set();
    this.placed = [];
    this.quoted = [];
    this.stopsRun = 0;
    const answer = this.carryOut(command);
    this.followLists();
    return answer;
  }

  private carryOut(command: NaiveCommand): NaiveAnswer {
    switch (command.type) {
      case 'place_order':
        return this.place(command);
      case 'replace_order':
        return this.replace(command);
      case 'place_order_list':
        return this.placeList(command);
      case 'cancel_order_list':
        return this.cancelList(command);
      case 'mass_quote':
        return this.massQuote(command);
      case 'amend_order':
        return this.amend(command);
      case 'cancel_order':
        return this.cancel(command);
      case 'cancel_all_orders':
        return this.cancelAll(command);
      case 'accept_quote':
        return this.acceptQuote(command);
      case 'set_market_status':
        return this.setStatus(command);
      case 'continue_settlement':
        return this.continueSettlement(command);
      case 'correct_settlement':
        return this.correctSettlement(command);
      case 'split_event_group':
        return this.tradeSets(command, 'buy');
      case 'merge_event_group':
        return this.tradeSets(command, 'sell');
      case 'settle_event_group':
        return this.settleGroup(command);
      case 'correct_event_group':
        return this.correctGroup(command);
      case 'set_kyc_level':
        return this.setKycLevel(command);
      case 'configure_limits':
        return this.configureLimits(command);
      case 'set_account_frozen':
        return this.setFrozen(command);
      case 'move_money':
        return this.moveMoney(command);
      case 'place_hold':
        return this.placeHold(command);
      case 'release_hold':
        return this.releaseHold(command);
      case 'pay_from_hold':
        return this.payFromHold(command);
      case 'advance_time':
        return this.advanceTime();
      case 'run_triggers':
        return this.runTriggers(this.market(command.marketId)!);
    }
  }

  /** The serial of the last accepted order. */
  get lastSerial(): number {
    return this.serials;
  }

  market(marketId: string): NaiveMarket | undefined {
    return this.markets.find((market) => market.definition.marketId === marketId);
  }

  // ---- money, always computed anew ----

  total(account: number, asset: string): bigint {
    return this.moneyOf(account, asset).total;
  }

  held(account: number, asset: string): bigint {
    let held = 0n;
    for (const hold of this.otherHolds)
      if (hold.account === account && hold.asset === asset) held += hold.amount;
    for (const order of this.orders) {
      if (order.account === account && this.heldAsset(order) === asset) held += this.holdOf(order);
    }
    return held;
  }

  available(account: number, asset: string): bigint {
    return this.total(account, asset) - this.held(account, asset);
  }

  heldAsset(order: NaiveOrder): string {
    const { kind, baseAsset, quoteAsset } = this.market(order.market)!.definition;
    return kind === 'spot' && order.side === 'sell' ? baseAsset! : quoteAsset;
  }

  /**
   * The hold of a live order: the cost of the opening part (event) or of all (spot), and the fee at the higher rate.
   */
  holdOf(order: NaiveOrder): bigint {
    if (order.price === null) return 0n;
    const { definition } = this.market(order.market)!;
    const left = remaining(order);
    if (definition.kind === 'spot') {
      const all = order.side === 'sell' ? left : times(order.price, left) + this.feeStillPossible(order);
      if (order.stopPrice === null) return all;
      // Only one of two exits can trade: the stop holds what it needs beyond the other.
      const other = this.orders.find(
        (one) => order.role === 'exit' && one.list === order.list && one.role === 'exit' && one !== order,
      );
      return other === undefined ? all : max(0n, all - this.holdOf(other));
    }
    const opening = left - this.coverOf(order);
    const cost = order.side === 'buy' ? times(order.price, opening) : times(ONE - order.price, opening);
    return cost + this.feeStillPossible(order);
  }

  /** The part of the order that closes a position, after the orders accepted before it. */
  coverOf(order: NaiveOrder): bigint {
    let cover = this.reducible(order);
    for (const other of this.orders) {
      if (other.account !== order.account || other.market !== order.market || other.side !== order.side)
        continue;
      if (other.price === null) continue;
      const share = min(cover, remaining(other));
      if (other.serial === order.serial) return share;
      cover -= share;
    }
    throw new Error(`order ${order.serial} is not live`);
  }

  private feeStillPossible(order: NaiveOrder): bigint {
    const rate = order.makerRate > order.takerRate ? order.makerRate : order.takerRate;
    if (rate === 0n) return 0n;
    const exact = order.exactFees + rate * this.feeBase(order.market, order.price!, remaining(order));
    return max(0n, ceilDiv(exact, ONE) - (order.fees + order.rebates));
  }

  private feeBase(marketId: string, price: bigint, size: bigint): bigint {
    const { feeBase } = this.market(marketId)!.definition;
    return feeBase === 'notional' ? times(price, size) : times(times(price, size), ONE - price);
  }

  private moneyOf(account: number, asset: string): Money {
    let money = this.money.find((one) => one.account === account && one.asset === asset);
    if (money === undefined) {
      money = { account, asset, total: 0n };
      this.money.push(money);
    }
    return money;
  }

  groupOf(marketId: string): NaiveGroup | undefined {
    return this.groups.find(({ markets }) => markets.includes(marketId));
  }

  private poolOf({ definition: { marketId }, pool }: NaiveMarket): number {
    return this.groupOf(marketId)?.pool ?? pool;
  }

  private pay(from: number, to: number, asset: string, amount: bigint): void {
    this.moneyOf(from, asset).total -= amount;
    this.moneyOf(to, asset).total += amount;
  }

  // ---- positions ----

  position(account: number, market: string): NaivePosition {
    let position = this.positions.find((one) => one.account === account && one.market === market);
    if (position === undefined) {
      position = { account, market, size: 0n, cost: 0n, realized: 0n, fees: 0n, settled: 0n };
      this.positions.push(position);
    }
    return position;
  }

  /** How much an order of this side could trade before it opens a position. */
  private reducible(order: Pick<NaiveOrder, 'account' | 'market' | 'side'>): bigint {
    const { size } = this.position(order.account, order.market);
    return max(0n, order.side === 'buy' ? -size : size);
  }

  // ---- orders ----

  private mayTrade(command: RequestedOrder): NaiveAnswer {
    const market = this.market(command.marketId);
    if (market === undefined) return 'market_not_found';
    if (!this.accounts.includes(command.accountId)) return 'account_not_found';
    if (this.frozen.has(command.accountId)) return 'account_frozen';
    if (!this.isOpen(market)) return 'market_not_open';
    if (command.expiresAtMs !== null && command.expiresAtMs <= this.timeMs) return 'already_expired';
    return areRates(command.feeRates) ? null : 'invalid_amount';
  }

  /** Cancels, and places: what is refused only then is an order that was rejected. */
  private replace(command: ReplaceOrder): NaiveAnswer {
    const refused = this.mayTrade(command);
    if (refused !== null) return refused;
    const market = this.market(command.marketId)!;
    const checkBoundsOf = (request: RequestedOrder): NaiveAnswer => {
      const wanted = this.newOrder(market, request, command.selfTradePrevention);
      return this.checkBounds(market, wanted.size, wanted.price, wanted.stopPrice, wanted.display);
    };
    const outOfBounds = command.countsFilled === true ? null : checkBoundsOf(command);
    if (outOfBounds !== null) return outOfBounds;
    const replaced = this.live(command.accountId, command.replacedOrderId);
    if (replaced === undefined || replaced.market !== command.marketId || this.hasExpired(replaced))
      return 'order_not_open';
    const wanted = { ...command };
    if (command.countsFilled === true) {
      wanted.sizeLots -= Number(replaced.filled / market.definition.lotSize);
      if (wanted.sizeLots <= 0) return 'size_below_filled';
      const remainderOutOfBounds = checkBoundsOf(wanted);
      if (remainderOutOfBounds !== null) return remainderOutOfBounds;
    }
    this.end(replaced, 'cancelled', 'replaced');
    this.followLists();
    const code = this.place(wanted);
    if (code === null) return null;
    const rejected = this.newOrder(market, wanted, command.selfTradePrevention);
    this.serials = rejected.serial;
    this.end(rejected, 'rejected', code as StatusReason);
    return null;
  }

  private placeList(command: PlaceOrderList): NaiveAnswer {
    const { accountId, marketId, entry } = command;
    const wanted = entry === null ? command.exits : [entry, ...command.exits];
    const requests = wanted.map((one) => ({ ...one, accountId, marketId, clientOrderId: null }));
    const refused = this.mayTrade(requests[0]!);
    if (refused !== null) return refused;
    const market = this.market(marketId)!;
    const list = this.lists.length;
    const orders = requests.map((request, index) => ({
      ...this.newOrder(market, request, request.selfTradePrevention),
      serial: this.serials + 1 + index,
      list,
      role: wanted[index] === entry ? ('entry' as const) : ('exit' as const),
    }));
    const newStops = orders.filter(
      (one) => one.type.includes('stop') || (entry !== null && one.role === 'exit'),
    );
    if (this.areTooMany(orders[0]!, orders.length, newStops.length)) return 'too_many_open_orders';
    for (const [index, one] of orders.entries()) {
      if (!areRates(wanted[index]!.feeRates)) return 'invalid_amount';
      const outOfBounds = this.checkBounds(market, one.size, one.price, one.stopPrice);
      if (outOfBounds !== null) return outOfBounds;
    }
    const placed = entry === null ? orders : orders.slice(0, 1);
    if (entry === null && !this.hasPositionRoom(orders[0]!, orders[0]!.size + orders[1]!.size))
      return 'size_out_of_range';
    for (const one of placed) {
      const code = this.refusalOf(one);
      if (code !== null) return code;
    }
    this.lists.push(orders);
    this.orders.push(...orders);
    this.serials += orders.length;
    this.touched.add(marketId);
    for (const one of orders) {
      this.changed.add(one);
      if (placed.includes(one)) continue;
      one.status = 'untriggered';
      one.reason = 'awaiting_entry';
      one.isUnarmed = true;
    }
    for (const one of placed) if (one.status !== 'untriggered') this.enter(market, one);
    return this.runTriggers(market);
  }

  /** Why the order would be refused if it came alone, tried out on a copy. */
  private refusalOf(order: NaiveOrder): RefusalCode | null {
    if (!this.hasPositionRoom(order, order.size)) return 'size_out_of_range';
    if (order.status !== 'untriggered' && !this.hasMarketRoom(order, order.size)) return 'size_out_of_range';
    const untrailable = this.refusalToTrail(order);
    if (untrailable !== null) return untrailable;
    if (order.reduceOnly && this.reducible(order) === 0n) return 'reduce_only_violated';
    const copy = this.clone();
    const twin = { ...order, list: null, role: null };
    copy.orders.push(twin);
    if (copy.available(order.account, copy.heldAsset(order)) < 0n) return 'insufficient_funds';
    return order.status === 'untriggered' ? null : copy.enter(copy.market(order.market)!, twin);
  }

  /** Takes away what is not wanted as it is, then places what is missing, side by side, as single orders. */
  private massQuote(command: MassQuote): NaiveAnswer {
    const { accountId, quotes, protection } = command;
    if (!this.accounts.includes(accountId)) return 'account_not_found';
    if (this.frozen.has(accountId)) return 'account_frozen';
    if (quotes.some(({ marketId }) => this.market(marketId) === undefined)) return 'market_not_found';
    if (protection != null) {
      const { fills, windowMs } = protection;
      if (!(fills >= 1 && fills <= 100 && windowMs >= 1 && windowMs <= 3_600_000)) return 'invalid_amount';
    }
    const known = this.protections.find(({ account }) => account === accountId);
    if (known?.isTripped === true && protection?.reset !== true) return 'quotes_protected';
    if (protection !== undefined) {
      this.protections = this.protections.filter((one) => one !== known);
      const isSame =
        protection !== null && known?.fills === protection.fills && known.windowMs === protection.windowMs;
      const times = isSame && !protection.reset ? known.times : [];
      if (protection !== null)
        this.protections.push({ account: accountId, ...protection, times, isTripped: false });
    }
    const quoteOn = (marketId: string, side: Side): NaiveOrder | undefined =>
      this.orders.find(
        (one) => one.isMassQuote && one.account === accountId && one.market === marketId && one.side === side,
      );
    const wanted = quotes.flatMap(({ marketId, bid, ask }) => [
      { marketId, side: 'buy' as const, terms: bid },
      { marketId, side: 'sell' as const, terms: ask },
    ]);
    for (const { marketId, side, terms } of wanted) {
      const quote = quoteOn(marketId, side);
      const { tickSize, lotSize } = this.market(marketId)!.definition;
      const isWanted =
        terms !== null &&
        quote?.price === BigInt(terms.priceTicks) * tickSize &&
        remaining(quote) === BigInt(terms.sizeLots) * lotSize;
      if (quote !== undefined && !isWanted) this.end(quote, 'cancelled', 'replaced');
    }
    for (const { marketId, side, terms } of wanted) {
      if (terms === null || quoteOn(marketId, side) !== undefined) continue;
      const refused = this.placeOne({ ...QUOTE, ...terms, accountId, marketId, side });
      this.quoted.push(refused);
    }
    return null;
  }

  /** The fills that count now. */
  countedFills({ times, windowMs }: NaiveProtection): number[] {
    return times.filter((time) => time > this.timeMs - windowMs);
  }

  private countFill({ account }: NaiveOrder): void {
    const protection = this.protections.find((one) => one.account === account && !one.isTripped);
    if (protection === undefined) return;
    protection.times.push(this.timeMs);
    if (this.countedFills(protection).length < protection.fills) return;
    protection.times = [];
    protection.isTripped = true;
    this.tripped.push(account);
  }

  private withdrawQuotes(): void {
    for (const order of this.orders)
      if (order.isMassQuote && this.tripped.includes(order.account))
        this.end(order, 'cancelled', 'maker_protection');
    this.tripped = [];
  }

  private cancelList({ accountId, listId }: CancelOrderList): NaiveAnswer {
    const live = this.orders.filter((one) => one.list === listId && one.account === accountId);
    if (live.length === 0) return 'order_list_not_open';
    for (const one of live) this.end(one, 'cancelled', 'requested');
    return null;
  }

  /** An exit that trades, triggers or ends leaves no place for the others; an entry without a fill ends with its exits. */
  private followLists(): void {
    this.withdrawQuotes();
    for (const orders of this.lists) {
      const live = orders.filter((one) => this.orders.includes(one));
      if (live.length === 0) continue;
      const decides = orders.find((one) => {
        const isLive = live.includes(one);
        if (one.reason === 'order_list') return false;
        if (one.role === 'entry') return !isLive && one.filled === 0n;
        if (!isLive) return one.status !== 'rejected';
        const isTriggered = one.status !== 'untriggered' || one.reason === 'triggered';
        return one.filled > 0n || (one.stopPrice !== null && isTriggered);
      });
      if (decides === undefined) continue;
      for (const one of live) if (one !== decides) this.end(one, 'cancelled', 'order_list');
    }
  }

  /** Makes the exits of entries that have changed as large as what those have filled. */
  private armExits(market: NaiveMarket): void {
    for (const entry of this.changed) {
      this.changed.delete(entry);
      if (entry.role !== 'entry' || entry.filled === 0n) continue;
      for (const exit of this.lists[entry.list!]!) {
        if (exit.role === 'exit' && this.orders.includes(exit)) this.arm(market, exit, entry.filled);
      }
    }
  }

  private arm(market: NaiveMarket, exit: NaiveOrder, size: bigint): void {
    const isWaiting = exit.reason === 'awaiting_entry';
    const before = { size: exit.size };
    if (!isWaiting && size <= exit.size) return;
    exit.size = size;
    exit.isUnarmed = false;
    if (isWaiting) exit.reason = null;
    const refused =
      !this.hasPositionRoom(exit, remaining(exit)) ||
      (exit.stopPrice === null && !this.hasMarketRoom(exit, remaining(exit)))
        ? 'size_out_of_range'
        : this.available(exit.account, this.heldAsset(exit)) < 0n
          ? 'insufficient_funds'
          : null;
    if (refused !== null) {
      if (isWaiting) this.end(exit, 'rejected', refused);
      else Object.assign(exit, before);
      return;
    }
    this.touched.add(exit.market);
    if (!isWaiting) {
      if (exit.queuedAt !== null) exit.queuedAt = ++this.queuePlaces;
    } else if (exit.stopPrice === null) {
      if (this.allAgainst(exit).length > 0) exit.reason = 'triggered';
      else {
        exit.status = 'open';
        exit.queuedAt = ++this.queuePlaces;
      }
    }
  }

  private place(command: RequestedOrder): NaiveAnswer {
    const refused = this.placeOne(command);
    return refused ?? this.runTriggers(this.market(command.marketId)!);
  }

  private placeOne(command: RequestedOrder): NaiveAnswer {
    const refused = this.mayTrade(command);
    if (refused !== null) return refused;
    const market = this.market(command.marketId)!;
    const order = this.newOrder(market, command, command.selfTradePrevention);
    if (this.isOneTooMany(order)) return 'too_many_open_orders';
    const outOfBounds = this.checkBounds(market, order.size, order.price, order.stopPrice, order.display);
    if (outOfBounds !== null) return outOfBounds;
    if (command.quoteSize !== undefined) {
      const size = this.sizeFor(order, decimal(command.quoteSize)!);
      if (typeof size === 'string') return size;
      order.size = size;
    }
    if (!this.hasPositionRoom(order, order.size)) return 'size_out_of_range';
    if (order.status !== 'untriggered' && !this.hasMarketRoom(order, order.size)) return 'size_out_of_range';
    const untrailable = this.refusalToTrail(order);
    if (untrailable !== null) return untrailable;
    if (order.reduceOnly && this.reducible(order) === 0n) return 'reduce_only_violated';

    this.orders.push(order);
    if (this.available(order.account, this.heldAsset(order)) < 0n)
      return this.takeBack(order, 'insufficient_funds');
    if (order.status !== 'untriggered') {
      const refused = this.enter(market, order);
      if (refused !== null) return this.takeBack(order, refused);
    }
    this.serials = order.serial;
    this.touched.add(order.market);
    this.placed.push(order.serial);
    return null;
  }

  /** What an amount of the quote asset buys with the fee, or is sold for without it, lot by lot. */
  private sizeFor(order: NaiveOrder, quoteSize: bigint): bigint | RefusalCode {
    const { lotSize, minSizeLots } = this.market(order.market)!.definition;
    this.orders.push(order);
    const { fills } = this.tryOut(order).exchange;
    this.orders.pop();
    const lots = fills.flatMap(({ price, size }) => Array<bigint>(Number(size / lotSize)).fill(price));
    let bought = 0n;
    let spent = 0n;
    let exactFee = 0n;
    let isSpent = false;
    for (const price of lots) {
      spent += times(price, lotSize);
      exactFee += order.takerRate * this.feeBase(order.market, price, lotSize);
      isSpent = spent + (order.side === 'buy' ? ceilDiv(exactFee, ONE) : 0n) > quoteSize;
      if (isSpent) break;
      bought += lotSize;
    }
    if (bought >= BigInt(minSizeLots) * lotSize) return bought;
    return isSpent ? 'size_out_of_range' : 'insufficient_liquidity';
  }

  /** The cost of a size or a stake, found by trading on a copy; a stake goes lot by lot. */
  quote({ accountId, marketId, side, feeRates, ...wanted }: QuoteRequest): NaiveQuote | RefusalCode {
    const market = this.market(marketId);
    if (market === undefined) return 'market_not_found';
    if (!this.accounts.includes(accountId)) return 'account_not_found';
    if (this.frozen.has(accountId)) return 'account_frozen';
    if (!this.isOpen(market)) return 'market_not_open';
    if (!areRates(feeRates)) return 'invalid_amount';
    const { lotSize, maxSizeLots } = market.definition;
    const trade = (sizeLots: number) => {
      const terms = { ...MARKET_ORDER, accountId, marketId, side, sizeLots, feeRates };
      const order = this.newOrder(market, terms, 'skip');
      this.orders.push(order);
      const tried = this.tryOut(order);
      this.orders.pop();
      return { traded: tried.order, fills: tried.exchange.fills };
    };
    const priced = (sizeLots: number): NaiveQuote | RefusalCode => {
      const outOfBounds = this.checkBounds(market, BigInt(sizeLots) * lotSize, null, null);
      if (outOfBounds !== null) return outOfBounds;
      const { traded, fills } = trade(sizeLots);
      if (remaining(traded) > 0n) return 'insufficient_liquidity';
      return { sizeLots, notional: traded.notional, fee: traded.fees, worst: fills.at(-1)!.price };
    };
    if ('sizeLots' in wanted) return priced(wanted.sizeLots);

    let lots = 0;
    let left: bigint = wanted.stake;
    const { fills } = trade(maxSizeLots + 1);
    for (const { price, size } of fills) {
      for (let taken = 0n; taken < size; taken += lotSize) {
        if (left < times(price, lotSize)) return priced(lots);
        left -= times(price, lotSize);
        lots++;
      }
    }
    const worst = fills.at(-1)?.price;
    return worst === undefined || left >= times(worst, lotSize) ? 'insufficient_liquidity' : priced(lots);
  }

  /** Fills the whole size within the bound, against the orders of others, or nothing. */
  private acceptQuote(command: AcceptQuote): NaiveAnswer {
    const market = this.market(command.marketId);
    if (market === undefined) return 'market_not_found';
    if (!this.accounts.includes(command.accountId)) return 'account_not_found';
    if (this.frozen.has(command.accountId)) return 'account_frozen';
    if (!this.isOpen(market)) return 'market_not_open';
    const { accountId, marketId, side, sizeLots, feeRates } = command;
    if (!areRates(feeRates)) return 'invalid_amount';
    if (command.expiresAtMs <= this.timeMs) return 'quote_expired';
    const order = this.newOrder(
      market,
      { ...MARKET_ORDER, accountId, marketId, side, sizeLots, feeRates },
      'skip',
    );
    const outOfBounds = this.checkBounds(market, order.size, null, null);
    if (outOfBounds !== null) return outOfBounds;
    if (!this.hasPositionRoom(order, order.size) || !this.hasMarketRoom(order, order.size))
      return 'size_out_of_range';
    const bound = decimal(command.notionalBound);
    if (bound === undefined) return 'invalid_amount';

    this.orders.push(order);
    const tried = this.tryOut(order);
    const { notional } = tried.order;
    const isWithin = side === 'buy' ? notional <= bound : notional >= bound;
    if (remaining(tried.order) > 0n || !isWithin) return this.takeBack(order, 'quote_stale');
    tried.exchange.end(tried.order, 'filled', null);
    if (tried.exchange.available(order.account, this.heldAsset(order)) < 0n)
      return this.takeBack(order, 'insufficient_funds');
    this.match(market, order);
    this.end(order, 'filled', null);
    this.serials = order.serial;
    return this.runTriggers(market);
  }

  private takeBack(order: NaiveOrder, code: RefusalCode): RefusalCode {
    this.orders = this.orders.filter((one) => one !== order);
    return code;
  }

  private newOrder(
    market: NaiveMarket,
    command: RequestedOrder,
    selfTrade: NaiveOrder['selfTrade'],
  ): NaiveOrder {
    const { tickSize, lotSize, makerFeeRate, takerFeeRate } = market.definition;
    const priceOf = (ticks: number | null): bigint | null =>
      ticks === null ? null : BigInt(ticks) * tickSize;
    return {
      serial: this.serials + 1,
      account: command.accountId,
      market: command.marketId,
      side: command.side,
      type: command.orderType,
      timeInForce: command.timeInForce,
      price: priceOf(command.priceTicks),
      stopPrice: priceOf(command.stopPriceTicks),
      size: BigInt(command.sizeLots) * lotSize,
      postOnly: command.postOnly,
      reduceOnly: command.reduceOnly,
      selfTrade,
      expiresAtMs: command.timeInForce === 'GTD' ? command.expiresAtMs : null,
      list: null,
      role: null,
      isUnarmed: false,
      trigger: command.stopTrigger ?? 'last',
      isMassQuote: command.isMassQuote ?? false,
      trails: this.trailOf(market, command),
      best: market.lastPrice,
      display: command.displayLots === undefined ? null : BigInt(command.displayLots) * lotSize,
      makerRate: command.feeRates === null ? makerFeeRate : signedDecimal(command.feeRates.maker)!,
      takerRate: command.feeRates === null ? takerFeeRate : signedDecimal(command.feeRates.taker)!,
      filled: 0n,
      removed: 0n,
      notional: 0n,
      exactFees: 0n,
      rebates: 0n,
      fees: 0n,
      status: command.orderType.includes('stop') ? 'untriggered' : 'open',
      reason: null,
      queuedAt: null,
    };
  }

  private trailOf(
    { definition: { tickSize } }: NaiveMarket,
    { trailingTicks, trailingBps }: RequestedOrder,
  ): NaiveOrder['trails'] {
    if (trailingTicks !== undefined) return () => BigInt(trailingTicks) * tickSize;
    if (trailingBps === undefined) return null;
    return (best) => ceilDiv(best * BigInt(trailingBps), 10_000n * tickSize) * tickSize;
  }

  /** Where it would trigger now must be a price of the market. */
  private refusalToTrail(order: NaiveOrder): RefusalCode | null {
    if (order.trails === null) return null;
    const alike = this.orders.filter(
      (one) => one.market === order.market && one.side === order.side && isTrailing(one),
    );
    const left = this.bounds.trailingStops - alike.length - 1;
    const own = this.ordersOfParty(order.account).filter(
      (one) =>
        one.market === order.market &&
        one.side === order.side &&
        one.trails !== null &&
        one.status === 'untriggered' &&
        one.serial !== order.serial,
    );
    if (own.length + 1 > left) return 'too_many_open_orders';
    if (order.best === null) return 'insufficient_liquidity';
    const { priceMinTicks, priceMaxTicks, tickSize } = this.market(order.market)!.definition;
    const distance = order.trails(order.best);
    const stop = order.side === 'sell' ? order.best - distance : order.best + distance;
    const isPrice = stop >= BigInt(priceMinTicks) * tickSize && stop <= BigInt(priceMaxTicks) * tickSize;
    return isPrice && distance > 0n ? null : 'price_out_of_range';
  }

  /** Checks the number of orders that would wait or rest beside this one. */
  private isOneTooMany(order: NaiveOrder): boolean {
    const isStop = order.type.includes('stop');
    if (!isStop && (order.price === null || order.timeInForce === 'IOC' || order.timeInForce === 'FOK'))
      return false;
    return this.areTooMany(order, 1, isStop ? 1 : 0);
  }

  private areTooMany({ account, market }: NaiveOrder, orders: number, stops: number): boolean {
    const isStop = (one: NaiveOrder): boolean => one.status === 'untriggered';
    const party = this.ordersOfParty(account);
    const own = party.filter((one) => one.account === account && one.market === market);
    const { limits } = this;
    return (
      own.length + orders > limits.openOrdersMax ||
      party.length + orders > limits.ownerOpenOrdersMax ||
      (stops > 0 &&
        (own.filter(isStop).length + stops > limits.openStopsMax ||
          party.filter(isStop).length + stops > limits.ownerOpenStopsMax))
    );
  }

  /** Live orders of all who were made by the same person. */
  private ordersOfParty(account: number): NaiveOrder[] {
    return this.orders.filter((one) => this.roots[one.account] === this.roots[account]);
  }

  /** Whether the position stays within bounds if this and all other orders of its side are filled. */
  private hasPositionRoom(order: NaiveOrder, size: bigint): boolean {
    return this.hasRoomIn(order, size, order.serial);
  }

  private hasRoomIn(
    { account, market, side }: Pick<NaiveOrder, 'account' | 'market' | 'side'>,
    size: bigint,
    serial: number | null,
  ): boolean {
    const held = this.position(account, market).size;
    const others = this.orders.filter(
      (one) => one.account === account && one.market === market && one.side === side && one.serial !== serial,
    );
    const open = others.reduce((sum, one) => sum + remaining(one), 0n);
    return (side === 'buy' ? held : -held) + open + size <= this.lotsMax(market);
  }

  /** Contracts of a market that are open, on the side that has more. */
  private openContracts(market: string): bigint {
    const sizes = this.positions.filter((one) => one.market === market).map(({ size }) => size);
    const longs = sizes.reduce((sum, size) => sum + max(0n, size), 0n);
    const shorts = sizes.reduce((sum, size) => sum + max(0n, -size), 0n);
    return max(longs, shorts);
  }

  /** Whether its side of the book, where it may rest, and the open interest stay within bounds. */
  private hasMarketRoom(order: NaiveOrder, size: bigint): boolean {
    const { market, side, serial, price, timeInForce } = order;
    const mayRest = price !== null && (timeInForce === 'GTC' || timeInForce === 'GTD');
    const resting = this.orders.filter(
      (one) => one.market === market && one.side === side && one.queuedAt !== null && one.serial !== serial,
    );
    const sizeOf = (orders: NaiveOrder[]): bigint => orders.reduce((sum, one) => sum + remaining(one), 0n);
    const left = this.lotsMax(market) - sizeOf(resting) - size;
    const own = this.ordersOfParty(order.account).filter(
      (one) => one.market === market && one.side === side && one.serial !== serial,
    );
    if (mayRest && (left < 0n || sizeOf(own) + size > left)) return false;
    const isEvent = this.market(market)!.definition.kind === 'event';
    const open = isEvent ? this.openContracts(market) : 0n;
    return open + size <= this.lotsMax(market);
  }

  private lotsMax(marketId: string): bigint {
    return BigInt(this.bounds.lots) * this.market(marketId)!.definition.lotSize;
  }

  private checkBounds(
    market: NaiveMarket,
    size: bigint,
    price: bigint | null,
    stopPrice: bigint | null,
    display: bigint | null = null,
  ): RefusalCode | null {
    const { minSizeLots, maxSizeLots, lotSize, priceMinTicks, priceMaxTicks, tickSize, minNotional } =
      market.definition;
    if (size < BigInt(minSizeLots) * lotSize || size > BigInt(maxSizeLots) * lotSize)
      return 'size_out_of_range';
    if (
      display !== null &&
      (display < BigInt(minSizeLots) * lotSize || display > size || display * 100n < size)
    )
      return 'size_out_of_range';
    for (const one of [price, stopPrice]) {
      if (one === null) continue;
      if (one < BigInt(priceMinTicks) * tickSize || one > BigInt(priceMaxTicks) * tickSize)
        return 'price_out_of_range';
    }
    if (price !== null && times(price, size) < minNotional) return 'min_notional';
    return null;
  }

  /** Trades what can be traded; the rest rests or ends. Or refuses without effect. */
  private enter(market: NaiveMarket, order: NaiveOrder): RefusalCode | null {
    if (order.postOnly && this.meetsAnyone(order)) return 'post_only_would_cross';
    if (order.timeInForce === 'FOK') {
      const tried = this.tryOut(order);
      if (remaining(tried.order) > 0n || tried.order.removed > order.removed) {
        this.end(order, 'cancelled', 'fok_not_filled');
        return null;
      }
    }
    if (order.price === null) {
      const tried = this.tryOut(order);
      tried.exchange.end(tried.order, 'cancelled', null);
      if (tried.exchange.available(order.account, this.heldAsset(order)) < 0n) return 'insufficient_funds';
    }
    const stopped = this.match(market, order);
    if (remaining(order) === 0n) {
      if (order.filled === order.size) this.end(order, 'filled', null);
      else this.end(order, 'cancelled', 'self_trade');
    } else if (stopped !== null) {
      this.end(order, 'cancelled', stopped);
    } else if (order.price === null) {
      this.end(order, 'cancelled', 'no_liquidity');
    } else if (order.timeInForce === 'IOC') {
      this.end(order, 'cancelled', 'ioc_remainder');
    } else {
      order.status = order.filled > 0n ? 'partially_filled' : 'open';
      order.queuedAt = ++this.queuePlaces;
    }
    return null;
  }

  private tryOut(order: NaiveOrder): { exchange: NaiveExchange; order: NaiveOrder } {
    const exchange = this.clone();
    const twin = exchange.orders.find((one) => one.serial === order.serial)!;
    exchange.match(exchange.market(order.market)!, twin);
    return { exchange, order: twin };
  }

  private match(market: NaiveMarket, taker: NaiveOrder): StatusReason | null {
    const band = this.bandOf(taker);
    while (remaining(taker) > 0n) {
      const maker = this.bestAgainst(taker);
      if (maker === undefined) return null;
      if (band !== null && (maker.price! < band.low || maker.price! > band.high)) return 'band_reached';
      if (taker.reduceOnly && this.reducible(taker) === 0n) return 'reduce_only';
      if (this.hasExpired(maker)) {
        this.end(maker, 'expired', null);
        continue;
      }
      if (this.isOwn(maker, taker)) {
        if (taker.selfTrade === 'cancel_newest' || taker.selfTrade === 'skip') return 'self_trade';
        if (taker.selfTrade === 'decrement') {
          const size = min(remaining(taker), remaining(maker));
          taker.removed += size;
          maker.removed += size;
          if (remaining(maker) === 0n) this.end(maker, 'cancelled', 'self_trade');
          continue;
        }
        this.end(maker, 'cancelled', 'self_trade');
        if (taker.selfTrade === 'cancel_both') return 'self_trade';
        continue;
      }
      let size = min(remaining(taker), shown(maker));
      if (taker.reduceOnly) size = min(size, this.reducible(taker));
      if (maker.reduceOnly) size = min(size, this.reducible(maker));
      if (size > 0n) this.trade(market, taker, maker, size);
      if (remaining(maker) === 0n) this.end(maker, 'filled', null);
      else if (maker.reduceOnly && this.reducible(maker) === 0n) this.end(maker, 'cancelled', 'reduce_only');
      else if (size > 0n && maker.display !== null && maker.filled % maker.display === 0n)
        maker.queuedAt = ++this.queuePlaces;
    }
    return null;
  }

  /** Around the best price, for orders without a price but bets; null where any price is fine. */
  private bandOf({ market, side, price, selfTrade }: NaiveOrder): { low: bigint; high: bigint } | null {
    const { marketOrderBandBps } = this.market(market)!.definition;
    const prices = this.orders
      .filter((one) => one.market === market && one.side !== side && one.queuedAt !== null)
      .map((one) => one.price!)
      .sort(compare);
    if (marketOrderBandBps === null || price !== null || selfTrade === 'skip' || prices.length === 0)
      return null;
    const best = side === 'buy' ? prices[0]! : prices.at(-1)!;
    const width = (best * BigInt(marketOrderBandBps)) / 10_000n;
    return { low: best - width, high: best + width };
  }

  private isOwn(maker: NaiveOrder, taker: NaiveOrder): boolean {
    return this.owners[maker.account] === this.owners[taker.account];
  }

  /** A market whose closing time has come accepts no orders, even if it is not yet marked closed. */
  private isOpen({ status, definition: { closesAtMs } }: NaiveMarket): boolean {
    return status === 'open' && (closesAtMs === null || closesAtMs > this.timeMs);
  }

  private hasExpired({ expiresAtMs }: NaiveOrder): boolean {
    return expiresAtMs !== null && expiresAtMs <= this.timeMs;
  }

  private meetsAnyone(order: NaiveOrder): boolean {
    return this.allAgainst(order).some((other) => !this.hasExpired(other));
  }

  /** The resting order that this one would trade with next; removes expired ones on the way. */
  private bestAgainst(order: NaiveOrder): NaiveOrder | undefined {
    return this.allAgainst(order)[0];
  }

  /** All orders that it crosses, best first. */
  private allAgainst(order: NaiveOrder): NaiveOrder[] {
    const better = order.side === 'buy' ? -1 : 1;
    const crossing = this.orders.filter((other) => {
      if (other.market !== order.market || other.side === order.side || other.queuedAt === null) return false;
      if (order.selfTrade === 'skip' && other.account === order.account) return this.hasExpired(other);
      if (order.price === null) return true;
      return order.side === 'buy' ? other.price! <= order.price : other.price! >= order.price;
    });
    crossing.sort((a, b) => {
      if (a.price !== b.price) return a.price! > b.price! ? -better : better;
      return a.queuedAt! - b.queuedAt!;
    });
    return crossing;
  }

  private trade(market: NaiveMarket, taker: NaiveOrder, maker: NaiveOrder, size: bigint): void {
    const { kind, baseAsset, quoteAsset } = market.definition;
    const price = maker.price!;
    const notional = times(price, size);
    const base = this.feeBase(taker.market, price, size);
    const takerFee = this.charge(taker, taker.takerRate * base);
    const makerFee =
      maker.makerRate < 0n
        ? -this.giveBack(maker, min(takerFee, (-maker.makerRate * base) / ONE))
        : this.charge(maker, maker.makerRate * base);
    for (const order of [maker, taker]) if (order.isMassQuote) this.countFill(order);
    for (const [order, fee] of [
      [maker, makerFee],
      [taker, takerFee],
    ] as const) {
      order.filled += size;
      if (order.list !== null) this.changed.add(order);
      order.notional += notional;
      order.status = 'partially_filled';
      this.pay(order.account, this.feesAccount, quoteAsset, fee);
    }

    const buyer = taker.side === 'buy' ? taker : maker;
    const seller = taker.side === 'buy' ? maker : taker;
    if (kind === 'spot') {
      this.pay(buyer.account, seller.account, quoteAsset, notional);
      this.pay(seller.account, buyer.account, baseAsset!, size);
    }
    for (const order of [maker, taker]) {
      const position = this.position(order.account, order.market);
      const closing = min(size, this.reducible(order));
      const opening = size - closing;
      if (kind === 'event') {
        const share = order.side === 'buy' ? price : ONE - price;
        this.pay(order.account, this.poolOf(market), quoteAsset, times(share, opening));
        this.pay(this.poolOf(market), order.account, quoteAsset, times(ONE - share, closing));
        const group = this.groupOf(order.market);
        if (group !== undefined) this.filled.push({ account: order.account, group });
      }
      this.close(position, closing, times(price, closing));
      position.cost += times(price, opening);
      position.size += order.side === 'buy' ? opening : -opening;
      position.fees += order === maker ? makerFee : takerFee;
    }
    market.lastPrice = price;
    market.traded = {
      low: min(price, market.traded?.low ?? price),
      high: max(price, market.traded?.high ?? price),
    };
    for (const order of this.orders.filter((one) => one.market === taker.market && isTrailing(one))) {
      const isSell = order.side === 'sell';
      order.best = isSell ? max(order.best!, price) : min(order.best!, price);
      const distance = order.trails!(order.best);
      if (isSell ? price > order.best - distance : price < order.best + distance) continue;
      order.reason = 'triggered';
    }
    this.fills.push({ price, size, maker: maker.serial, taker: taker.serial, makerFee, takerFee });
  }

  private charge(order: NaiveOrder, exact: bigint): bigint {
    order.exactFees += exact;
    const fee = ceilDiv(order.exactFees, ONE) - (order.fees + order.rebates);
    order.fees += fee;
    return fee;
  }

  private giveBack(order: NaiveOrder, rebate: bigint): bigint {
    order.fees -= rebate;
    order.rebates += rebate;
    return rebate;
  }

  private close(position: NaivePosition, size: bigint, value: bigint): void {
    if (size === 0n) return;
    const isLong = position.size > 0n;
    const cost = (position.cost * size) / (isLong ? position.size : -position.size);
    position.cost -= cost;
    position.realized += isLong ? value - cost : cost - value;
    position.size += isLong ? -size : size;
  }

  private end(order: NaiveOrder, status: OrderStatus, reason: StatusReason | null): void {
    this.orders = this.orders.filter((one) => one !== order);
    order.status = status;
    order.reason = reason;
    order.queuedAt = null;
    this.ended.push(order);
    if (order.list !== null) this.changed.add(order);
    this.touched.add(order.market);
  }

  private live(accountId: number, serial: number): NaiveOrder | undefined {
    return this.orders.find((order) => order.serial === serial && order.account === accountId);
  }

  private cancel(command: CancelOrder): NaiveAnswer {
    const order = this.live(command.accountId, command.orderId);
    if (order === undefined) return 'order_not_open';
    this.end(order, 'cancelled', 'requested');
    return null;
  }

  private cancelAll(command: CancelAllOrders): NaiveAnswer {
    if (!this.accounts.includes(command.accountId)) return 'account_not_found';
    if (command.marketId !== null && this.market(command.marketId) === undefined) return 'market_not_found';
    for (const order of this.orders) {
      const isMeant = order.account === command.accountId;
      if (isMeant && (command.marketId === null || command.marketId === order.market)) {
        this.end(order, 'cancelled', 'requested');
      }
    }
    return null;
  }

  private amend(command: AmendOrder): NaiveAnswer {
    if (this.frozen.has(command.accountId)) return 'account_frozen';
    const order = this.live(command.accountId, command.orderId);
    if (order === undefined || this.hasExpired(order)) return 'order_not_open';
    const market = this.market(order.market)!;
    if (!this.isOpen(market)) return 'market_not_open';
    if (command.priceTicks !== null && order.price === null) return 'order_not_amendable';
    if (order.reason === 'triggered') return 'order_not_amendable';
    if (order.reason === 'awaiting_entry') return 'order_not_amendable';
    if (order.list !== null && command.sizeLots !== null) return 'order_not_amendable';
    const { tickSize, lotSize } = market.definition;
    const size = command.sizeLots === null ? order.size : BigInt(command.sizeLots) * lotSize;
    const price = command.priceTicks === null ? order.price : BigInt(command.priceTicks) * tickSize;
    if (size < order.filled) return 'size_below_filled';
    if (size - order.filled - order.removed <= 0n) {
      order.size = size;
      order.removed = size - order.filled;
      this.end(order, 'cancelled', 'amended_to_filled');
      return null;
    }
    const outOfBounds = this.checkBounds(market, size, price, order.stopPrice, order.display);
    if (outOfBounds !== null) return outOfBounds;

    const before = { price: order.price, size: order.size };
    const left = size - order.filled - order.removed;
    const keepsPlace = order.queuedAt === null || (price === order.price && size <= order.size);
    if (!this.hasPositionRoom(order, left) || (!keepsPlace && !this.hasMarketRoom(order, left)))
      return 'size_out_of_range';
    order.price = price;
    order.size = size;
    const takeBack = (code: RefusalCode): RefusalCode => {
      Object.assign(order, before);
      return code;
    };
    if (this.available(order.account, this.heldAsset(order)) < 0n) return takeBack('insufficient_funds');
    if (order.list !== null) this.changed.add(order);
    if (keepsPlace) {
      this.touched.add(order.market);
      return null;
    }
    if (order.postOnly && this.meetsAnyone(order)) return takeBack('post_only_would_cross');
    order.queuedAt = null;
    this.touched.add(order.market);
    this.enter(market, order);
    return this.runTriggers(market);
  }

  // ---- stops ----

  /**
   * Triggers stops that prices have reached since the last call, the nearest first, buys before sells, up to the limit
   * of waiting ones; a triggered stop runs whatever the price does next.
   */
  private collectStops(market: NaiveMarket): void {
    this.collectByLast(market);
    const { marketId } = market.definition;
    const triggered = this.orders.filter((one) => one.market === marketId && one.reason === 'triggered');
    const room = this.bounds.triggeredWaiting - triggered.length;
    for (const order of this.reachedByMark(market).slice(0, Math.max(0, room))) {
      order.reason = 'triggered';
      this.touched.add(order.market);
    }
  }

  /** Stops that the best price at which they could trade has reached, the nearest first, buys before sells. */
  reachedByMark({ definition: { marketId } }: NaiveMarket): NaiveOrder[] {
    const pricesOf = (side: Side): bigint[] =>
      this.orders
        .filter((one) => one.market === marketId && one.side === side && one.queuedAt !== null)
        .map((one) => one.price!);
    const bid = pricesOf('buy').reduce<bigint | null>((best, one) => max(best ?? one, one), null);
    const ask = pricesOf('sell').reduce<bigint | null>((best, one) => min(best ?? one, one), null);
    const byMark = this.orders.filter(
      (one) =>
        one.market === marketId &&
        one.status === 'untriggered' &&
        one.reason === null &&
        one.stopPrice !== null &&
        one.trigger === 'mark',
    );
    const buys = byMark
      .filter((one) => one.side === 'buy' && ask !== null && one.stopPrice! <= ask)
      .sort((a, b) => compare(a.stopPrice!, b.stopPrice!));
    const sells = byMark
      .filter((one) => one.side === 'sell' && bid !== null && one.stopPrice! >= bid)
      .sort((a, b) => compare(b.stopPrice!, a.stopPrice!));
    return [...buys, ...sells];
  }

  private collectByLast(market: NaiveMarket): void {
    const last = market.lastPrice;
    if (last === null) return;
    const low = min(last, market.traded?.low ?? last);
    const high = max(last, market.traded?.high ?? last);
    const stops = this.orders.filter(
      (order) =>
        order.market === market.definition.marketId &&
        order.status === 'untriggered' &&
        order.reason !== 'awaiting_entry',
    );
    const isPlain = (order: NaiveOrder): boolean => order.trails === null && order.trigger === 'last';
    const untouched = stops.filter((order) => order.reason === null && isPlain(order));
    const triggered = stops.filter((order) => order.reason === 'triggered');
    const buys = untouched
      .filter((order) => order.side === 'buy' && order.stopPrice! <= high)
      .sort((a, b) => compare(a.stopPrice!, b.stopPrice!));
    const sells = untouched
      .filter((order) => order.side === 'sell' && order.stopPrice! >= low)
      .sort((a, b) => compare(b.stopPrice!, a.stopPrice!));
    const reached = [...buys, ...sells];
    const room = this.bounds.triggeredWaiting - triggered.length;
    for (const order of reached.slice(0, Math.max(0, room))) {
      order.reason = 'triggered';
      this.touched.add(order.market);
    }
    market.traded = reached.length > room ? { low, high } : null;
  }

  private collect(market: NaiveMarket): void {
    this.followLists();
    this.armExits(market);
    this.collectStops(market);
    for (const { account, group } of this.filled.splice(0)) {
      const { quoteAsset } = market.definition;
      const before = { total: this.total(account, quoteAsset), held: this.held(account, quoteAsset) };
      const netted = this.net(account, group);
      const paid = this.total(account, quoteAsset) - before.total;
      this.nettings.push({
        account,
        ...netted,
        paid,
        released: before.held - this.held(account, quoteAsset),
      });
    }
    this.followLists();
  }

  private runTriggers(market: NaiveMarket): null {
    this.collect(market);
    let ran: Record<string, number> = {};
    for (let run = 0; run < this.bounds.triggersPerCommand && this.isOpen(market); run++) {
      const waiting = this.orders.filter(
        (one) =>
          one.market === market.definition.marketId &&
          one.status === 'untriggered' &&
          one.reason === 'triggered',
      );
      if (waiting.length === 0) break;
      const runsOf = ({ account }: NaiveOrder): number => ran[this.roots[account]!] ?? 0;
      const mayRun = (one: NaiveOrder): boolean => runsOf(one) < this.bounds.triggersPerTurn;
      if (!waiting.some(mayRun)) ran = {};
      const order = waiting.find(mayRun)!;
      ran[this.roots[order.account]!] = runsOf(order) + 1;
      this.stopsRun++;
      if (this.hasExpired(order)) {
        this.end(order, 'expired', null);
        this.followLists();
        continue;
      }
      order.status = 'open';
      this.touched.add(order.market);
      order.reason = null;
      const refused =
        order.reduceOnly && this.reducible(order) === 0n
          ? 'reduce_only_violated'
          : !this.hasMarketRoom(order, remaining(order))
            ? 'size_out_of_range'
            : this.enter(market, order);
      if (refused !== null) this.end(order, 'rejected', refused as StatusReason);
      this.collect(market);
    }
    return null;
  }

  // ---- event groups ----

  private tradeSets(
    { groupId, accountId, sizeLots }: SplitEventGroup | MergeEventGroup,
    side: Side,
  ): NaiveAnswer {
    const group = this.groups.find((one) => one.groupId === groupId);
    if (group === undefined) return 'event_group_not_found';
    if (!this.accounts.includes(accountId)) return 'account_not_found';
    if (this.frozen.has(accountId)) return 'account_frozen';
    if (group.markets.some((marketId) => !this.isOpen(this.market(marketId)!))) return 'market_not_open';
    if (sizeLots < 1) return 'size_out_of_range';
    const { lotSize, quoteAsset } = this.market(group.markets[0]!)!.definition;
    const size = BigInt(sizeLots) * lotSize;
    if (side === 'sell' && group.markets.some((market) => this.freeSize(accountId, market, 'sell') < size))
      return 'insufficient_funds';
    if (!this.hasRoomForSets(accountId, group, side, size)) return 'size_out_of_range';
    const copy = this.clone();
    copy.bookSets(accountId, group, side, size);
    if (copy.available(accountId, quoteAsset) < 0n) return 'insufficient_funds';
    this.bookSets(accountId, group, side, size);
    return null;
  }

  /** What an order of this side would close, and no live order with a price does. */
  private freeSize(account: number, market: string, side: Side): bigint {
    const closing = this.orders.filter(
      (one) => one.account === account && one.market === market && one.side === side && one.price !== null,
    );
    const covered = closing.reduce((sum, one) => sum + remaining(one), 0n);
    return max(0n, this.reducible({ account, market, side }) - covered);
  }

  private hasRoomForSets(account: number, { markets }: NaiveGroup, side: Side, size: bigint): boolean {
    return markets.every((market) => {
      const opened = size - min(size, this.reducible({ account, market, side }));
      const isBounded = opened === 0n || this.openContracts(market) + opened <= this.lotsMax(market);
      return isBounded && this.hasRoomIn({ account, market, side }, size, null);
    });
  }

  /** Complete sets become money; shorts in several markets become money, and longs in the others. */
  private net(account: number, group: NaiveGroup): Pick<NaiveNetting, 'merged' | 'converted' | 'isBounded'> {
    let [merged, converted] = [0n, 0n];
    for (;;) {
      const longs = group.markets.map((market) => this.freeSize(account, market, 'sell'));
      const short = group.markets.filter((market) => this.position(account, market).size < 0n);
      const shorts = short.map((market) => this.freeSize(account, market, 'buy'));
      const mergeable = longs.reduce(min);
      const side = mergeable > 0n ? 'sell' : 'buy';
      const size = mergeable > 0n ? mergeable : shorts.length >= 2 ? shorts.reduce(min) : 0n;
      if (size === 0n) return { merged, converted, isBounded: false };
      if (!this.hasRoomForSets(account, group, side, size)) return { merged, converted, isBounded: true };
      this.bookSets(account, group, side, size);
      if (side === 'sell') merged += size;
      else converted += size;
    }
  }

  /** Trades with the pool in each market of the group, at prices that sum to one. */
  private bookSets(account: number, group: NaiveGroup, side: Side, size: bigint): void {
    const prices = this.pricesOfSet(account, group, side);
    for (const [index, market] of group.markets.entries()) {
      const { quoteAsset } = this.market(market)!.definition;
      const price = prices[index]!;
      const position = this.position(account, market);
      const closing = min(size, this.reducible({ account, market, side }));
      const opening = size - closing;
      if (side === 'sell') this.pay(group.pool, account, quoteAsset, times(price, closing));
      else {
        this.pay(group.pool, account, quoteAsset, times(ONE - price, closing));
        this.pay(account, group.pool, quoteAsset, times(price, opening));
      }
      this.close(position, closing, times(price, closing));
      position.cost += times(price, opening);
      position.size += side === 'buy' ? opening : 0n;
      this.legs.push({ account, market, side, size, price });
    }
  }

  /**
   * Closed positions at their average prices, and the opened ones share what these leave of one. Where they leave
   * nothing, or where nothing opens, the averages are scaled so that they sum to one.
   */
  private pricesOfSet(account: number, { markets }: NaiveGroup, side: Side): bigint[] {
    const { lotSize } = this.market(markets[0]!)!.definition;
    let step = 1n;
    while ((lotSize * step) % ONE !== 0n) step *= 10n;
    const rounded = (price: bigint): bigint => price - (price % step);
    const isClosed = (market: string): boolean => this.reducible({ account, market, side }) > 0n;
    const average = (market: string): bigint => {
      const { cost, size } = this.position(account, market);
      return rounded((cost * ONE) / abs(size));
    };
    const closed = markets.filter(isClosed);
    const opened = markets.filter((market) => !isClosed(market));
    const together = closed.reduce((sum, market) => sum + average(market), 0n);
    const prices = new Map<string, bigint>();
    if (opened.length > 0 && together <= ONE) {
      for (const market of closed) prices.set(market, average(market));
      for (const market of opened) prices.set(market, rounded((ONE - together) / BigInt(opened.length)));
    } else {
      for (const market of opened) prices.set(market, 0n);
      for (const market of closed) {
        const equal = ONE / BigInt(closed.length);
        prices.set(market, rounded(together === 0n ? equal : (average(market) * ONE) / together));
      }
    }
    const missing = ONE - [...prices.values()].reduce((sum, price) => sum + price, 0n);
    const last = (opened.length > 0 && together <= ONE ? opened : closed).at(-1)!;
    prices.set(last, prices.get(last)! + missing);
    return markets.map((market) => prices.get(market)!);
  }

  private settleGroup({ groupId, winningMarketId, holders }: SettleEventGroup): NaiveAnswer {
    const group = this.groups.find((one) => one.groupId === groupId);
    if (group === undefined) return 'event_group_not_found';
    if (!group.markets.includes(winningMarketId)) return 'market_not_found';
    const markets = group.markets.map((marketId) => this.market(marketId)!);
    if (markets.some(({ status }) => status !== 'closed')) return 'invalid_status_change';
    for (const market of markets) {
      market.settlement = market.definition.marketId === winningMarketId ? ONE : 0n;
      this.payHolders(market, holders ?? this.accounts);
    }
    return null;
  }

  /** Takes back what each account got for the market that won, and pays for the one that wins now. */
  private correctGroup({ groupId, winningMarketId }: CorrectEventGroup): NaiveAnswer {
    const group = this.groups.find((one) => one.groupId === groupId);
    if (group === undefined) return 'event_group_not_found';
    if (!group.markets.includes(winningMarketId)) return 'market_not_found';
    const markets = group.markets.map((marketId) => this.market(marketId)!);
    if (markets.some(({ status }) => status !== 'settled')) return 'invalid_status_change';
    const won = markets.find(({ settlement }) => settlement === ONE)!;
    const wins = this.market(winningMarketId)!;
    if (won === wins) return 'invalid_status_change';
    const { quoteAsset } = wins.definition;
    const settled = (account: number, { definition }: NaiveMarket): bigint =>
      this.position(account, definition.marketId).settled;
    const changes = this.accounts.map((account) => settled(account, wins) - settled(account, won));
    const lacks = (account: number, index: number): boolean =>
      changes[index]! < 0n && this.available(account, quoteAsset) + changes[index]! < 0n;
    if (this.accounts.some(lacks)) return 'settlement_not_reversible';
    for (const [index, account] of this.accounts.entries()) {
      this.pay(group.pool, account, quoteAsset, changes[index]!);
      this.position(account, won.definition.marketId).realized -= settled(account, won);
      this.position(account, wins.definition.marketId).realized += settled(account, wins);
    }
    for (const market of [won, wins]) {
      market.settlement = market === wins ? ONE : 0n;
      this.touched.add(market.definition.marketId);
    }
    return null;
  }

  // ---- markets and time ----

  private setStatus(command: SetMarketStatus): NaiveAnswer {
    const market = this.market(command.marketId);
    if (market === undefined) return 'market_not_found';
    const allowed = {
      scheduled: ['open', 'closed'],
      open: ['halted', 'closed'],
      halted: ['open', 'closed'],
      closed: ['settled'],
      settling: [] as string[],
      settled: [] as string[],
    }[market.status];
    if (!allowed.includes(command.status)) return 'invalid_status_change';
    if (command.status !== 'settled') return this.changeStatus(market, command.status);

    const { kind, lotSize } = market.definition;
    if (kind === 'spot') return 'invalid_status_change';
    if (this.groupOf(command.marketId) !== undefined) return 'market_in_event_group';
    const value = command.settlementValue === null ? undefined : decimal(command.settlementValue);
    if (value === undefined || value > ONE) return 'invalid_amount';
    if ((lotSize * value) % ONE !== 0n) return 'amount_too_precise';
    market.settlement = value;
    this.payHolders(market, command.holders ?? this.accounts);
    return null;
  }

  private continueSettlement({ marketId, holders }: ContinueSettlement): NaiveAnswer {
    const market = this.market(marketId);
    if (market === undefined) return 'market_not_found';
    if (market.status !== 'settling') return 'invalid_status_change';
    this.payHolders(market, holders);
    return null;
  }

  /** Pays those of the accounts that have a position; the market is settled once nobody has one. */
  private payHolders(market: NaiveMarket, accounts: readonly number[]): void {
    const { quoteAsset, marketId } = market.definition;
    const value = market.settlement!;
    const isOpen = ({ market: of, size }: NaivePosition): boolean => of === marketId && size !== 0n;
    for (const position of this.positions.filter(isOpen)) {
      const { account, size } = position;
      if (!accounts.includes(account)) continue;
      this.pay(
        this.poolOf(market),
        account,
        quoteAsset,
        size > 0n ? times(value, size) : times(ONE - value, -size),
      );
      this.close(position, abs(size), times(value, abs(size)));
      position.settled = size;
    }
    market.status = this.positions.some(isOpen) ? 'settling' : 'settled';
    this.touched.add(marketId);
  }

  /** Credits or debits everybody the difference in value of their position; nobody may go negative. */
  private correctSettlement(command: CorrectSettlement): NaiveAnswer {
    const market = this.market(command.marketId);
    if (market === undefined) return 'market_not_found';
    if (market.status !== 'settled') return 'invalid_status_change';
    if (this.groupOf(command.marketId) !== undefined) return 'market_in_event_group';
    const { lotSize, quoteAsset, marketId } = market.definition;
    const value = decimal(command.settlementValue);
    if (value === undefined || value > ONE) return 'invalid_amount';
    if ((lotSize * value) % ONE !== 0n) return 'amount_too_precise';
    const difference = value - market.settlement!;
    if (difference === 0n) return 'invalid_status_change';
    const held = this.positions.filter((position) => position.market === marketId && position.settled !== 0n);
    for (const { account, settled } of held) {
      const change = times(difference, settled);
      if (change < 0n && this.available(account, quoteAsset) + change < 0n)
        return 'settlement_not_reversible';
    }
    for (const position of held) {
      const change = times(difference, position.settled);
      this.pay(market.pool, position.account, quoteAsset, change);
      position.realized += change;
    }
    market.settlement = value;
    this.touched.add(marketId);
    return null;
  }

  private changeStatus(market: NaiveMarket, status: 'open' | 'halted' | 'closed'): null {
    market.status = status;
    this.touched.add(market.definition.marketId);
    if (status === 'closed') {
      market.traded = null;
      for (const order of this.orders) {
        const isOfMarket = order.market === market.definition.marketId;
        if (isOfMarket && order.reason !== 'awaiting_entry') this.end(order, 'cancelled', 'market_closed');
      }
    }
    return status === 'open' ? this.runTriggers(market) : null;
  }

  private advanceTime(): NaiveAnswer {
    for (;;) {
      const due: { atMs: number; happen: () => void }[] = [];
      for (const market of this.markets.toSorted((a, b) =>
        a.definition.marketId < b.definition.marketId ? -1 : 1,
      )) {
        const { opensAtMs, closesAtMs } = market.definition;
        if (opensAtMs !== null && market.status === 'scheduled') {
          due.push({ atMs: opensAtMs, happen: () => this.changeStatus(market, 'open') });
        }
        if (closesAtMs !== null && !['closed', 'settling', 'settled'].includes(market.status)) {
          due.push({ atMs: closesAtMs, happen: () => this.changeStatus(market, 'closed') });
        }
      }
      for (const order of this.orders) {
        if (order.expiresAtMs === null) continue;
        due.push({ atMs: order.expiresAtMs, happen: () => this.end(order, 'expired', null) });
      }
      // The sort is stable: at equal times markets come first, by id, then orders in order of acceptance.
      due.sort((a, b) => a.atMs - b.atMs);
      const next = due[0];
      if (next === undefined || next.atMs > this.timeMs) return null;
      next.happen();
    }
  }

  // ---- money without a trade ----

  private configureLimits({ type: _, ...changed }: ConfigureLimits): NaiveAnswer {
    const limits = { ...this.limits, ...changed };
    for (const limit of Object.values(limits)) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) return 'invalid_amount';
    }
    this.limits = limits;
    return null;
  }

  private setKycLevel({ accountId, level }: SetKycLevel): NaiveAnswer {
    if (![0, 1, 2, 3, 4, 5, 6, 7, 8, 9].includes(level)) return 'invalid_kyc_level';
    if (!this.isKnown({ accountId })) return 'account_not_found';
    this.kycLevels[accountId] = level;
    return null;
  }

  private setFrozen({ accountId, frozen }: SetAccountFrozen): NaiveAnswer {
    if (!this.isKnown({ accountId })) return 'account_not_found';
    if (!frozen) this.frozen.delete(accountId);
    else {
      this.frozen.add(accountId);
      for (const order of this.orders)
        if (order.account === accountId) this.end(order, 'cancelled', 'account_frozen');
    }
    return null;
  }

  private moveMoney(command: MoveMoney): NaiveAnswer {
    const amount = this.checkAmount(
      command.asset,
      command.amount,
      'rail' in command.debit || 'rail' in command.credit,
    );
    if (typeof amount === 'string') return amount;
    if (!this.isKnown(command.debit) || !this.isKnown(command.credit)) return 'account_not_found';
    const debit = this.resolve(command.debit);
    const credit = this.resolve(command.credit);
    if (debit === credit) return 'account_not_found';
    if (this.frozen.has(debit) && command.reason !== 'reversal' && command.reason !== 'adjustment')
      return 'account_frozen';
    if ('accountId' in command.debit && this.available(debit, command.asset) < amount)
      return 'insufficient_funds';
    if ('rail' in command.debit && amount - this.total(debit, command.asset) >= RAIL_LIMIT)
      return 'invalid_amount';
    this.pay(debit, credit, command.asset, amount);
    return null;
  }

  private placeHold(command: PlaceHold): NaiveAnswer {
    const owner = `${command.ownerKind}:${command.ownerId}`;
    if (this.otherHolds.some((hold) => hold.owner === owner)) return 'hold_exists';
    const amount = this.checkAmount(command.asset, command.amount, false);
    if (typeof amount === 'string') return amount;
    if (!this.isKnown(command)) return 'account_not_found';
    if (this.frozen.has(command.accountId)) return 'account_frozen';
    if (this.available(command.accountId, command.asset) < amount) return 'insufficient_funds';
    this.otherHolds.push({ owner, account: command.accountId, asset: command.asset, amount });
    return null;
  }

  private releaseHold(command: ReleaseHold): NaiveAnswer {
    return this.takeHold(command) === undefined ? 'hold_not_found' : null;
  }

  private payFromHold(command: PayFromHold): NaiveAnswer {
    if (!this.isKnown(command.credit)) return 'account_not_found';
    const found = this.otherHolds.find((hold) => hold.owner === `${command.ownerKind}:${command.ownerId}`);
    if (found === undefined) return 'hold_not_found';
    if ('accountId' in command.credit && command.credit.accountId === found.account)
      return 'account_not_found';
    const amount = command.amount === null ? found.amount : decimal(command.amount);
    if (amount === undefined || amount === 0n) return 'invalid_amount';
    if ('rail' in command.credit && !this.fitsScale(found.asset, amount)) return 'amount_too_precise';
    if (amount > found.amount) return 'insufficient_funds';
    this.takeHold(command);
    this.pay(found.account, this.resolve(command.credit), found.asset, amount);
    return null;
  }

  private takeHold(command: Pick<ReleaseHold, 'ownerKind' | 'ownerId'>): OtherHold | undefined {
    const owner = `${command.ownerKind}:${command.ownerId}`;
    const found = this.otherHolds.find((hold) => hold.owner === owner);
    this.otherHolds = this.otherHolds.filter((hold) => hold !== found);
    return found;
  }

  private checkAmount(asset: string, text: string, bindsScale: boolean): bigint | RefusalCode {
    if (!(asset in this.scales)) return 'asset_not_found';
    const amount = decimal(text);
    if (amount === undefined || amount === 0n) return 'invalid_amount';
    if (bindsScale && !this.fitsScale(asset, amount)) return 'amount_too_precise';
    return amount;
  }

  private fitsScale(asset: string, amount: bigint): boolean {
    return amount % 10n ** BigInt(18 - this.scales[asset]!) === 0n;
  }

  private isKnown(reference: AccountReference): boolean {
    if ('rail' in reference) return true;
    return this.accounts.includes(reference.accountId) || this.wallets.includes(reference.accountId);
  }

  private resolve(reference: AccountReference): number {
    if ('accountId' in reference) return reference.accountId;
    return (this.rails[reference.rail] ??= -1000 - Object.keys(this.rails).length);
  }

  /** A copy for trying out a command. */
  private clone(): NaiveExchange {
    const copy = new NaiveExchange(this.bounds);
    const each = <T extends object>(things: readonly T[]): T[] => things.map((thing) => ({ ...thing }));
    Object.assign(copy, this);
    copy.money = each(this.money);
    copy.markets = each(this.markets);
    copy.positions = each(this.positions);
    copy.orders = each(this.orders);
    copy.protections = this.protections.map((one) => ({ ...one, times: [...one.times] }));
    copy.tripped = [];
    copy.ended = [];
    copy.fills = [];
    copy.legs = [];
    copy.filled = [];
    copy.touched = new Set();
    copy.changed = new Set();
    return copy;
  }
}

/** A mass quote, without its terms. */
const QUOTE = {
  type: 'place_order',
  orderType: 'limit',
  timeInForce: 'GTC',
  stopPriceTicks: null,
  expiresAtMs: null,
  postOnly: true,
  reduceOnly: false,
  selfTradePrevention: 'cancel_newest',
  clientOrderId: null,
  isMassQuote: true,
} as const;

/** The order made from an accepted quote, without its terms. */
const MARKET_ORDER = {
  type: 'place_order',
  orderType: 'market',
  timeInForce: 'FOK',
  priceTicks: null,
  stopPriceTicks: null,
  expiresAtMs: null,
  postOnly: false,
  reduceOnly: false,
  selfTradePrevention: 'cancel_newest',
  clientOrderId: null,
} as const;

/** Whether it is a trailing stop that waits. */
function isTrailing({ trails, status, reason }: NaiveOrder): boolean {
  return trails !== null && status === 'untriggered' && reason === null;
}

export function remaining(order: NaiveOrder): bigint {
  if (order.isUnarmed) return 0n;
  return order.size - order.filled - order.removed;
}

/** Nothing costs more than it brings in, and no rebate is larger than the taker's fee. */
function areRates(feeRates: PlaceOrder['feeRates']): boolean {
  if (feeRates === null) return true;
  const maker = signedDecimal(feeRates.maker)!;
  const taker = signedDecimal(feeRates.taker)!;
  return taker >= 0n && taker < ONE && maker < ONE && maker + taker >= 0n;
}

/** What the book shows of an order: the rest of the part that trades now. */
export function shown(order: NaiveOrder): bigint {
  const { display, filled } = order;
  return display === null ? remaining(order) : min(remaining(order), display - (filled % display));
}

/** Multiplies two decimals; every product that the contract allows is exact at 10^-18. */
function times(a: bigint, b: bigint): bigint {
  const product = a * b;
  if (product % ONE !== 0n) throw new Error(`${a} × ${b} is not exact`);
  return product / ONE;
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function abs(a: bigint): bigint {
  return a < 0n ? -a : a;
}

function signedDecimal(text: string): bigint | undefined {
  return text.startsWith('-') ? -decimal(text.slice(1))! : decimal(text);
}

function decimal(text: string): bigint | undefined {
  if (!/^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/.test(text)) return undefined;
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole!) * ONE + BigInt(fraction.padEnd(18, '0'));
}
