/**
 * The working state: everything that a command can depend on or change. It is mutable, belongs to one engine, and can
 * always be rebuilt from the journal and the tables.
 */
import { invariant } from '../invariant.js';
import { DueQueue } from './due-queue.js';
import { Position } from './position.js';
import { EventGroup } from './event-group.js';
import { Party } from './party.js';
import { Market, MarketDue, Order, type Tracked } from './trading.js';
import type { AccountKind, HoldOwnerKind, Side } from './types.js';

export { EventGroup, Market, MarketDue, Order, Party, Position };
export type { Tracked };

export class Balance implements Tracked {
  available = 0n;
  held = 0n;
  /** Both together when a command last ended, and whether the present one has moved some of it; see `checkApplied`. */
  settledTotal = 0n;
  isMoved = false;
  changedInBatch = -1;
  digest: bigint | null = null;

  constructor(
    readonly accountId: number,
    readonly asset: string,
  ) {}
}

/** What an account is, beside what belongs to it. */
export interface AccountRecord {
  readonly accountId: number;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner: string | null;
  /** Who made the owner, at the top of who made whom; null where nobody did. */
  readonly root: string | null;
  /** How well its owner is known: 0 (unknown) to 9. */
  readonly kycLevel: number;
  /** Whether trading and outgoing money are refused. */
  readonly frozen: boolean;
  /** These three are of `self-limits.ts`; null where the owner has never set a limit. */
  readonly limitsSequence: number | null;
  readonly limitsBase: number | null;
  readonly limitsTaken: bigint | null;
  readonly createdAtMs: number;
}

export class Account implements Tracked, AccountRecord {
  readonly accountId: number;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner: string | null;
  readonly root: string | null;
  readonly createdAtMs: number;
  /** Shared with the other accounts of the same root, once the state has it. */
  party: Party;
  kycLevel: number;
  frozen: boolean;
  limitsSequence: number | null;
  limitsBase: number | null;
  limitsTaken: bigint | null;
  changedInBatch = -1;
  digest: bigint | null = null;
  readonly balances = new Map<string, Balance>();
  readonly positions = new Map<string, Position>();
  openOrders = 0;
  /** Live ones, by market and side; see `mass-quotes.ts`. */
  readonly massQuotes = new Map<string, Order>();

  constructor(record: AccountRecord) {
    this.accountId = record.accountId;
    this.kind = record.kind;
    this.name = record.name;
    this.owner = record.owner;
    this.root = record.root;
    this.party = new Party(record.root ?? record.owner ?? `account:${record.accountId}`);
    this.createdAtMs = record.createdAtMs;
    this.kycLevel = record.kycLevel;
    this.frozen = record.frozen;
    this.limitsSequence = record.limitsSequence;
    this.limitsBase = record.limitsBase;
    this.limitsTaken = record.limitsTaken;
  }

  balanceOf(asset: string): Balance {
    let balance = this.balances.get(asset);
    if (balance === undefined) {
      balance = new Balance(this.accountId, asset);
      this.balances.set(asset, balance);
    }
    return balance;
  }

  positionIn(market: Market): Position {
    const { marketId } = market.definition;
    let position = this.positions.get(marketId);
    if (position === undefined) {
      position = new Position(this.accountId, market, this.party.shareOf(marketId));
      this.positions.set(marketId, position);
    }
    return position;
  }
}

/** See `limits.ts`. */
export class Limits {
  openOrdersMax = 10_000;
  openStopsMax = 200;
  ownerOpenOrdersMax = 20_000;
  ownerOpenStopsMax = 1_000;
  digest: bigint | null = null;
}

/** How a maker is protected; see `maker-protection.ts`. */
export class Protection implements Tracked {
  /** Null where there is none any more. */
  fills: number | null = null;
  windowMs: number | null = null;
  /** Of the fills that count, oldest first. */
  fillTimesMs: readonly number[] = [];
  /** Null while the maker may quote. */
  trippedAtMs: number | null = null;
  changedInBatch = -1;
  digest: bigint | null = null;

  constructor(readonly accountId: number) {}
}

export interface Hold {
  readonly ownerKind: HoldOwnerKind;
  readonly ownerId: string;
  readonly accountId: number;
  readonly asset: string;
  readonly amount: bigint;
  readonly createdAtMs: number;
  digest: bigint | null;
}

