/**
 * The public part of a journal row: what its commit did to the books of markets, order by order, with pseudonyms in
 * place of accounts. Who replays it from the first row on has all books, and a digest that the service has signed.
 */
import { hexOf } from './bytes.js';
import { canonicalJson, type Json } from './canonical-json.js';
import { sha256 } from './crypto.js';

/** An order as its book shows it after the commit. */
export interface PublicOrder {
  /** The number in the order's id. */
  readonly order_id: number;
  /** The same for all orders that an account sends to a market on one day (UTC), and never again. */
  readonly trader: string;
  readonly side: 'buy' | 'sell';
  readonly price_ticks: number;
  /** What the book shows of it; 0 where the order is no longer in the book. */
  readonly size_lots: number;
  /** The place of the ledger's sequence at which it joined the end of the queue at its price. */
  readonly queue_sequence: number;
}

export interface PublicTrade {
  readonly trade_id: number;
  readonly price_ticks: number;
  readonly size_lots: number;
  readonly taker_side: 'buy' | 'sell';
  readonly maker_order_id: number;
  readonly taker_order_id: number;
  readonly maker: string;
  readonly taker: string;
  /** Whether it is of a bet on a quote, which passes over the bettor's own orders. */
  readonly skips_own: boolean;
  /** The command that traded: commands of one market count its book's changes. */
  readonly book_sequence: number;
}

/** What trading has made of a market. */
export interface PublicFigures {
  readonly book_sequence: number;
  /** Null before the first trade. */
  readonly last_price_ticks: number | null;
  readonly open_interest_lots: number;
}

export interface PublicMarket {
  readonly market_id: string;
  readonly figures: PublicFigures;
  /** Those that have changed, by their ids. Of orders that came and went in the commit only those that had rested and traded. */
  readonly orders: readonly PublicOrder[];
  /** As they happened. */
  readonly trades: readonly PublicTrade[];
}

export interface PublicPart {
  /** Those that the commit changed, by their ids. */
  readonly markets: readonly PublicMarket[];
}

/** What a leaf says of its row's public part. */
export interface PublicStand {
  /** SHA-256 of the public part as RFC 8785 JSON; null where the commit changed no market. */
  readonly hash: string | null;
  /** The digest of all books and figures after the row, as `PublicDigest` sums it up. */
  readonly state_hash: string;
}

export function publicText(part: PublicPart): string {
  return canonicalJson(part as unknown as Json);
}

/** A market of a public part with its content as canonical JSON, for who writes each order once for all that it goes into. */
export interface PublicMarketText {
  readonly market_id: string;
  readonly figures: string;
  readonly orders: readonly string[];
  readonly trades: readonly string[];
}

/** The `publicText` of these. */
export function publicTextOf(markets: readonly PublicMarketText[]): string {
  const texts = markets.map(
    ({ figures, market_id, orders, trades }) =>
      `{"figures":${figures},"market_id":${JSON.stringify(market_id)},"orders":[${orders.join()}],"trades":[${trades.join()}]}`,
  );
  return `{"markets":[${texts.join()}]}`;
}

export function publicHash(text: string): string {
  return hexOf(sha256(text));
}

/** An order as the digest counts it; null where it is not in the book. */
export function publicOrderText(marketId: string, order: PublicOrder): string | null {
  return order.size_lots === 0 ? null : orderTextOf(marketId, canonicalJson(order as unknown as Json));
}

/** The same of its canonical JSON. */
export function orderTextOf(marketId: string, order: string): string {
  return `{"market_id":${JSON.stringify(marketId)},"order":${order}}`;
}

export function figuresText(marketId: string, figures: PublicFigures): string {
  return figuresTextOf(marketId, canonicalJson(figures as unknown as Json));
}

export function figuresTextOf(marketId: string, figures: string): string {
  return `{"figures":${figures},"market_id":${JSON.stringify(marketId)}}`;
}

const BITS = 256;
const DIGITS = BITS / 4;

/**
 * The digest of everything public: the sum, modulo 2^256, of the SHA-256 hashes of the texts of all orders in books and
 * of all markets' figures. A change takes the old text's hash away and adds the new one's, so it costs the same however
 * many orders there are. It compares two replays; that nothing was changed is proven by the leaves.
 */
export class PublicDigest {
  private sum: bigint;

  /** Goes on from a digest in hexadecimal digits. */
  constructor(digest = '0') {
    this.sum = BigInt(`0x${digest}`);
  }

  renew(before: string | null, after: string | null): void {
    this.sum = BigInt.asUintN(BITS, this.sum - shareOf(before) + shareOf(after));
  }

  get hex(): string {
    return this.sum.toString(16).padStart(DIGITS, '0');
  }
}

function shareOf(text: string | null): bigint {
  return text === null ? 0n : BigInt(`0x${hexOf(sha256(text))}`);
}
