/**
 * The state as rows, as in tables and checkpoints, and how to build an `EngineState` from them. All figures are text or
 * safe integers, so rows survive JSON.
 */
import type { FieldValues } from '../../domain/fields.js';
import { type Amount, amount } from '../../domain/money/amount.js';
import { accountText, balanceText, positionText, StateHash } from '../../domain/engine/state-hash.js';
import {
  Account,
  type Asset,
  Balance,
  type EngineState,
  EventGroup,
  type Hold,
  holdKey,
  Limits,
  Market,
  Order,
  type Position,
  Protection,
} from '../../domain/engine/state.js';
import { hiddenLotsOf } from '../../domain/engine/execution.js';
import { shareOutCover } from '../../domain/engine/holds.js';
import { advancedTerms } from '../../domain/engine/order-terms.js';
import { setsExplaining } from '../../domain/engine/settlement.js';
import { addStop, noteWaiting } from '../../domain/engine/stops.js';
import {
  ADVANCED_TERMS,
  type BALANCE_COLUMNS,
  type BOOK_COLUMNS,
  BOOK_FIGURES,
  BOOK_REST,
  type ORDER_FIELDS_COLUMNS,
  type ORDER_PROGRESS,
  type POSITION_COLUMNS,
  type PROTECTION_COLUMNS,
  type TRAILING_PROGRESS,
} from '../tables/core-tables.js';
import type { OrderRow } from '../tables/packed-order.js';
import {
  ACCOUNT_COLUMNS,
  ASSET_COLUMNS,
  EVENT_GROUP_COLUMNS,
  HOLD_COLUMNS,
  LIMITS_COLUMNS,
  type MARKET_COLUMNS,
  MARKET_DEFINITION,
  MARKET_STATUS,
} from '../tables/reference-tables.js';
import { fieldReader, type TableRow, setFields } from '../tables/table-row.js';

export type { OrderRow };

export type OrderFieldsRow = TableRow<typeof ORDER_FIELDS_COLUMNS>;

export type AssetRow = TableRow<typeof ASSET_COLUMNS>;

export type AccountRow = TableRow<typeof ACCOUNT_COLUMNS>;

export type BalanceRow = TableRow<typeof BALANCE_COLUMNS>;

export type PositionRow = TableRow<typeof POSITION_COLUMNS>;

export type HoldRow = TableRow<typeof HOLD_COLUMNS>;

export type MarketRow = TableRow<typeof MARKET_COLUMNS> & TableRow<typeof BOOK_COLUMNS>;

export type GroupRow = TableRow<typeof EVENT_GROUP_COLUMNS>;

/** What every market's limits are; see `limits.ts` of the engine. */
export type LimitsRow = TableRow<typeof LIMITS_COLUMNS>;

/** How makers are protected; see `maker-protection.ts` of the engine. */
export type ProtectionRow = TableRow<typeof PROTECTION_COLUMNS>;

/** Accounts with their balances and positions; loaded together, at start or at first use. */
export interface AccountRows {
  accounts: readonly AccountRow[];
  balances: readonly BalanceRow[];
  positions: readonly PositionRow[];
}

export interface StateRows extends AccountRows {
  sequence: number;
  timeMs: number;
  assets: readonly AssetRow[];
  markets: readonly MarketRow[];
  groups: readonly GroupRow[];
  holds: readonly HoldRow[];
  /** One, or none where they were never set. */
  limits: readonly LimitsRow[];
  protections: readonly ProtectionRow[];
  /** Live orders. */
  orders: readonly OrderRow[];
  /** Of those that have any. */
  orderFields: readonly OrderFieldsRow[];
}

/** Most figures of an order that was not filled are zero, and one zero does for all of them. */
const whole = (text: string): bigint => (text === '0' ? 0n : BigInt(text));

const units = (text: string): Amount => amount(whole(text));

const assetFields = fieldReader(ASSET_COLUMNS);
const groupFields = fieldReader(EVENT_GROUP_COLUMNS);
const accountFields = fieldReader(ACCOUNT_COLUMNS);
const definitionFields = fieldReader(MARKET_DEFINITION);
const statusFields = fieldReader(MARKET_STATUS);
const bookFields = fieldReader(BOOK_FIGURES);
const bookRestFields = fieldReader(BOOK_REST);
const holdFields = fieldReader(HOLD_COLUMNS);
const limitsFields = fieldReader(LIMITS_COLUMNS);
const advancedFields = fieldReader(ADVANCED_TERMS);

/** The tables differ from the last commit's result: something else has written to them, or a disk has failed. */
export class DamagedState extends Error {}

