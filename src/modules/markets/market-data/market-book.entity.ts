import { Entity } from 'typeorm';
import { IntegerColumn, TextKeyColumn, TimeColumn } from '../../../platform/database/columns.js';

/** Where a market's book stands. Written by the core only; the levels themselves are the open orders. */
@Entity('market_books')
export class MarketBookEntity {
  @TextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  @IntegerColumn({ name: 'book_sequence' })
  readonly bookSequence: number;

  @IntegerColumn({ name: 'last_price_ticks', nullable: true })
  readonly lastPriceTicks: number | null;

  @IntegerColumn({ name: 'open_interest_lots' })
  readonly openInterestLots: number;

  @TimeColumn({ name: 'changed_at' })
  readonly changedAt: Date;

  /** Between which prices was traded, where waiting stops that this reached are not all collected yet. */
  @IntegerColumn({ name: 'pending_low_ticks', nullable: true })
  readonly pendingLowTicks: number | null;

  @IntegerColumn({ name: 'pending_high_ticks', nullable: true })
  readonly pendingHighTicks: number | null;

  /** While the market is settling: short contracts that are not paid yet; the long ones are the open interest. */
  @IntegerColumn({ name: 'owed_short_lots', nullable: true })
  readonly owedShortLots: number | null;
}