export interface Asset {
  readonly code: string;
  readonly scale: number;
  readonly createdAtMs: number;
}

export class EngineState {
  /** The last number given out in the global ledger sequence. */
  sequence = 0;
  /** Time of the last applied command; never decreases. */
  timeMs = 0;
  readonly assets = new Map<string, Asset>();
  readonly markets = new Map<string, Market>();
  readonly groups = new Map<string, EventGroup>();
  /** Live orders only. */
  readonly orders = new Map<number, Order>();
  /** All system accounts, and those other accounts that were loaded. */
  readonly accounts = new Map<number, Account>();
  /** Those of the accounts, by key. */
  readonly parties = new Map<string, Party>();
  /** System accounts by `kind:name`, such as `external:demo`. */
  readonly systemAccounts = new Map<string, Account>();
  readonly holds = new Map<string, Hold>();
  readonly limits = new Limits();
  /** By account, of those that have ever had one. */
  readonly protections = new Map<number, Protection>();
  readonly due = new DueQueue<Order | MarketDue>();
  /** Open markets with triggered stops that the last command had no room to run. */
  readonly triggersWaiting = new Set<Market>();
  /** The live orders of each order list. */
  readonly lists = new Map<number, Set<Order>>();
  /** Markets whose settlement is not yet fully paid. */
  readonly settling = new Set<Market>();

  addAccount(account: Account): void {
    invariant(!this.accounts.has(account.accountId), 'an account is added once', account.accountId);
    this.accounts.set(account.accountId, account);
    const party = this.parties.get(account.party.key);
    if (party === undefined) this.parties.set(account.party.key, account.party);
    else account.party = party;
    account.party.accounts++;
    invariant(
      account.openOrders === 0,
      'an account enters memory before its orders',
      account.accountId,
      account.openOrders,
    );
    if (account.owner === null) this.systemAccounts.set(`${account.kind}:${account.name}`, account);
  }

  /** Of an account that can be loaded again; it has no live orders. */
  removeAccount({ accountId, party, openOrders }: Account): void {
    invariant(openOrders === 0, 'an account that leaves memory has no live orders', accountId, openOrders);
    const wasThere = this.accounts.delete(accountId);
    invariant(wasThere, 'an account that leaves memory was there', accountId);
    if (--party.accounts === 0) this.parties.delete(party.key);
  }

  /** Its markets must be there. */
  addGroup(group: EventGroup): void {
    this.groups.set(group.groupId, group);
    for (const marketId of group.marketIds) this.markets.get(marketId)!.group = group;
  }

  /** Adds a live order to all indexes; the book or the stop queue adds it separately. */
  indexOrder(order: Order): void {
    const account = this.accounts.get(order.accountId);
    invariant(account !== undefined, 'the account of a live order is loaded', order.orderId, order.accountId);
    invariant(order.isLive, 'an order becomes live once', order.orderId, order.status);
    const { size } = this.orders;
    this.orders.set(order.orderId, order);
    invariant(this.orders.size === size + 1, 'an order becomes live once', order.orderId);
    const position = account.positionIn(order.market);
    order.owner = account.owner;
    order.party = account.party;
    position.ordersOf(order.side).set(order.orderId, order);
    countOrder(account, position, order, 1);
    countLots(position, order, order.remainingLots);
    if (order.awaitsEntry && position.market.isEvent && order.hasPrice)
      position.cover[order.side].reserve(order);
    if (order.timeInForce === 'GTD') this.due.add(order);
    if (order.isMassQuote)
      account.massQuotes.set(quoteKey(order.market.definition.marketId, order.side), order);
    if (order.listId !== null) this.joinList(order, order.listId);
  }

  unindexOrder(order: Order): void {
    if (!this.orders.delete(order.orderId)) return;
    const account = this.accounts.get(order.accountId)!;
    const position = account.positionIn(order.market);
    position.ordersOf(order.side).delete(order.orderId);
    countOrder(account, position, order, -1);
    countLots(position, order, 0);
    checkCounts(account, position, order);
    order.coveredLots = 0;
    this.due.remove(order);
    if (order.isMassQuote) account.massQuotes.delete(quoteKey(order.market.definition.marketId, order.side));
    if (order.listId !== null) this.leaveList(order, order.listId);
  }