/** Puts live orders where they stand, and works out what follows from all there is. */
export function finishState(state: EngineState, orders: Order[]): EngineState {
  orders.sort((a, b) => a.orderId - b.orderId);
  for (const order of orders) state.indexOrder(order);
  orders.sort((a, b) => a.queueSequence - b.queueSequence || a.orderId - b.orderId);
  for (const order of orders) queueOrder(order);
  // Cover follows from positions and orders, so it is not stored.
  for (const { positions } of state.accounts.values())
    for (const position of positions.values()) shareOutCover(position);
  for (const group of state.groups.values()) group.setsLots = setsOf(state, group);
  for (const market of state.markets.values()) {
    noteWaiting(state, market);
    if (market.status === 'settling') state.settling.add(market);
  }
  return state;
}

function setsOf(state: EngineState, group: EventGroup): number {
  const { groupId, poolAccountId, quoteAsset } = group;
  const pool = present(state.accounts.get(poolAccountId), `account ${poolAccountId}`);
  const sets = setsExplaining(state, group, pool.balances.get(quoteAsset)?.available ?? 0n);
  if (sets === null) throw new DamagedState(`the pool of the event group ${groupId} is not what it owes`);
  return sets;
}

function present<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new DamagedState(`${what} is referred to, but its row is missing`);
  return row;
}

function accountOf(state: EngineState, accountId: string): Account {
  return present(state.accounts.get(Number(accountId)), `account ${accountId}`);
}

export function marketOf(state: Pick<EngineState, 'markets'>, marketId: string): Market {
  return present(state.markets.get(marketId), `market ${marketId}`);
}

export function limitsFrom(row: LimitsRow): Limits {
  const limits = new Limits();
  setLimits({ limits }, row);
  return limits;
}

export function setLimits({ limits }: Pick<EngineState, 'limits'>, row: LimitsRow): void {
  setFields(limits, limitsFields(row));
}

export function protectionFrom(row: ProtectionRow): Protection {
  const protection = new Protection(Number(row.account_id));
  protection.fills = row.fills === null ? null : Number(row.fills);
  protection.windowMs = row.window_ms === null ? null : Number(row.window_ms);
  protection.fillTimesMs = row.fill_times === '' ? [] : row.fill_times.split(' ').map(Number);
  protection.trippedAtMs = row.tripped_at;
  return protection;
}

export function assetFrom(row: AssetRow): Asset {
  return assetFields(row);
}

export function accountFrom(row: AccountRow): Account {
  return new Account(accountFields(row));
}

export function balanceFrom(row: BalanceRow): Balance {
  return fillBalance(new Balance(Number(row.account_id), row.asset), row);
}

function fillBalance(balance: Balance, row: BalanceRow): Balance {
  balance.available = BigInt(row.available);
  balance.held = BigInt(row.held);
  balance.settledTotal = balance.available + balance.held;
  return balance;
}

export function fillPosition(position: Position, row: PositionRow): void {
  position.sizeLots = Number(row.size_lots);
  position.costBasis = BigInt(row.cost_basis);
  position.realizedPnl = BigInt(row.realized_pnl);
  position.fees = BigInt(row.fees);
  position.settledLots = Number(row.settled_lots);
}

/** Adds accounts to a state; the state's hash includes their parts already, so these only get their digests. */
export function addAccounts(state: EngineState, rows: AccountRows): void {
  for (const row of rows.accounts) {
    const account = accountFrom(row);
    StateHash.remember(account, accountText(account));
    state.addAccount(account);
  }
  for (const row of rows.balances) {
    const balance = fillBalance(accountOf(state, row.account_id).balanceOf(row.asset), row);
    StateHash.remember(balance, balanceText(balance));
  }
  for (const row of rows.positions) {
    const position = accountOf(state, row.account_id).positionIn(marketOf(state, row.market_id));
    fillPosition(position, row);
    StateHash.remember(position, positionText(position));
  }
}

/** `known` is the same market of another state; it is updated by the row, and its book is emptied. */
export function addMarket(state: EngineState, row: MarketRow, known?: Market): void {
  const market = known ?? marketFrom(row);
  if (known !== undefined) {
    setMarket(known, row);
    known.book.clear();
  }
  state.markets.set(row.market_id, market);
  state.scheduleMarket(market);
}

export function addGroup(state: EngineState, row: GroupRow): void {
  const group = groupFrom(row);
  for (const marketId of group.marketIds) marketOf(state, marketId);
  state.addGroup(group);
}

export function groupFrom(row: GroupRow): EventGroup {
  const { eventGroupId: groupId, marketIds, ...fields } = groupFields(row);
  return new EventGroup({ ...fields, groupId, marketIds: marketIds.split(' ') });
}

