/**
 * The data types of the engine: markets, orders, trades and money movements. Prices are ticks and sizes lots of their
 * market, both safe integers; money is in units of 10^-18 (`Amount`); times are milliseconds since the epoch; ids are
 * places in the global ledger sequence.
 */
import type { FieldValues } from '../fields.js';
import type { SelfTradePrevention, Side } from '../matching/terms.js';
import type { Amount } from '../money/amount.js';

export type { SelfTradePrevention, Side };
export type OrderType = 'limit' | 'market' | 'stop_limit' | 'stop' | 'trailing_stop';
/** Which price triggers a stop; see `stops.ts`. */
export type StopTrigger = 'last' | 'mark';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTD';
export type OrderStatus =
  | 'untriggered'
  | 'open'
  | 'partially_filled'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'rejected';

/** Why an order has its status, if the status alone does not say. */
export type StatusReason =
  | 'requested'
  | 'replaced'
  | 'ioc_remainder'
  | 'fok_not_filled'
  | 'no_liquidity'
  | 'band_reached'
  | 'self_trade'
  | 'reduce_only'
  | 'triggered'
  | 'awaiting_entry'
  | 'order_list'
  | 'maker_protection'
  | 'market_closed'
  | 'amended_to_filled'
  | 'insufficient_funds'
  | 'post_only_would_cross'
  | 'reduce_only_violated'
  | 'size_out_of_range'
  | 'market_not_open'
  | 'account_frozen'
  | 'too_many_open_orders'
  | 'self_limit_exceeded'
  | 'self_excluded';

export type MarketKind = 'spot' | 'event';
export type MarketStatus = 'scheduled' | 'open' | 'halted' | 'closed' | 'settling' | 'settled';
/** What a fee rate is multiplied by: p·s, or p·(1−p)·s in event markets that choose it. */
export type FeeBase = 'notional' | 'variance';

/** What operators say of a market. Never changed in place: a changed market has another definition. */
export interface MarketDefinition {
  readonly marketId: string;
  readonly kind: MarketKind;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  /** Absent (null) on event markets, which trade contracts instead of an asset. */
  readonly baseAsset: string | null;
  readonly quoteAsset: string;
  readonly tickSize: Amount;
  readonly lotSize: Amount;
  readonly minSizeLots: number;
  readonly maxSizeLots: number;
  readonly minNotional: Amount;
  readonly priceMinTicks: number;
  readonly priceMaxTicks: number;
  /** How far from the best price an order without a limit trades, in hundredths of a percent of it; null = any price. */
  readonly marketOrderBandBps: number | null;
  /** Of new orders. */
  readonly makerFeeRate: Amount;
  readonly takerFeeRate: Amount;
  /** Of orders that carry no rates of their own: as the market was made. Null while they are the same. */
  readonly originalMakerFeeRate: Amount | null;
  readonly originalTakerFeeRate: Amount | null;
  readonly feeBase: FeeBase;
  readonly opensAtMs: number | null;
  readonly closesAtMs: number | null;
  /** How often operators have changed it; null where never. */
  readonly revision: number | null;
}

export interface FeeRates {
  readonly maker: Amount;
  readonly taker: Amount;
}

/** Terms that few orders have. */
export interface AdvancedTerms {
  /** What a market order was to spend or to bring in; its size came from that. */
  readonly quoteSize: Amount | null;
  /** How much of the order the book shows at a time; the rest is hidden. */
  readonly displayLots: number | null;
  /** The list that the order belongs to, and what it is there; see `list-following.ts`. */
  readonly listId: number | null;
  readonly listRole: ListRole | null;
  /** The caller's own id of the list. */
  readonly clientListId: string | null;
  /** Null where the last price triggers the stop. */
  readonly stopTrigger: 'mark' | null;
  /** How far a trailing stop follows behind the best price: ticks, or hundredths of a percent. One of them is null. */
  readonly trailingTicks: number | null;
  readonly trailingBps: number | null;
  /** What placed the order, where that was no order of its own; see `mass-quotes.ts`. */
  readonly origin: OrderOrigin | null;
}

