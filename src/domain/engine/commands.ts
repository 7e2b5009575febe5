/**
 * All commands that may move money or orders. Commands are plain JSON (amounts as canonical decimals), so that the same
 * engine can replay a journal row years later. Time, fees and risk verdicts, which the engine must not look up, are
 * decided before a command is queued.
 */
import type {
  AcceptQuote,
  Allowance,
  AmendOrder,
  CancelAllOrders,
  CancelOrder,
  CancelOrderList,
  MassQuote,
  PlaceOrder,
  PlaceOrderList,
  ReplaceOrder,
} from './order-commands.js';
import type {
  AccountKind,
  FeeBase,
  HoldOwnerKind,
  MarketKind,
  OrderSnapshot,
  Trade,
  TransferReason,
} from './types.js';

export type * from './order-commands.js';

export interface CreateAsset {
  readonly type: 'create_asset';
  readonly code: string;
  /** Decimals of deposits and withdrawals; trading is exact at 10^-18 regardless. */
  readonly scale: number;
}

export interface CreateAccount {
  readonly type: 'create_account';
  readonly kind: AccountKind;
  readonly name: string;
  /** The principal that owns the account, such as `user:42` or `client:demo`; null for system accounts. */
  readonly owner: string | null;
  /** The principal that made the owner, at the top of who made whom; left out where nobody did. */
  readonly root?: string;
}

export interface CreateMarket {
  readonly type: 'create_market';
  readonly marketId: string;
  readonly kind: MarketKind;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly baseAsset: string | null;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly minSize: string | null;
  readonly maxSize: string | null;
  readonly minNotional: string | null;
  readonly priceMin: string | null;
  readonly priceMax: string | null;
  readonly makerFeeRate: string | null;
  readonly takerFeeRate: string | null;
  readonly feeBase: FeeBase | null;
  readonly opensAtMs: number | null;
  readonly closesAtMs: number | null;
  /** Percent of the best price; null or left out where orders without a limit trade at any price. */
  readonly marketOrderBand?: string | null;
}

/** What is left out stays as it is. Bounds and fees are those of orders to come. */
export interface ChangeMarket {
  readonly type: 'change_market';
  readonly marketId: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly minSize?: string;
  readonly maxSize?: string;
  readonly minNotional?: string;
  readonly priceMin?: string;
  readonly priceMax?: string;
  readonly makerFeeRate?: string;
  readonly takerFeeRate?: string;
  /** Null where the market shall not close by itself. */
  readonly closesAtMs?: number | null;
  readonly marketOrderBand?: string | null;
}

export interface SetMarketStatus {
  readonly type: 'set_market_status';
  readonly marketId: string;
  readonly status: 'open' | 'halted' | 'closed' | 'settled';
  /** 0 to 1 of the quote asset per contract; only for `settled`, and only on event markets. */
  readonly settlementValue: string | null;
  /**
   * Only for `settled`: the holders that this command pays. `continue_settlement` pays all others; the market is
   * `settling` until everybody is paid. Left out, everybody is paid at once.
   */
  readonly holders?: readonly number[];
}

/** Pays the next holders of a market that is `settling`; each is paid whole or not at all. */
export interface ContinueSettlement {
  readonly type: 'continue_settlement';
  readonly marketId: string;
  readonly holders: readonly number[];
}

/**
 * Settles a settled event market again at another value. Holders who were paid too much pay the difference back into
 * the pool, and the others get it from there. Refused if a holder lacks the money.
 */
export interface CorrectSettlement {
  readonly type: 'correct_settlement';
  readonly marketId: string;
  /** 0 to 1 of the quote asset per contract. */
  readonly settlementValue: string;
}

/** Makes a group of event markets that exclude each other: exactly one of them will be settled at 1. */
export interface CreateEventGroup {
  readonly type: 'create_event_group';
  readonly groupId: string;
  readonly title: string;
  readonly marketIds: readonly string[];
}

/** Buys sets from the group's pool: a long contract in every market of the group, together for 1. */
export interface SplitEventGroup {
  readonly type: 'split_event_group';
  readonly groupId: string;
  readonly accountId: number;
  readonly sizeLots: number;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
}

