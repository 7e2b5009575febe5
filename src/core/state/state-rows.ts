/**
 * The state as rows: what the tables hold and a checkpoint keeps, and how an `EngineState` is built from them.
 * All figures are text or safe integers, so rows survive JSON.
 */
import { type Amount, amount } from '../../domain/money/amount.js';
import { accountText, balanceText, positionText, StateHash } from '../../domain/engine/state-hash.js';
import {
  Account,
  Balance,
  type EngineState,
  type Hold,
  holdKey,
  Limits,
  Market,
  Order,
  type Position,
} from '../../domain/engine/state.js';
import { shareOutCover } from '../../domain/engine/holds.js';
import { addStop, noteWaiting } from '../../domain/engine/stops.js';
import type {
  AccountKind,
  FeeBase,
  HoldOwnerKind,
  MarketKind,
  MarketStatus,
} from '../../domain/engine/types.js';
import type { BALANCE_COLUMNS, ORDER_PROGRESS, POSITION_COLUMNS } from '../tables/core-tables.js';
import type { OrderRow } from '../tables/packed-order.js';
import type { RowOf } from '../tables/table-row.js';

export type { OrderRow };

export interface AssetRow {
  code: string;
  scale: number;
  created_at: number;
}

export interface AccountRow {
  account_id: string;
  kind: AccountKind;
  name: string;
  owner: string | null;
  kyc_level: number;
  /** Absent in checkpoints from before accounts could be frozen. */
  frozen?: boolean;
  created_at: number;
}

export type BalanceRow = RowOf<typeof BALANCE_COLUMNS>;

export type PositionRow = RowOf<typeof POSITION_COLUMNS>;

export interface HoldRow {
  owner_kind: HoldOwnerKind;
  owner_id: string;
  account_id: string;
  asset: string;
  amount: string;
  created_at: number;
}

export interface MarketRow {
  market_id: string;
  kind: MarketKind;
  title: string;
  description: string;
  category: string;
  status: MarketStatus;
  base_asset: string | null;
  quote_asset: string;
  tick_size: string;
  lot_size: string;
  min_size_lots: string;
  max_size_lots: string;
  min_notional: string;
  price_min_ticks: string;
  price_max_ticks: string;
  maker_fee_rate: string;
  taker_fee_rate: string;
  fee_base: FeeBase;
  opens_at: number | null;
  closes_at: number | null;
  settlement_value: string | null;
  settled_at: number | null;
  pool_account_id: string | null;
  created_at: number;
  book_sequence: string;
  last_price_ticks: string | null;
  open_interest_lots: string;
  pending_low_ticks: string | null;
  pending_high_ticks: string | null;
  owed_short_lots: string | null;
  changed_at: number;
}

/** What every market's limits are; see `limits.ts` of the engine. */
export interface LimitsRow {
  open_orders_max: number;
  open_stops_max: number;
}

/** Accounts with what belongs to them; loaded together, whether at start or when first asked for. */
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
  holds: readonly HoldRow[];
  /** One, or none where they were never set. */
  limits: readonly LimitsRow[];
  /** Live orders. */
  orders: readonly OrderRow[];
}

/** Most figures of an order that was not filled are zero, and one zero does for all of them. */
const whole = (text: string): bigint => (text === '0' ? 0n : BigInt(text));

const units = (text: string): Amount => amount(whole(text));

/** The tables do not hold what the last commit left: somebody else has written to them, or a disk has failed. */
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
  for (const market of state.markets.values()) {
    noteWaiting(state, market);
    if (market.status === 'settling') state.settling.add(market);
  }
  return state;
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
  limits.openOrdersMax = row.open_orders_max;
  limits.openStopsMax = row.open_stops_max;
}

export function accountFrom(row: AccountRow): Account {
  const { account_id, kind, name, owner, kyc_level, frozen = false, created_at } = row;
  const account = new Account(Number(account_id), kind, name, owner, created_at);
  account.kycLevel = kyc_level;
  account.frozen = frozen;
  return account;
}

export function balanceFrom(row: BalanceRow): Balance {
  return fillBalance(new Balance(Number(row.account_id), row.asset), row);
}

