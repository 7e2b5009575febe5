import { Entity, Index } from 'typeorm';
import type { Side } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  IntegerColumn,
  IntegerKeyColumn,
  TextColumn,
  TextKeyColumn,
  TimeColumn,
} from '../../../platform/database/columns.js';

/** A match between two orders. Written by the core only, never changed. */
@Entity('trades')
@Index('trades_maker', ['makerAccountId', 'tradeId'])
@Index('trades_taker', ['takerAccountId', 'tradeId'])
export class TradeEntity {
  @TextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  @IntegerKeyColumn({ name: 'trade_id' })
  readonly tradeId: number;

  @IntegerColumn({ name: 'price_ticks' })
  readonly priceTicks: number;

  @IntegerColumn({ name: 'size_lots' })
  readonly sizeLots: number;

  @TextColumn({ name: 'taker_side' })
  readonly takerSide: Side;

  @IntegerColumn({ name: 'maker_order_id' })
  readonly makerOrderId: number;

  @IntegerColumn({ name: 'taker_order_id' })
  readonly takerOrderId: number;

  @IntegerColumn({ name: 'maker_account_id' })
  readonly makerAccountId: number;

  @IntegerColumn({ name: 'taker_account_id' })
  readonly takerAccountId: number;

  @AmountColumn({ name: 'maker_fee' })
  readonly makerFee: Amount;

  @AmountColumn({ name: 'taker_fee' })
  readonly takerFee: Amount;

  @IntegerColumn({ name: 'book_sequence' })
  readonly bookSequence: number;

  @TimeColumn({ name: 'executed_at' })
  readonly executedAt: Date;
}
