import { Entity } from 'typeorm';
import { readOnly } from '../../../kit/database/columns.js';
import type { Amount } from '../../../domain/money/amount.js';

/** What an account had of an asset, available and held together, at the end of a stretch in which it changed. Written by `BalanceHistory`. */
@Entity('balance_marks')
export class BalanceMarkEntity {
  @readOnly.integerKey() readonly accountId: number;
  @readOnly.textKey() readonly asset: string;
  /** The last place of the stretch in the global ledger sequence. */
  @readOnly.integerKey() readonly sequence: number;
  @readOnly.amount() readonly balance: Amount;
}