function fillBalance(balance: Balance, row: BalanceRow): Balance {
  balance.available = BigInt(row.available);
  balance.held = BigInt(row.held);
  return balance;
}

export function fillPosition(position: Position, row: PositionRow): void {
  position.sizeLots = Number(row.size_lots);
  position.costBasis = BigInt(row.cost_basis);
  position.realizedPnl = BigInt(row.realized_pnl);
  position.fees = BigInt(row.fees);
  position.settledLots = Number(row.settled_lots);
}

/** Brings accounts into a state; what they have is part of its hash already and only remembered here. */
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

/** `known` is the same market from another state, which becomes what the row says and has its book emptied. */
export function addMarket(state: EngineState, row: MarketRow, known?: Market): void {
  const market = known ?? marketFrom(row);
  if (known !== undefined) {
    setMarket(known, row);
    known.book.clear();
  }
  state.markets.set(row.market_id, market);
  state.scheduleMarket(market);
}

/** What may change about a market beside its book. */
export function setStatus(
  market: Market,
  row: Pick<MarketRow, 'status' | 'settlement_value' | 'settled_at'>,
): void {
  market.status = row.status;
  market.settlementValue = row.settlement_value === null ? null : units(row.settlement_value);
  market.settledAtMs = row.settled_at;
}

export function marketFrom(row: MarketRow): Market {
  const market = new Market(
    {
      marketId: row.market_id,
      kind: row.kind,
      title: row.title,
      description: row.description,
      category: row.category,
      baseAsset: row.base_asset,
      quoteAsset: row.quote_asset,
      tickSize: units(row.tick_size),
      lotSize: units(row.lot_size),
      minSizeLots: Number(row.min_size_lots),
      maxSizeLots: Number(row.max_size_lots),
      minNotional: units(row.min_notional),
      priceMinTicks: Number(row.price_min_ticks),
      priceMaxTicks: Number(row.price_max_ticks),
      makerFeeRate: units(row.maker_fee_rate),
      takerFeeRate: units(row.taker_fee_rate),
      feeBase: row.fee_base,
      opensAtMs: row.opens_at,
      closesAtMs: row.closes_at,
    },
    row.pool_account_id === null ? null : Number(row.pool_account_id),
    row.created_at,
  );
  setMarket(market, row);
  return market;
}

/** What may change after a market was made, but for the orders in its book. */
export function setMarket(market: Market, row: MarketRow): void {
  setStatus(market, row);
  market.bookSequence = Number(row.book_sequence);
  market.lastPriceTicks = row.last_price_ticks === null ? null : Number(row.last_price_ticks);
  market.openInterestLots = Number(row.open_interest_lots);
  market.clearTradedRange();
  if (row.pending_low_ticks !== null && row.pending_high_ticks !== null) {
    const { pending_low_ticks, pending_high_ticks } = row;
    market.tradedRange = { lowTicks: Number(pending_low_ticks), highTicks: Number(pending_high_ticks) };
  }
  market.owedShortLots = row.owed_short_lots == null ? null : Number(row.owed_short_lots);
  market.changedAtMs = row.changed_at;
}

export function addHold(state: EngineState, row: HoldRow): void {
  const hold = holdFrom(row);
  state.holds.set(holdKey(hold.ownerKind, hold.ownerId), hold);
}

export function holdFrom(row: HoldRow): Hold {
  return {
    ownerKind: row.owner_kind,
    ownerId: row.owner_id,
    accountId: Number(row.account_id),
    asset: row.asset,
    amount: BigInt(row.amount),
    createdAtMs: row.created_at,
    digest: null,
  };
}

/** With a state, the order's account must be in it. */
export function orderFrom(row: OrderRow, market: Market, state?: EngineState): Order {
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
    createdAtMs: row.created_at,
  });
  setProgress(order, row);
  order.stored = true;
  return order;
}

/** What may change after an order was accepted. */
export type OrderProgressRow = RowOf<typeof ORDER_PROGRESS>;

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
}

function queueOrder(order: Order): void {
  const { market } = order;
  if (order.status !== 'untriggered') market.book.sideOf(order.side).add(order);
  else if (order.statusReason === 'triggered') market.stops.addTriggered(order);
  else addStop(order);
}
