import { Entity } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import { AmountColumn, IntegerKeyColumn, TextKeyColumn } from '../../../platform/database/columns.js';

/** What an account had of an asset, available and held together, at the end of a stretch in which it changed. Written by `BalanceHistory`. */
@Entity('balance_marks')
export class BalanceMarkEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @TextKeyColumn({ name: 'asset' })
  readonly asset: string;

  /** The last place of the stretch in the global ledger sequence. */
  @IntegerKeyColumn({ name: 'sequence' })
  readonly sequence: number;

  @AmountColumn({ name: 'balance' })
  readonly balance: Amount;
}
