import { Entity, Index } from 'typeorm';
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
import type { Liquidity } from '../orders/fill.dto.js';

/** What changed a position: a trade, a set of contracts of its group, the market's settlement, or a correction of that. */
export const FILL_KINDS = ['trade', 'set', 'settlement', 'correction'] as const;
export type FillKind = (typeof FILL_KINDS)[number];

/**
 * What an account traded in a market, one row for each trade and for each settlement of what it held, with
 * running totals after it. A projection, written by `FillProjection` alone; rows never change.
 */
@Entity('fills')
@Index('fills_account', ['accountId', 'sequence'])
@Index('fills_opening', ['accountId', 'marketId', 'sequence'], { where: '(opened_lots > 0)' })
export class FillEntity {
  @ReadOnlyIntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @ReadOnlyTextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  /** Its place in the global ledger sequence: the trade's id, or that of the settlement. */
  @ReadOnlyIntegerKeyColumn({ name: 'sequence' })
  readonly sequence: number;

  @ReadOnlyTextColumn({ name: 'kind' })
  readonly kind: FillKind;

  /** Null unless it is a trade. */
  @ReadOnlyIntegerColumn({ name: 'order_id', nullable: true })
  readonly orderId: number | null;

  /** Of a settlement, the side that closes what was held. */
  @ReadOnlyTextColumn({ name: 'side' })
  readonly side: Side;

  /** Null unless it is a trade. */
  @ReadOnlyTextColumn({ name: 'liquidity', nullable: true })
  readonly liquidity: Liquidity | null;

  /** The settlement value where it is no trade. */
  @ReadOnlyAmountColumn({ name: 'price' })
  readonly price: Amount;

  @ReadOnlyIntegerColumn({ name: 'lots' })
  readonly lots: number;

  /** How many of the lots opened a position or added to one. */
  @ReadOnlyIntegerColumn({ name: 'opened_lots' })
  readonly openedLots: number;

  @ReadOnlyAmountColumn({ name: 'fee' })
  readonly fee: Amount;

  /** Null unless it is a trade. */
  @ReadOnlyIntegerColumn({ name: 'book_sequence', nullable: true })
  readonly bookSequence: number | null;

  @ReadOnlyTimeColumn({ name: 'executed_at' })
  readonly executedAt: Date;

  /** Signed, after this fill; so are all figures below. */
  @ReadOnlyIntegerColumn({ name: 'size_lots' })
  readonly sizeLots: number;

  @ReadOnlyAmountColumn({ name: 'fees' })
  readonly fees: Amount;

  /** By average cost, as in `positions`. */
  @ReadOnlyAmountColumn({ name: 'cost_basis' })
  readonly costBasis: Amount;

  /** By average cost, as in `positions`. */
  @ReadOnlyAmountColumn({ name: 'realized_pnl' })
  readonly realizedPnl: Amount;

  @ReadOnlyAmountColumn({ name: 'fifo_cost_basis' })
  readonly fifoCostBasis: Amount;

  @ReadOnlyAmountColumn({ name: 'fifo_realized_pnl' })
  readonly fifoRealizedPnl: Amount;

  /** The oldest fill that is still open, the first to be closed; null where the position is flat. */
  @ReadOnlyIntegerColumn({ name: 'fifo_head_sequence', nullable: true })
  readonly fifoHeadSequence: number | null;

  /** How many of that fill's lots are closed already. */
  @ReadOnlyIntegerColumn({ name: 'fifo_head_closed_lots', nullable: true })
  readonly fifoHeadClosedLots: number | null;
}
