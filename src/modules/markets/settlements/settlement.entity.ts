import { Entity } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  IntegerKeyColumn,
  TextKeyColumn,
  TimeColumn,
} from '../../../platform/database/columns.js';

/** A value at which a market was settled, or at which its settlement was corrected. Written by the core only. */
@Entity('settlements')
export class SettlementEntity {
  @TextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  /** Its place in the global ledger sequence. */
  @IntegerKeyColumn({ name: 'sequence' })
  readonly sequence: number;

  @AmountColumn({ name: 'settlement_value' })
  readonly settlementValue: Amount;

  @TimeColumn({ name: 'settled_at' })
  readonly settledAt: Date;
}