export type OrderOrigin = 'mass_quote';

/** An entry opens a position, and arms the exits that close it. */
export type ListRole = 'entry' | 'exit';

/** An order at the end of the command that reports it. */
export interface OrderSnapshot {
  readonly orderId: number;
  readonly accountId: number;
  readonly marketId: string;
  readonly clientOrderId: string | null;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly priceTicks: number | null;
  readonly stopPriceTicks: number | null;
  readonly sizeLots: number;
  readonly filledLots: number;
  readonly remainingLots: number;
  /** Sum of price times size over all fills; divide it by the filled size for the average price. */
  readonly filledNotional: Amount;
  /** Total fee so far, in the quote asset. */
  readonly fees: Amount;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly expiresAtMs: number | null;
  /** Null where the order has none of them. */
  readonly advanced: AdvancedTerms | null;
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The market's book sequence of the last command that changed this order. */
  readonly bookSequence: number;
  /** What plugins keep with it; left out where it never had any. */
  readonly fields?: FieldValues;
}

/** The value at which a market was settled, or to which its settlement was corrected. */
export interface SettlementRecord {
  readonly marketId: string;
  /** The command's own place in the global sequence. */
  readonly sequence: number;
  readonly settlementValue: Amount;
  readonly settledAtMs: number;
}

/** Holders that one command of a settlement paid. */
export interface SettlementChunk extends SettlementRecord {
  readonly accountIds: readonly number[];
}

/** An accepted quote and the order that filled it. */
export interface MatchedBet {
  readonly accountId: number;
  readonly orderId: number;
  readonly quoteId: string;
  readonly marketId: string;
  readonly createdAtMs: number;
}

/** A match; for each side it is a fill. */
export interface Trade {
  readonly tradeId: number;
  readonly marketId: string;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly notional: Amount;
  readonly takerSide: Side;
  readonly makerOrderId: number;
  readonly takerOrderId: number;
  readonly makerAccountId: number;
  readonly takerAccountId: number;
  readonly makerFee: Amount;
  readonly takerFee: Amount;
  readonly executedAtMs: number;
  readonly bookSequence: number;
}

/**
 * One leg of a set, which is one lot in every market of an event group: what a split, a merge or netting did to one
 * position. It is booked like a trade with the group's pool; the prices of all legs of a set add up to 1.
 */
export interface SetLeg {
  readonly legId: number;
  readonly marketId: string;
  readonly accountId: number;
  readonly side: Side;
  readonly sizeLots: number;
  readonly price: Amount;
  readonly bookedAtMs: number;
}

export type TransferReason =
  | 'deposit'
  | 'withdrawal'
  | 'transfer'
  | 'trade'
  | 'fee'
  | 'rebate'
  | 'event_open'
  | 'event_close'
  | 'event_split'
  | 'event_merge'
  | 'settlement'
  | 'payout'
  | 'adjustment'
  | 'reversal';

/** One row of the ledger: balanced by construction and immutable. */
export interface LedgerTransfer {
  readonly transferId: number;
  readonly debitAccountId: number;
  readonly creditAccountId: number;
  readonly asset: string;
  readonly amount: Amount;
  readonly reason: TransferReason;
  /** Its cause: an order's or a trade's sequence, or the caller's own reference. */
  readonly reference: string;
  readonly debitBalanceAfter: Amount;
  readonly creditBalanceAfter: Amount;
  readonly createdAtMs: number;
}

export type HoldOwnerKind = 'payout' | 'transfer';

export type AccountKind = 'trading' | 'wallet' | 'external' | 'fees' | 'pool';

/** `[priceTicks, sizeLots, orders]`; a size of zero means that the level is gone. */
export type BookLevel = readonly [priceTicks: number, sizeLots: number, orders: number];

/** What one command changed in one market's book. */
export interface BookChange {
  readonly marketId: string;
  readonly bookSequence: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}
