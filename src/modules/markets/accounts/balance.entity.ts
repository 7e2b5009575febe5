import { Check, Entity } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import { AmountColumn, IntegerKeyColumn, TextKeyColumn } from '../../../platform/database/columns.js';

/** What an account has of one asset. Written by the core only. */
@Entity('balances')
@Check('balances_held_check', 'held >= 0')
export class BalanceEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @TextKeyColumn({ name: 'asset' })
  readonly asset: string;

  @AmountColumn({ name: 'available' })
  readonly available: Amount;

  @AmountColumn({ name: 'held' })
  readonly held: Amount;
}
