/**
 * The tables that the core's commits write, declared once: each column with what fills it. The journal's bytes, the
 * projector's statements, the rows of checkpoints, the loader and the entities all follow from these lists.
 */
import type { Balance, Market, Order, Position, Protection } from '../../domain/engine/state.js';
import type { LedgerTransfer, MatchedBet, SetLeg, Trade } from '../../domain/engine/types.js';
import { declareColumns, type StoredColumn } from './values.js';

/** A key under which a request or an order can be repeated, with what it was answered. */
export interface KeyRow {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcomes: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/** What one commit did to one account, as it is stored. */
export interface AccountChangeRow {
  readonly accountId: number;
  readonly sequence: number;
  readonly ledgerSequence: number;
  readonly orderIds: readonly number[];
}

const order = declareColumns<Order>();
const trade = declareColumns<Trade>();
const bet = declareColumns<MatchedBet>();
const leg = declareColumns<SetLeg>();
const transfer = declareColumns<LedgerTransfer>();
const balance = declareColumns<Balance>();
const position = declareColumns<Position>();
const market = declareColumns<Market>();
const protection = declareColumns<Protection>();
const change = declareColumns<AccountChangeRow>();
const row = declareColumns<KeyRow>();

export const ORDER_KEY = [
  order.integer('account_id', (order) => order.accountId),
  order.integer('order_id', (order) => order.orderId),
] as const;

/** What may change after an order was accepted. */
export const ORDER_PROGRESS = [
  order.nullable.integer('price_ticks', (order) => (order.hasPrice ? order.priceTicks : null)),
  order.integer('size_lots', (order) => order.sizeLots),
  order.integer('filled_lots', (order) => order.filledLots),
  order.integer('remaining_lots', (order) => order.remainingLots),
  order.numeric('filled_notional', (order) => order.filledNotional),
  order.numeric('fees', (order) => order.fees),
  order.bigint('fee_rounding', (order) => order.feeRounding),
  order.numeric('held', (order) => order.held),
  order.text('status', (order) => order.status),
  order.nullable.text('status_reason', (order) => order.statusReason),
  order.integer('queue_sequence', (order) => order.queueSequence),
  order.integer('book_sequence', (order) => order.bookSequence),
  order.time('updated_at', (order) => order.updatedAtMs),
] as const;

/** What may change of a trailing stop besides. */
export const TRAILING_PROGRESS = [order.nullable.integer('best_ticks', (order) => order.bestTicks)] as const;

export const ORDER_TERMS = [
  order.text('market_id', (order) => order.market.definition.marketId),
  order.nullable.text('client_order_id', (order) => order.clientOrderId),
  order.text('side', (order) => order.side),
  order.text('type', (order) => order.type),
  order.text('time_in_force', (order) => order.timeInForce),
  order.nullable.integer('stop_price_ticks', (order) => order.stopPriceTicks),
  order.nullable.numeric('maker_fee_rate', (order) => order.feeRates?.maker ?? null),
  order.nullable.numeric('taker_fee_rate', (order) => order.feeRates?.taker ?? null),
  order.bool('post_only', (order) => order.postOnly),
  order.bool('reduce_only', (order) => order.reduceOnly),
  order.text('self_trade_prevention', (order) => order.selfTradePrevention),
  order.nullable.time('expires_at', (order) => order.expiresAtMs),
  order.time('created_at', (order) => order.createdAtMs),
] as const;

/** Terms that few orders have. */
export const ADVANCED_TERMS = [
  order.nullable.numeric('quote_size', ({ advanced }) => advanced?.quoteSize ?? null),
  order.nullable.integer('display_lots', ({ advanced }) => advanced?.displayLots ?? null),
  order.nullable.integer('list_id', ({ advanced }) => advanced?.listId ?? null),
  order.nullable.text('list_role', ({ advanced }) => advanced?.listRole ?? null),
  order.nullable.text('client_list_id', ({ advanced }) => advanced?.clientListId ?? null),
  order.nullable.text('stop_trigger', ({ advanced }) => advanced?.stopTrigger ?? null),
  order.nullable.integer('trailing_ticks', ({ advanced }) => advanced?.trailingTicks ?? null),
  order.nullable.integer('trailing_bps', ({ advanced }) => advanced?.trailingBps ?? null),
  order.nullable.text('origin', ({ advanced }) => advanced?.origin ?? null),
] as const;

/** What plugins keep with an order, as JSON: apart from the orders, whose rows change often and rarely have any. */
export const ORDER_FIELDS_COLUMNS = [
  ...ORDER_KEY,
  order.text('fields', ({ fields }) => JSON.stringify(fields)),
] as const;

/** In this order the journal keeps a new order without advanced terms; those of a changed one come first. */
export const PLAIN_ORDER_COLUMNS = [...ORDER_KEY, ...ORDER_PROGRESS, ...ORDER_TERMS] as const;

/** Those of a changed order come first here, too, be it a trailing stop or not. */
export const ORDER_COLUMNS = [
  ...ORDER_KEY,
  ...ORDER_PROGRESS,
  ...TRAILING_PROGRESS,
  ...ORDER_TERMS,
  ...ADVANCED_TERMS,
] as const;

export const TRADE_COLUMNS = [
  trade.text('market_id', (trade) => trade.marketId),
  trade.integer('trade_id', (trade) => trade.tradeId),
  trade.integer('price_ticks', (trade) => trade.priceTicks),
  trade.integer('size_lots', (trade) => trade.sizeLots),
  trade.text('taker_side', (trade) => trade.takerSide),
  trade.integer('maker_order_id', (trade) => trade.makerOrderId),
  trade.integer('taker_order_id', (trade) => trade.takerOrderId),
  trade.integer('maker_account_id', (trade) => trade.makerAccountId),
  trade.integer('taker_account_id', (trade) => trade.takerAccountId),
  trade.numeric('maker_fee', (trade) => trade.makerFee),
  trade.numeric('taker_fee', (trade) => trade.takerFee),
  trade.integer('book_sequence', (trade) => trade.bookSequence),
  trade.time('executed_at', (trade) => trade.executedAtMs),
] as const;

/**
 * What a trade has moved, in its own row; all are null where its transfers have rows of their own. See
 * `carried-transfers.ts`.
 */
export const CARRIED_COLUMNS = [
  // In spot markets what a side has delivered; in event markets what went into the pool and came out of it.
  { name: 'maker_paid', kind: 'numeric' },
  { name: 'maker_received', kind: 'numeric' },
  { name: 'taker_paid', kind: 'numeric' },
  { name: 'taker_received', kind: 'numeric' },
  { name: 'pool_account_id', kind: 'integer' },
  // In the quote asset, after everything that the trade has moved.
  { name: 'maker_balance_after', kind: 'numeric' },
  { name: 'taker_balance_after', kind: 'numeric' },
  { name: 'maker_base_after', kind: 'numeric' },
  { name: 'taker_base_after', kind: 'numeric' },
  { name: 'pool_balance_after', kind: 'numeric' },
  { name: 'fees_balance_after', kind: 'numeric' },
] as const satisfies readonly StoredColumn[];

export const MATCHED_BET_COLUMNS = [
  bet.integer('account_id', (bet) => bet.accountId),
  bet.integer('order_id', (bet) => bet.orderId),
  bet.text('quote_id', (bet) => bet.quoteId),
  bet.text('market_id', (bet) => bet.marketId),
  bet.time('created_at', (bet) => bet.createdAtMs),
] as const;

export const SET_LEG_COLUMNS = [
  leg.text('market_id', (leg) => leg.marketId),
  leg.integer('leg_id', (leg) => leg.legId),
  leg.integer('account_id', (leg) => leg.accountId),
  leg.text('side', (leg) => leg.side),
  leg.integer('size_lots', (leg) => leg.sizeLots),
  leg.numeric('price', (leg) => leg.price),
  leg.time('booked_at', (leg) => leg.bookedAtMs),
] as const;

export const LEDGER_TRANSFER_COLUMNS = [
  transfer.integer('transfer_id', (transfer) => transfer.transferId),
  transfer.integer('debit_account_id', (transfer) => transfer.debitAccountId),
  transfer.integer('credit_account_id', (transfer) => transfer.creditAccountId),
  transfer.text('asset', (transfer) => transfer.asset),
  transfer.numeric('amount', (transfer) => transfer.amount),
  transfer.text('reason', (transfer) => transfer.reason),
  transfer.text('reference', (transfer) => transfer.reference),
  transfer.numeric('debit_balance_after', (transfer) => transfer.debitBalanceAfter),
  transfer.numeric('credit_balance_after', (transfer) => transfer.creditBalanceAfter),
  transfer.time('created_at', (transfer) => transfer.createdAtMs),
] as const;

export const BALANCE_COLUMNS = [
  balance.integer('account_id', (balance) => balance.accountId),
  balance.text('asset', (balance) => balance.asset),
  balance.numeric('available', (balance) => balance.available),
  balance.numeric('held', (balance) => balance.held),
] as const;

export const POSITION_COLUMNS = [
  position.integer('account_id', (position) => position.accountId),
  position.text('market_id', (position) => position.market.definition.marketId),
  position.integer('size_lots', (position) => position.sizeLots),
  position.numeric('cost_basis', (position) => position.costBasis),
  position.numeric('realized_pnl', (position) => position.realizedPnl),
  position.numeric('fees', (position) => position.fees),
  position.integer('settled_lots', (position) => position.settledLots),
] as const;

export const BOOK_KEY = [market.text('market_id', (market) => market.definition.marketId)] as const;

/** What trading has made of a market. */
export const BOOK_FIGURES = [
  market.integer('book_sequence', (market) => market.bookSequence),
  market.nullable.integer('last_price_ticks', (market) => market.lastPriceTicks),
  market.integer('open_interest_lots', (market) => market.openInterestLots),
  market.time('changed_at', (market) => market.changedAtMs),
] as const;

/** What a leader must find again of work that was left for later. */
export const BOOK_REST = [
  market.nullable.integer('pending_low_ticks', (market) => market.pendingTicks?.lowTicks ?? null),
  market.nullable.integer('pending_high_ticks', (market) => market.pendingTicks?.highTicks ?? null),
  market.nullable.integer('owed_short_lots', (market) => market.owedShortLots),
] as const;

export const BOOK_COLUMNS = [...BOOK_KEY, ...BOOK_FIGURES, ...BOOK_REST] as const;

export const PROTECTION_COLUMNS = [
  protection.integer('account_id', (protection) => protection.accountId),
  protection.nullable.integer('fills', (protection) => protection.fills),
  protection.nullable.integer('window_ms', (protection) => protection.windowMs),
  // Of a few fills; as text, for the reason given below.
  protection.text('fill_times', (protection) => protection.fillTimesMs.join(' ')),
  protection.nullable.time('tripped_at', (protection) => protection.trippedAtMs),
] as const;

export const ACCOUNT_CHANGE_COLUMNS = [
  change.integer('account_id', (change) => change.accountId),
  change.integer('sequence', (change) => change.sequence),
  change.integer('ledger_sequence', (change) => change.ledgerSequence),
  // PostgreSQL's arrays of arrays would have to be of one length, so the ids are kept as text.
  change.text('order_ids', (change) => change.orderIds.join(' ')),
] as const;

/** A key, and what a repeat needs of it. */
export const KEY_ANSWER = [
  row.text('owner', (row) => row.owner),
  row.text('key', (row) => row.key),
  row.text('fingerprint', (row) => row.fingerprint),
  row.text('outcomes', (row) => row.outcomes),
] as const;

export const KEY_COLUMNS = [
  ...KEY_ANSWER,
  row.time('created_at', (row) => row.createdAtMs),
  row.nullable.time('expires_at', (row) => row.expiresAtMs),
] as const;