/** Sells sets back to the pool. */
export interface MergeEventGroup {
  readonly type: 'merge_event_group';
  readonly groupId: string;
  readonly accountId: number;
  readonly sizeLots: number;
}

/** Settles all markets of a group: one at 1, the others at 0. */
export interface SettleEventGroup {
  readonly type: 'settle_event_group';
  readonly groupId: string;
  readonly winningMarketId: string;
  /** As in `SetMarketStatus`, for each of the markets. */
  readonly holders?: readonly number[];
}

/**
 * Settles a settled group again with another winner, as `CorrectSettlement` does a market. Refused if a holder lacks the
 * money.
 */
export interface CorrectEventGroup {
  readonly type: 'correct_event_group';
  readonly groupId: string;
  readonly winningMarketId: string;
}

/** Sets the KYC level of an account's owner, as banking has found it. */
export interface SetKycLevel {
  readonly type: 'set_kyc_level';
  readonly accountId: number;
  /** 0 (unknown) to 9. */
  readonly level: number;
}

/** Freezes an account, or unfreezes it; see `freezing.ts`. */
export interface SetAccountFrozen {
  readonly type: 'set_account_frozen';
  readonly accountId: number;
  readonly frozen: boolean;
}

/** Says that the limits that an owner has set for an account are others: allowances from before count no longer. */
export interface RenewSelfLimits {
  readonly type: 'renew_self_limits';
  readonly accountId: number;
}

/**
 * Sets how many live orders, and stops among them, an account may have in one market, and all accounts of one root in all
 * markets; what is left out stays as it is. A new leader sends it when its settings differ.
 */
export interface ConfigureLimits {
  readonly type: 'configure_limits';
  readonly openOrdersMax: number;
  readonly openStopsMax: number;
  readonly ownerOpenOrdersMax?: number;
  readonly ownerOpenStopsMax?: number;
}

/** Money from one account to another. `deposit` comes from `external:<rail>`, which is created on first use. */
export interface MoveMoney {
  readonly type: 'move_money';
  readonly debit: AccountReference;
  readonly credit: AccountReference;
  readonly asset: string;
  readonly amount: string;
  readonly reason: Extract<TransferReason, 'deposit' | 'withdrawal' | 'transfer' | 'adjustment' | 'reversal'>;
  readonly reference: string;
  /** Of the credited account; left out where its own limits cannot keep the money away. */
  readonly allowance?: Allowance;
}

export type AccountReference = { readonly accountId: number } | { readonly rail: string };

export interface PlaceHold {
  readonly type: 'place_hold';
  readonly ownerKind: HoldOwnerKind;
  readonly ownerId: string;
  readonly accountId: number;
  readonly asset: string;
  readonly amount: string;
}

export interface ReleaseHold {
  readonly type: 'release_hold';
  readonly ownerKind: HoldOwnerKind;
  readonly ownerId: string;
}

/** Pays from a hold to an account (or a rail) and ends the hold; the rest is released. */
export interface PayFromHold {
  readonly type: 'pay_from_hold';
  readonly ownerKind: HoldOwnerKind;
  readonly ownerId: string;
  readonly credit: AccountReference;
  /** How much of the hold to pay; null = all of it. */
  readonly amount: string | null;
  readonly reason: Extract<TransferReason, 'payout' | 'transfer' | 'withdrawal'>;
}

/** Expires GTD orders, and opens or closes markets that are due; the sequencer queues it. */
export interface AdvanceTime {
  readonly type: 'advance_time';
  /** The most things to process; left out = the engine's own bound. */
  readonly limit?: number;
  /** Markets to skip because their due actions fail. */
  readonly except?: readonly string[];
}

/** Runs triggered stops that earlier commands had no room for. */
export interface RunTriggers {
  readonly type: 'run_triggers';
  readonly marketId: string;
}

