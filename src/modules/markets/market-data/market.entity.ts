import { Entity } from 'typeorm';
import type { FeeBase, MarketKind, MarketStatus } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  IntegerColumn,
  TextColumn,
  TextKeyColumn,
  TimeColumn,
} from '../../../platform/database/columns.js';

/** A market's definition and status. Written by the core only; requests read the core's committed view instead. */
@Entity('markets')
export class MarketEntity {
  @TextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  @TextColumn({ name: 'kind' })
  readonly kind: MarketKind;

  @TextColumn({ name: 'title' })
  readonly title: string;

  @TextColumn({ name: 'description' })
  readonly description: string;

  @TextColumn({ name: 'category' })
  readonly category: string;

  @TextColumn({ name: 'status' })
  readonly status: MarketStatus;

  @TextColumn({ name: 'base_asset', nullable: true })
  readonly baseAsset: string | null;

  @TextColumn({ name: 'quote_asset' })
  readonly quoteAsset: string;

  @AmountColumn({ name: 'tick_size' })
  readonly tickSize: Amount;

  @AmountColumn({ name: 'lot_size' })
  readonly lotSize: Amount;

  @IntegerColumn({ name: 'min_size_lots' })
  readonly minSizeLots: number;

  @IntegerColumn({ name: 'max_size_lots' })
  readonly maxSizeLots: number;

  @AmountColumn({ name: 'min_notional' })
  readonly minNotional: Amount;

  @IntegerColumn({ name: 'price_min_ticks' })
  readonly priceMinTicks: number;

  @IntegerColumn({ name: 'price_max_ticks' })
  readonly priceMaxTicks: number;

  @AmountColumn({ name: 'maker_fee_rate' })
  readonly makerFeeRate: Amount;

  @AmountColumn({ name: 'taker_fee_rate' })
  readonly takerFeeRate: Amount;

  @TextColumn({ name: 'fee_base' })
  readonly feeBase: FeeBase;

  @TimeColumn({ name: 'opens_at', nullable: true })
  readonly opensAt: Date | null;

  @TimeColumn({ name: 'closes_at', nullable: true })
  readonly closesAt: Date | null;

  @AmountColumn({ name: 'settlement_value', nullable: true })
  readonly settlementValue: Amount | null;

  @TimeColumn({ name: 'settled_at', nullable: true })
  readonly settledAt: Date | null;

  @IntegerColumn({ name: 'pool_account_id', nullable: true })
  readonly poolAccountId: number | null;

  @TimeColumn({ name: 'created_at' })
  readonly createdAt: Date;
}