  /** The other live orders of an order's list. */
  *othersInList(order: Order): Generator<Order> {
    if (order.listId === null) return;
    for (const other of this.lists.get(order.listId) ?? []) if (other.orderId !== order.orderId) yield other;
  }

  private joinList(order: Order, listId: number): void {
    const list = this.lists.get(listId);
    if (list === undefined) this.lists.set(listId, new Set([order]));
    else list.add(order);
  }

  private leaveList(order: Order, listId: number): void {
    const list = this.lists.get(listId);
    list?.delete(order);
    if (list?.size === 0) this.lists.delete(listId);
  }

  /** Updates the counts of open lots after a change of an order's remaining lots or price. */
  recountLots(order: Order): void {
    const isCounted =
      order.countedLots === order.remainingLots && Object.is(order.countedTicks, order.priceTicks);
    if (isCounted || !this.orders.has(order.orderId)) return;
    countLots(this.accounts.get(order.accountId)!.positionIn(order.market), order, order.remainingLots);
  }

  /** A started stop joins the other orders of its account. */
  startStop(order: Order): void {
    const account = this.accounts.get(order.accountId)!;
    invariant(order.status === 'untriggered', 'a stop starts once', order.orderId, order.status);
    countStop(account, account.positionIn(order.market), order, -1);
    order.status = 'open';
    order.statusReason = null;
  }

  scheduleMarket(market: Market): void {
    const { opensAtMs, closesAtMs } = market.definition;
    if (market.status === 'scheduled' && opensAtMs !== null)
      market.dues.push(new MarketDue(market, 'open', opensAtMs));
    const mayClose = market.status === 'scheduled' || market.status === 'open' || market.status === 'halted';
    if (mayClose && closesAtMs !== null) market.dues.push(new MarketDue(market, 'close', closesAtMs));
    for (const due of market.dues) this.due.add(due);
  }

  unscheduleMarket(market: Market): void {
    for (const due of market.dues.splice(0)) this.due.remove(due);
  }
}

/** The key of a quote among the `massQuotes` of its account. */
export function quoteKey(marketId: string, side: Side): string {
  return `${side} ${marketId}`;
}

/** Counts an order among the live ones of its account, and of all who share with it; or no longer. */
export function countOrder(account: Account, position: Position, order: Order, by: 1 | -1): void {
  account.openOrders += by;
  account.party.openOrders += by;
  if (order.status === 'untriggered') countStop(account, position, order, by);
}

function countStop({ party }: Account, position: Position, { isTrailing, side }: Order, by: 1 | -1): void {
  position.openStops += by;
  party.openStops += by;
  if (isTrailing) position.share.trailingStops[side] += by;
}

/** Counts lots among what the live orders of a position, and of all who share with it, could still trade. */
export function addOpenLots({ openLots, share }: Position, side: Side, lots: number): void {
  openLots[side] += lots;
  share.openLots[side] += lots;
}

function countLots(position: Position, order: Order, lots: number): void {
  addOpenLots(position, order.side, lots - order.countedLots);
  order.countedLots = lots;
  order.countedTicks = order.priceTicks;
  if (!position.market.isEvent || !order.hasPrice) return;
  position.cover[order.side].set(order, lots, position.market.openingCost(order.side, order.priceTicks));
}

/** After an order has left: nothing is counted below zero, and nothing is left of a side without orders. */
function checkCounts({ accountId, openOrders }: Account, position: Position, { market, side }: Order): void {
  const openLots = position.openLots[side];
  const isLast = position.ordersOf(side).size === 0;
  invariant(
    openOrders >= 0 && openLots >= 0 && (!isLast || openLots === 0),
    'live orders and their lots are counted as they come and go',
    accountId,
    openOrders,
    openLots,
  );
  if (!isLast || !market.isEvent) return;
  const { totalLots, totalCost } = position.cover[side];
  invariant(
    totalLots === 0 && totalCost === 0n,
    'a side without live orders has none to cover',
    accountId,
    totalLots,
  );
}

export function holdKey(ownerKind: HoldOwnerKind, ownerId: string): string {
  return `${ownerKind}:${ownerId}`;
}
