/** What moves positions, as the driver reads it. */
import type { Side } from '../../../domain/engine/types.js';

export interface TradeRow {
  readonly trade_id: string;
  readonly price_ticks: string;
  readonly size_lots: string;
  readonly taker_side: Side;
  readonly maker_order_id: string;
  readonly taker_order_id: string;
  readonly maker_account_id: string;
  readonly taker_account_id: string;
  readonly maker_fee: string;
  readonly taker_fee: string;
  readonly book_sequence: string;
  readonly executed_at: Date;
}

export interface LegRow {
  readonly leg_id: string;
  readonly account_id: string;
  readonly side: Side;
  readonly size_lots: string;
  readonly price: string;
  readonly booked_at: Date;
}

/** What moves positions before a settlement. */
export type Moved = { readonly sequence: number } & ({ readonly trade: TradeRow } | { readonly leg: LegRow });
