import { Entity, Index } from 'typeorm';
import { IntegerKeyColumn, TextColumn, TimeColumn } from '../../../platform/database/columns.js';

/** An accepted quote and the order that filled it. Written by the core only. */
@Entity('matched_bets')
@Index('matched_bets_quote', ['quoteId'], { unique: true })
export class MatchedBetEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @IntegerKeyColumn({ name: 'order_id' })
  readonly orderId: number;

  /** As whoever made the quote names it. */
  @TextColumn({ name: 'quote_id' })
  readonly quoteId: string;

  @TextColumn({ name: 'market_id' })
  readonly marketId: string;

  @TimeColumn({ name: 'created_at' })
  readonly createdAt: Date;
}