export type Command =
  | CreateAsset
  | CreateAccount
  | CreateMarket
  | ChangeMarket
  | SetMarketStatus
  | ContinueSettlement
  | CorrectSettlement
  | CreateEventGroup
  | SplitEventGroup
  | MergeEventGroup
  | SettleEventGroup
  | CorrectEventGroup
  | PlaceOrder
  | ReplaceOrder
  | PlaceOrderList
  | CancelOrderList
  | MassQuote
  | AmendOrder
  | CancelOrder
  | CancelAllOrders
  | AcceptQuote
  | SetKycLevel
  | SetAccountFrozen
  | RenewSelfLimits
  | ConfigureLimits
  | MoveMoney
  | PlaceHold
  | ReleaseHold
  | PayFromHold
  | AdvanceTime
  | RunTriggers;

/** Every reason for which the engine refuses a command. A refusal changes nothing. */
export type RefusalCode =
  | 'insufficient_funds'
  | 'invalid_tick'
  | 'invalid_lot'
  | 'size_out_of_range'
  | 'price_out_of_range'
  | 'min_notional'
  | 'post_only_would_cross'
  | 'reduce_only_violated'
  | 'market_not_open'
  | 'market_not_found'
  | 'account_not_found'
  | 'account_frozen'
  | 'self_limit_exceeded'
  | 'self_excluded'
  | 'self_limits_changed'
  | 'asset_not_found'
  | 'order_not_found'
  | 'order_not_open'
  | 'order_not_amendable'
  | 'order_list_not_open'
  | 'quotes_protected'
  | 'size_below_filled'
  | 'too_many_open_orders'
  | 'already_expired'
  | 'duplicate_client_order_id'
  | 'idempotency_key_reused'
  | 'insufficient_liquidity'
  | 'quote_expired'
  | 'quote_stale'
  | 'quote_already_accepted'
  | 'asset_exists'
  | 'market_exists'
  | 'invalid_market'
  | 'event_group_exists'
  | 'event_group_not_found'
  | 'invalid_event_group'
  | 'market_in_event_group'
  | 'invalid_status_change'
  | 'settlement_not_reversible'
  | 'invalid_amount'
  | 'amount_too_precise'
  | 'invalid_kyc_level'
  | 'hold_exists'
  | 'hold_not_found';

export interface Refusal {
  readonly code: RefusalCode;
  /** Tells a person what to do. */
  readonly message: string;
}

/** What has become of one side of a mass quote. */
export type QuoteOutcome =
  | { readonly order: OrderSnapshot; readonly refusal: null }
  | { readonly order: null; readonly refusal: Refusal };

/** Of each market, in the order of the command; null where nothing was asked for. */
export interface QuotedOutcomes {
  readonly marketId: string;
  readonly bid: QuoteOutcome | null;
  readonly ask: QuoteOutcome | null;
}

export type CommandResult =
  /** The order after the command, its trades in this command, as maker or taker, and the order that it replaced. */
  | {
      readonly type: 'order';
      readonly order: OrderSnapshot;
      readonly fills: readonly Trade[];
      readonly replaced?: OrderSnapshot;
    }
  /**
   * The answer to a repeated command that gave an order. The order may have changed since, so its current state must be
   * read.
   */
  | { readonly type: 'order_reference'; readonly orderId: number }
  /** The orders after the command, in their order in the list, and the trades of any of them in this command. */
  | {
      readonly type: 'order_list';
      readonly listId: number;
      readonly orders: readonly OrderSnapshot[];
      readonly fills: readonly Trade[];
    }
  /** The answer to a repeated command that gave a list. */
  | { readonly type: 'order_list_reference'; readonly listId: number }
  /** What has become of each quote; trades are never made. */
  | { readonly type: 'quoted'; readonly quotes: readonly QuotedOutcomes[] }
  | { readonly type: 'orders_cancelled'; readonly orderIds: readonly number[] }
  | { readonly type: 'account'; readonly accountId: number }
  | { readonly type: 'asset'; readonly code: string }
  | { readonly type: 'market'; readonly marketId: string }
  | { readonly type: 'event_group'; readonly groupId: string }
  | { readonly type: 'transfer'; readonly transferId: number }
  | { readonly type: 'hold' }
  | { readonly type: 'done' };

export type Outcome =
  | { readonly ok: true; readonly result: CommandResult }
  | { readonly ok: false; readonly refusal: Refusal };
