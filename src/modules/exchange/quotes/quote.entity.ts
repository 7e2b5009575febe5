import { Entity, Index, VirtualColumn } from 'typeorm';
import type { Side } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import {
  ReadOnlyAmountColumn,
  ReadOnlyIntegerColumn,
  ReadOnlyIntegerKeyColumn,
  ReadOnlyTextColumn,
  ReadOnlyTextKeyColumn,
  ReadOnlyTimeColumn,
} from '../../../kit/database/columns.js';

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
  @ReadOnlyIntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  /** As the world knows it, and as the core keeps it of what was accepted. */
  @ReadOnlyTextKeyColumn({ name: 'quote_id' })
  readonly quoteId: string;

  @ReadOnlyTextColumn({ name: 'market_id' })
  readonly marketId: string;

  @ReadOnlyTextColumn({ name: 'side' })
  readonly side: Side;

  @ReadOnlyIntegerColumn({ name: 'size_lots' })
  readonly sizeLots: number;

  @ReadOnlyAmountColumn({ name: 'notional' })
  readonly notional: Amount;

  @ReadOnlyAmountColumn({ name: 'fee' })
  readonly fee: Amount;

  @ReadOnlyIntegerColumn({ name: 'limit_price_ticks' })
  readonly limitPriceTicks: number;

  /** The verdict of a fee policy; null = the market's own rates. */
  @ReadOnlyAmountColumn({ name: 'maker_fee_rate', nullable: true })
  readonly makerFeeRate: Amount | null;

  @ReadOnlyAmountColumn({ name: 'taker_fee_rate', nullable: true })
  readonly takerFeeRate: Amount | null;

  @ReadOnlyIntegerColumn({ name: 'book_sequence' })
  readonly bookSequence: number;

  @ReadOnlyTimeColumn({ name: 'created_at' })
  readonly createdAt: Date;

  @ReadOnlyTimeColumn({ name: 'expires_at' })
  readonly expiresAt: Date;

  /** By the clock of the database, at the moment of reading. */
  @VirtualColumn({ type: 'text', query: statusSql })
  readonly status: QuoteStatus;

  @VirtualColumn({ type: 'bigint', query: orderIdSql })
  readonly orderId: string | null;
}
