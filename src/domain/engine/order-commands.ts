/** The commands of those who trade; see `commands.ts`. */
import type { FieldChanges, FieldValues } from '../fields.js';
import type { OrderType, SelfTradePrevention, Side, StopTrigger, TimeInForce } from './types.js';

/** What an account's own limits leave for one command; see `self-limits.ts`. */
export interface Allowance {
  /** The account's `limitsSequence` before its figures were read. */
  readonly asOf: number;
  /** The most that the command may open or bring in; null = any amount. */
  readonly max: string | null;
  /** Why nothing may be opened, where that is no limit but an exclusion. */
  readonly isExcluded?: true;
  /** Other accounts that have their part of it: once it is used, allowances from before count there no longer. */
  readonly sharedWith?: readonly number[];
}

export interface PlaceOrder {
  readonly type: 'place_order';
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly priceTicks: number | null;
  readonly stopPriceTicks: number | null;
  /** With a `quoteSize`, the most that the order may become. */
  readonly sizeLots: number;
  /**
   * Only for market orders: how much of the quote asset a purchase may spend, its fee included, or a sale is to bring in
   * before its fee. The order gets the size, in whole lots, that the book gives for at most that.
   */
  readonly quoteSize?: string;
  /** Only for limit orders that may rest: how much of it the book shows at a time. */
  readonly displayLots?: number;
  /** Only for stops, but for trailing ones: which price triggers it. Left out, the last one. */
  readonly stopTrigger?: StopTrigger;
  /** Only for trailing stops, which have one of them: how far it follows behind the best price; see `trailing-stops.ts`. */
  readonly trailingTicks?: number;
  /** Hundredths of a percent, 1 to 9,999. */
  readonly trailingBps?: number;
  readonly expiresAtMs: number | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly clientOrderId: string | null;
  /** The rates of a fee policy; null = the market's own rates. */
  readonly feeRates: { readonly maker: string; readonly taker: string } | null;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
  /** What plugins keep with the order: carried along, and no matter of the engine. */
  readonly fields?: FieldValues;
}

/**
 * Cancels an order and places another one in its market. What does not depend on the cancellation is checked before it: a
 * refusal leaves the first order alone. From there on the first order is gone, whatever becomes of the new one, which is
 * `rejected` where it cannot be accepted.
 */
export interface ReplaceOrder extends Omit<PlaceOrder, 'type' | 'quoteSize'> {
  readonly type: 'replace_order';
  readonly replacedOrderId: number;
  /**
   * `sizeLots` is a total: the new order gets what is left of it after all fills of the replaced order, those included
   * that its owner has not heard of.
   */
  readonly countsFilled?: true;
}

/** A price and a size at which a maker would trade. */
export interface QuotedSide {
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** The rates of a fee policy; null = the market's own rates. */
  readonly feeRates: PlaceOrder['feeRates'];
}

/** What a maker wants to have in a market; null where nothing. */
export interface QuotedMarket {
  readonly marketId: string;
  readonly bid: QuotedSide | null;
  readonly ask: QuotedSide | null;
}

/** Replaces both sides of a maker's quotes in the markets that it names; see `mass-quotes.ts`. */
export interface MassQuote {
  readonly type: 'mass_quote';
  readonly accountId: number;
  /** No market comes twice. */
  readonly quotes: readonly QuotedMarket[];
  /** Left out, it stays as it is; null ends it. See `maker-protection.ts`. */
  readonly protection?: {
    readonly fills: number;
    readonly windowMs: number;
    /** Begins to count anew, also where the protection has cancelled all quotes. */
    readonly reset: boolean;
  } | null;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
}

/** An order of a list; all are in one account and market. */
export type ListedOrder = Omit<
  PlaceOrder,
  'type' | 'accountId' | 'marketId' | 'quoteSize' | 'displayLots' | 'clientOrderId' | 'allowance' | 'fields'
>;

/**
 * Places two exits, one of which ends the other, or an entry with two exits that it arms; see `list-following.ts`. The
 * exits are a limit order and a stop of one side and size, the entry's opposite, and good till cancelled; in event
 * markets the stop has no limit.
 */
export interface PlaceOrderList {
  readonly type: 'place_order_list';
  readonly accountId: number;
  readonly marketId: string;
  readonly entry: ListedOrder | null;
  readonly exits: readonly [limit: ListedOrder, stop: ListedOrder];
  readonly clientListId: string | null;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
}

/** Cancels what is live of a list. */
export interface CancelOrderList {
  readonly type: 'cancel_order_list';
  readonly accountId: number;
  readonly listId: number;
}

export interface AmendOrder {
  readonly type: 'amend_order';
  readonly accountId: number;
  readonly orderId: number;
  readonly priceTicks: number | null;
  /** The new total size, filled part included. */
  readonly sizeLots: number | null;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
  /** What is to change of what plugins keep with the order. */
  readonly fields?: FieldChanges;
}

export interface CancelOrder {
  readonly type: 'cancel_order';
  readonly accountId: number;
  readonly orderId: number;
}

export interface CancelAllOrders {
  readonly type: 'cancel_all_orders';
  readonly accountId: number;
  readonly marketId: string | null;
}

/**
 * Accepts a quote: fills the whole size at once against the book, for a total within the bound, or fills nothing. If
 * the book has improved, the taker gets the better price.
 */
export interface AcceptQuote {
  readonly type: 'accept_quote';
  readonly accountId: number;
  /** Unique for ever; the engine's caller enforces it. */
  readonly quoteId: string;
  readonly marketId: string;
  readonly side: Side;
  readonly sizeLots: number;
  /** Sum of price times size before fees: the maximum for a buy, the minimum for a sell. */
  readonly notionalBound: string;
  /** The quote is refused from this moment on. */
  readonly expiresAtMs: number;
  /** The quoted rates; null = the market's own. */
  readonly feeRates: { readonly maker: string; readonly taker: string } | null;
  /** Required of accounts with limits of their own. */
  readonly allowance?: Allowance;
}
