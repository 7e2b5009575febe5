import { Entity, Index } from 'typeorm';
import type {
  OrderStatus,
  OrderType,
  SelfTradePrevention,
  Side,
  StatusReason,
  TimeInForce,
} from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  BooleanColumn,
  IntegerColumn,
  IntegerKeyColumn,
  TextColumn,
  TimeColumn,
} from '../../../platform/database/columns.js';

/** An order as the core last left it. Written by the core only. */
@Entity('orders')
@Index('orders_live', ['accountId', 'orderId'], {
  where: `(status = ANY (ARRAY['open'::text, 'partially_filled'::text, 'untriggered'::text]))`,
})
export class OrderEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @IntegerKeyColumn({ name: 'order_id' })
  readonly orderId: number;

  @TextColumn({ name: 'market_id' })
  readonly marketId: string;

  @TextColumn({ name: 'client_order_id', nullable: true })
  readonly clientOrderId: string | null;

  @TextColumn({ name: 'side' })
  readonly side: Side;

  @TextColumn({ name: 'type' })
  readonly type: OrderType;

  @TextColumn({ name: 'time_in_force' })
  readonly timeInForce: TimeInForce;

  @IntegerColumn({ name: 'price_ticks', nullable: true })
  readonly priceTicks: number | null;

  @IntegerColumn({ name: 'stop_price_ticks', nullable: true })
  readonly stopPriceTicks: number | null;

  @IntegerColumn({ name: 'size_lots' })
  readonly sizeLots: number;

  @IntegerColumn({ name: 'filled_lots' })
  readonly filledLots: number;

  @IntegerColumn({ name: 'remaining_lots' })
  readonly remainingLots: number;

  @AmountColumn({ name: 'filled_notional' })
  readonly filledNotional: Amount;

  @AmountColumn({ name: 'fees' })
  readonly fees: Amount;

  /** What the fee was rounded up by so far, in units of 10^-36. */
  @IntegerColumn({ name: 'fee_rounding' })
  readonly feeRounding: number;

  @AmountColumn({ name: 'maker_fee_rate', nullable: true })
  readonly makerFeeRate: Amount | null;

  @AmountColumn({ name: 'taker_fee_rate', nullable: true })
  readonly takerFeeRate: Amount | null;

  @AmountColumn({ name: 'held' })
  readonly held: Amount;

  @BooleanColumn({ name: 'post_only' })
  readonly postOnly: boolean;

  @BooleanColumn({ name: 'reduce_only' })
  readonly reduceOnly: boolean;

  @TextColumn({ name: 'self_trade_prevention' })
  readonly selfTradePrevention: SelfTradePrevention;

  @TimeColumn({ name: 'expires_at', nullable: true })
  readonly expiresAt: Date | null;

  @TextColumn({ name: 'status' })
  readonly status: OrderStatus;

  @TextColumn({ name: 'status_reason', nullable: true })
  readonly statusReason: StatusReason | null;

  @IntegerColumn({ name: 'queue_sequence' })
  readonly queueSequence: number;

  @IntegerColumn({ name: 'book_sequence' })
  readonly bookSequence: number;

  @TimeColumn({ name: 'created_at' })
  readonly createdAt: Date;

  @TimeColumn({ name: 'updated_at' })
  readonly updatedAt: Date;
}
