import { Entity, Index, VirtualColumn } from 'typeorm';
import { readOnly } from '../../../kit/database/columns.js';
import type { Side } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';

export const QUOTE_STATUSES = ['open', 'accepted', 'expired'] as const;

export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/** Of an accepted quote the order that it became; null of others. */
const orderIdSql = (quote: string): string =>
  `SELECT b.order_id FROM matched_bets b WHERE b.quote_id = ${quote}.quote_id`;

/** Nothing is written where a quote is accepted or its time is over: both are found out when it is read. */
export const statusSql = (quote: string): string =>
  `CASE WHEN EXISTS (${orderIdSql(quote)}) THEN 'accepted'
    WHEN ${quote}.expires_at <= clock_timestamp() THEN 'expired' ELSE 'open' END`;

/** What a walk through the book came to, and for how long that can be accepted. Written by `QuoteWriter`. */
@Entity('quotes')
@Index('quotes_quote', ['quoteId'], { unique: true })
@Index('quotes_expired', ['expiresAt'])
export class QuoteEntity {
  @readOnly.integerKey() readonly accountId: number;
  /** As the world knows it, and as the core keeps it of what was accepted. */
  @readOnly.textKey() readonly quoteId: string;
  @readOnly.text() readonly marketId: string;
  @readOnly.text() readonly side: Side;
  @readOnly.integer() readonly sizeLots: number;
  @readOnly.amount() readonly notional: Amount;
  @readOnly.amount() readonly fee: Amount;
  @readOnly.integer() readonly limitPriceTicks: number;
  /** The verdict of a fee policy; null = the market's own rates. */
  @readOnly.amount({ nullable: true }) readonly makerFeeRate: Amount | null;
  @readOnly.amount({ nullable: true }) readonly takerFeeRate: Amount | null;
  @readOnly.integer() readonly bookSequence: number;
  @readOnly.time() readonly createdAt: Date;
  @readOnly.time() readonly expiresAt: Date;
  /** By the clock of the database, at the moment of reading. */
  @VirtualColumn({ type: 'text', query: statusSql }) readonly status: QuoteStatus;
  @VirtualColumn({ type: 'bigint', query: orderIdSql }) readonly orderId: string | null;
}
