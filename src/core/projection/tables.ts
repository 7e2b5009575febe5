/**
 * What commits do to the tables, declared as data: the effects a batch can have, each with its table, its
 * columns and how a changed thing fills them. The journal's bytes, the projector's statements and the proof of
 * the tables all follow from this.
 */
import type { Changes } from '../../domain/engine/changes.js';
import type { LedgerTransfer, MatchedBet, Trade } from '../../domain/engine/types.js';
import type { Balance, Market, Order, Position } from '../../domain/engine/state.js';
import type { AccountChangeRow } from '../account-changes.js';
import { bigint, bool, type Column, integer, numeric, text, time, type Value } from './values.js';

/** A key under which a request or an order can be repeated, with what it was answered. */
export interface KeyRow {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcomes: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

const orderKey: readonly Column<Order>[] = [
  integer('account_id', (order) => order.accountId),
  integer('order_id', (order) => order.orderId),
];

/** What may change after an order was accepted. */
const orderProgress: readonly Column<Order>[] = [
  integer('price_ticks', (order) => (order.hasPrice ? order.priceTicks : null)),
  integer('size_lots', (order) => order.sizeLots),
  integer('filled_lots', (order) => order.filledLots),
  integer('remaining_lots', (order) => order.remainingLots),
  numeric('filled_notional', (order) => order.filledNotional),
  numeric('fees', (order) => order.fees),
  bigint('fee_rounding', (order) => order.feeRounding),
  numeric('held', (order) => order.held),
  text('status', (order) => order.status),
  text('status_reason', (order) => order.statusReason),
  integer('queue_sequence', (order) => order.queueSequence),
  integer('book_sequence', (order) => order.bookSequence),
  time('updated_at', (order) => order.updatedAtMs),
];

const orderTerms: readonly Column<Order>[] = [
  text('market_id', (order) => order.market.definition.marketId),
  text('client_order_id', (order) => order.clientOrderId),
  text('side', (order) => order.side),
  text('type', (order) => order.type),
  text('time_in_force', (order) => order.timeInForce),
  integer('stop_price_ticks', (order) => order.stopPriceTicks),
  numeric('maker_fee_rate', (order) => order.feeRates?.maker ?? null),
  numeric('taker_fee_rate', (order) => order.feeRates?.taker ?? null),
  bool('post_only', (order) => order.postOnly),
  bool('reduce_only', (order) => order.reduceOnly),
  text('self_trade_prevention', (order) => order.selfTradePrevention),
  time('expires_at', (order) => order.expiresAtMs),
  time('created_at', (order) => order.createdAtMs),
];

const trades: readonly Column<Trade>[] = [
  text('market_id', (trade) => trade.marketId),
  integer('trade_id', (trade) => trade.tradeId),
  integer('price_ticks', (trade) => trade.priceTicks),
  integer('size_lots', (trade) => trade.sizeLots),
  text('taker_side', (trade) => trade.takerSide),
  integer('maker_order_id', (trade) => trade.makerOrderId),
  integer('taker_order_id', (trade) => trade.takerOrderId),
  integer('maker_account_id', (trade) => trade.makerAccountId),
  integer('taker_account_id', (trade) => trade.takerAccountId),
  numeric('maker_fee', (trade) => trade.makerFee),
  numeric('taker_fee', (trade) => trade.takerFee),
  integer('book_sequence', (trade) => trade.bookSequence),
  time('executed_at', (trade) => trade.executedAtMs),
];

const matchedBets: readonly Column<MatchedBet>[] = [
  integer('account_id', (bet) => bet.accountId),
  integer('order_id', (bet) => bet.orderId),
  text('quote_id', (bet) => bet.quoteId),
  text('market_id', (bet) => bet.marketId),
  time('created_at', (bet) => bet.createdAtMs),
];

const transfers: readonly Column<LedgerTransfer>[] = [
  integer('transfer_id', (transfer) => transfer.transferId),
  integer('debit_account_id', (transfer) => transfer.debitAccountId),
  integer('credit_account_id', (transfer) => transfer.creditAccountId),
  text('asset', (transfer) => transfer.asset),
  numeric('amount', (transfer) => transfer.amount),
  text('reason', (transfer) => transfer.reason),
  text('reference', (transfer) => transfer.reference),
  numeric('debit_balance_after', (transfer) => transfer.debitBalanceAfter),
  numeric('credit_balance_after', (transfer) => transfer.creditBalanceAfter),
  time('created_at', (transfer) => transfer.createdAtMs),
];

const balances: readonly Column<Balance>[] = [
  integer('account_id', (balance) => balance.accountId),
  text('asset', (balance) => balance.asset),
  numeric('available', (balance) => balance.available),
  numeric('held', (balance) => balance.held),
];

const positions: readonly Column<Position>[] = [
  integer('account_id', (position) => position.accountId),
  text('market_id', (position) => position.market.definition.marketId),
  integer('size_lots', (position) => position.sizeLots),
  numeric('cost_basis', (position) => position.costBasis),
  numeric('realized_pnl', (position) => position.realizedPnl),
  numeric('fees', (position) => position.fees),
  integer('settled_lots', (position) => position.settledLots),
];

const books: readonly Column<Market>[] = [
  text('market_id', (market) => market.definition.marketId),
  integer('book_sequence', (market) => market.bookSequence),
  integer('last_price_ticks', (market) => market.lastPriceTicks),
  integer('open_interest_lots', (market) => market.openInterestLots),
  time('changed_at', (market) => market.changedAtMs),
  integer('pending_low_ticks', (market) => market.pendingTicks?.lowTicks ?? null),
  integer('pending_high_ticks', (market) => market.pendingTicks?.highTicks ?? null),
  integer('owed_short_lots', (market) => market.owedShortLots),
];

const accountChanges: readonly Column<AccountChangeRow>[] = [
  integer('account_id', (change) => change.accountId),
  integer('sequence', (change) => change.sequence),
  integer('ledger_sequence', (change) => change.ledgerSequence),
  // PostgreSQL's arrays of arrays would have to be of one length, so the ids are kept as text.
  text('order_ids', (change) => change.orderIds.join(' ')),
];

const keys: readonly Column<KeyRow>[] = [
  text('owner', (row) => row.owner),
  text('key', (row) => row.key),
  text('fingerprint', (row) => row.fingerprint),
  text('outcomes', (row) => row.outcomes),
  time('created_at', (row) => row.createdAtMs),
  time('expires_at', (row) => row.expiresAtMs),
];

/** What one batch does to the tables. */
export interface EffectRows {
  readonly newOrders: readonly Order[];
  readonly changedOrders: readonly Order[];
  readonly trades: readonly Trade[];
  readonly matchedBets: readonly MatchedBet[];
  readonly transfers: readonly LedgerTransfer[];
  readonly balances: readonly Balance[];
  readonly positions: readonly Position[];
  readonly books: readonly Market[];
  readonly accountChanges: readonly AccountChangeRow[];
  readonly keys: readonly KeyRow[];
}

export function rowsOf(
  changes: Changes,
  keys: readonly KeyRow[],
  accountChanges: readonly AccountChangeRow[],
): EffectRows {
  return {
    newOrders: changes.orders.filter(({ stored }) => !stored),
    changedOrders: changes.orders.filter(({ stored }) => stored),
    trades: changes.trades,
    matchedBets: changes.matchedBets,
    transfers: changes.transfers,
    balances: changes.balances,
    positions: changes.positions,
    books: changes.markets,
    accountChanges,
    keys,
  };
}

/** `insert` and `append` add rows, `replace` adds or replaces, `change` changes rows that must be there. */
export type EffectKind = 'insert' | 'change' | 'append' | 'replace';

export interface Effect<T = unknown> {
  readonly kind: EffectKind;
  readonly table: string;
  readonly columns: readonly Column<T>[];
  readonly rows: (effects: EffectRows) => readonly T[];
  /** How many columns, the first ones, tell a row from all others; 0 where no row ever comes again. */
  readonly keyLength: number;
}

/** The same for whatever the row is: a list of effects cannot know. */
function effect<T>(value: Effect<T>): Effect {
  return value as Effect;
}

const orderColumns: readonly Column<Order>[] = [...orderKey, ...orderProgress, ...orderTerms];

export const NEW_ORDERS = effect<Order>({
  kind: 'insert',
  table: 'orders',
  columns: orderColumns,
  rows: (effects) => effects.newOrders,
  keyLength: orderKey.length,
});

/** Its columns are the first of those of a new order, so that a change can be merged into the new row. */
export const CHANGED_ORDERS = effect<Order>({
  kind: 'change',
  table: 'orders',
  columns: [...orderKey, ...orderProgress],
  rows: (effects) => effects.changedOrders,
  keyLength: orderKey.length,
});

/**
 * In the order in which the journal keeps them, which is a part of its format. Those that a replay of the
 * commands alone cannot give, since callers' keys and the numbers of streams are no matter of the engine, come last.
 */
export const EFFECTS: readonly Effect[] = [
  NEW_ORDERS,
  CHANGED_ORDERS,
  effect<Trade>({
    kind: 'append',
    table: 'trades',
    columns: trades,
    rows: (effects) => effects.trades,
    keyLength: 0,
  }),
  effect<MatchedBet>({
    kind: 'append',
    table: 'matched_bets',
    columns: matchedBets,
    rows: (effects) => effects.matchedBets,
    keyLength: 0,
  }),
  effect<LedgerTransfer>({
    kind: 'append',
    table: 'transfers',
    columns: transfers,
    rows: (effects) => effects.transfers,
    keyLength: 0,
  }),
  effect<Balance>({
    kind: 'replace',
    table: 'balances',
    columns: balances,
    rows: (effects) => effects.balances,
    keyLength: 2,
  }),
  effect<Position>({
    kind: 'replace',
    table: 'positions',
    columns: positions,
    rows: (effects) => effects.positions,
    keyLength: 2,
  }),
  effect<Market>({
    kind: 'replace',
    table: 'market_books',
    columns: books,
    rows: (effects) => effects.books,
    keyLength: 1,
  }),
  effect<AccountChangeRow>({
    kind: 'append',
    table: 'account_changes',
    columns: accountChanges,
    rows: (effects) => effects.accountChanges,
    keyLength: 0,
  }),
  effect<KeyRow>({
    kind: 'replace',
    table: 'command_keys',
    columns: keys,
    rows: (effects) => effects.keys,
    keyLength: 2,
  }),
];

/** The columns that are filled, by table, for what compares them with the tables. */
export const PROJECTED_COLUMNS: Readonly<Record<string, readonly Pick<Column<never>, 'name' | 'kind'>[]>> =
  Object.fromEntries(
    EFFECTS.filter(({ kind }) => kind !== 'change').map(({ table, columns }) => [table, columns]),
  );

/** What tells a row from all others of its effect. */
export function keyOf({ keyLength }: Effect, row: readonly Value[]): string {
  return keyLength === 1 ? String(row[0]) : `${row[0]}\n${row[1]}`;
}

export function countRows(effects: EffectRows): number {
  return EFFECTS.reduce((sum, { rows }) => sum + rows(effects).length, 0);
}
