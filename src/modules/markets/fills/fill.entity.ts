import { Entity, Index } from 'typeorm';
import { readOnly } from '../../../kit/database/columns.js';
import type { Side } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
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
  @readOnly.integerKey() readonly accountId: number;
  @readOnly.textKey() readonly marketId: string;
  /** Its place in the global ledger sequence: the trade's id, or that of the settlement. */
  @readOnly.integerKey() readonly sequence: number;
  @readOnly.text() readonly kind: FillKind;
  /** Null unless it is a trade. */
  @readOnly.integer({ nullable: true }) readonly orderId: number | null;
  /** Of a settlement, the side that closes what was held. */
  @readOnly.text() readonly side: Side;
  /** Null unless it is a trade. */
  @readOnly.text({ nullable: true }) readonly liquidity: Liquidity | null;
  /** The settlement value where it is no trade. */
  @readOnly.amount() readonly price: Amount;
  @readOnly.integer() readonly lots: number;
  /** How many of the lots opened a position or added to one. */
  @readOnly.integer() readonly openedLots: number;
  @readOnly.amount() readonly fee: Amount;
  /** Null unless it is a trade. */
  @readOnly.integer({ nullable: true }) readonly bookSequence: number | null;
  @readOnly.time() readonly executedAt: Date;
  /** Signed, after this fill; so are all figures below. */
  @readOnly.integer() readonly sizeLots: number;
  @readOnly.amount() readonly fees: Amount;
  /** By average cost, as in `positions`. */
  @readOnly.amount() readonly costBasis: Amount;
  /** By average cost, as in `positions`. */
  @readOnly.amount() readonly realizedPnl: Amount;
  @readOnly.amount() readonly fifoCostBasis: Amount;
  @readOnly.amount() readonly fifoRealizedPnl: Amount;
  /** The oldest fill that is still open, the first to be closed; null where the position is flat. */
  @readOnly.integer({ nullable: true }) readonly fifoHeadSequence: number | null;
  /** How many of that fill's lots are closed already. */
  @readOnly.integer({ nullable: true }) readonly fifoHeadClosedLots: number | null;
}