/** What may change about a market beside its book. A definition that is the same stays the same object. */
export function setStatus(market: Market, row: MarketRow): void {
  const stored = definitionFields(row);
  const isSame = (Object.keys(stored) as (keyof typeof stored)[]).every(
    (name) => stored[name] === market.definition[name],
  );
  if (!isSame) market.definition = stored;
  setFields(market, statusFields(row));
}

export function marketFrom(row: MarketRow): Market {
  const market = new Market(
    definitionFields(row),
    row.pool_account_id === null ? null : Number(row.pool_account_id),
    row.created_at,
  );
  setMarket(market, row);
  return market;
}

/** What may change after a market was made, but for the orders in its book. */
export function setMarket(market: Market, row: MarketRow): void {
  setStatus(market, row);
  setFields(market, bookFields(row));
  market.clearTradedRange();
  const { pendingLowTicks, pendingHighTicks, owedShortLots } = bookRestFields(row);
  if (pendingLowTicks !== null && pendingHighTicks !== null)
    market.tradedRange = { lowTicks: pendingLowTicks, highTicks: pendingHighTicks };
  market.owedShortLots = owedShortLots;
}

export function addHold(state: EngineState, row: HoldRow): void {
  const hold = holdFrom(row);
  state.holds.set(holdKey(hold.ownerKind, hold.ownerId), hold);
}

export function holdFrom(row: HoldRow): Hold {
  return { ...holdFields(row), digest: null };
}

/** Few orders are, and their fields cost more than all others. */
function isAdvanced(row: OrderRow): boolean {
  for (const { name } of ADVANCED_TERMS) if (row[name] != null) return true;
  return false;
}

/** With a state, the order's account must be in it. */
export function orderFromRow(row: OrderRow, market: Market, state?: EngineState): Order {
  const order = new Order({
    orderId: Number(row.order_id),
    accountId: state === undefined ? Number(row.account_id) : accountOf(state, row.account_id).accountId,
    market,
    clientOrderId: row.client_order_id,
    side: row.side,
    type: row.type,
    timeInForce: row.time_in_force,
    priceTicks: row.price_ticks === null ? NaN : Number(row.price_ticks),
    stopPriceTicks: row.stop_price_ticks === null ? null : Number(row.stop_price_ticks),
    sizeLots: Number(row.size_lots),
    postOnly: row.post_only,
    reduceOnly: row.reduce_only,
    selfTradePrevention: row.self_trade_prevention,
    expiresAtMs: row.expires_at,
    feeRates:
      row.maker_fee_rate === null || row.taker_fee_rate === null
        ? null
        : { maker: units(row.maker_fee_rate), taker: units(row.taker_fee_rate) },
    advanced: isAdvanced(row) ? advancedTerms(advancedFields(row)) : null,
    createdAtMs: row.created_at,
  });
  setProgress(order, row);
  order.stored = true;
  return order;
}

/** Gives orders what plugins keep with them; they must be among `orders`. */
export function setOrderFields(
  rows: readonly OrderFieldsRow[],
  orders: ReadonlyMap<number, Pick<Order, 'fields'>>,
): void {
  for (const row of rows)
    present(orders.get(Number(row.order_id)), `order ${row.order_id}`).fields = fieldsFrom(row.fields);
}

export function fieldsFrom(json: string): FieldValues {
  return JSON.parse(json) as FieldValues;
}

/** What may change after an order was accepted. */
export type OrderProgressRow = TableRow<typeof ORDER_PROGRESS> & Partial<TableRow<typeof TRAILING_PROGRESS>>;

export function setProgress(order: Order, row: OrderProgressRow): void {
  order.priceTicks = row.price_ticks === null ? NaN : Number(row.price_ticks);
  order.sizeLots = Number(row.size_lots);
  order.filledLots = Number(row.filled_lots);
  order.remainingLots = Number(row.remaining_lots);
  order.filledNotional = whole(row.filled_notional);
  order.fees = whole(row.fees);
  order.feeRounding = whole(row.fee_rounding);
  order.held = whole(row.held);
  order.status = row.status;
  order.statusReason = row.status_reason;
  order.queueSequence = Number(row.queue_sequence);
  order.bookSequence = Number(row.book_sequence);
  order.updatedAtMs = row.updated_at;
  order.hiddenLots = hiddenLotsOf(order);
  order.bestTicks = row.best_ticks == null ? null : Number(row.best_ticks);
}

function queueOrder(order: Order): void {
  const { market } = order;
  if (order.status !== 'untriggered') market.book.sideOf(order.side).add(order);
  else if (order.statusReason === 'triggered') market.stops.addTriggered(order);
  else if (!order.awaitsEntry) addStop(order);
}
