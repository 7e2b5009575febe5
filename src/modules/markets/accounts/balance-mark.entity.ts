import { Entity } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import {
  ReadOnlyAmountColumn,
  ReadOnlyIntegerKeyColumn,
  ReadOnlyTextKeyColumn,
} from '../../../kit/database/columns.js';

/** What an account had of an asset, available and held together, at the end of a stretch in which it changed. Written by `BalanceHistory`. */
@Entity('balance_marks')
export class BalanceMarkEntity {
  @ReadOnlyIntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @ReadOnlyTextKeyColumn({ name: 'asset' })
  readonly asset: string;

  /** The last place of the stretch in the global ledger sequence. */
  @ReadOnlyIntegerKeyColumn({ name: 'sequence' })
  readonly sequence: number;

  @ReadOnlyAmountColumn({ name: 'balance' })
  readonly balance: Amount;
}
