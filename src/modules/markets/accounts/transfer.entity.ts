import { Check, Entity, Index } from 'typeorm';
import type { TransferReason } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  IntegerColumn,
  IntegerKeyColumn,
  TextColumn,
  TimeColumn,
} from '../../../platform/database/columns.js';

/** One row of the ledger: money that left one account for another. Written by the core only, never changed. */
@Entity('transfers')
@Check('transfers_amount_check', 'amount > 0')
@Index('transfers_credit', ['creditAccountId', 'transferId'])
@Index('transfers_sequence', ['transferId'], { type: 'brin' })
export class TransferEntity {
  @IntegerKeyColumn({ name: 'debit_account_id' })
  readonly debitAccountId: number;

  @IntegerKeyColumn({ name: 'transfer_id' })
  readonly transferId: number;

  @IntegerColumn({ name: 'credit_account_id' })
  readonly creditAccountId: number;

  @TextColumn({ name: 'asset' })
  readonly asset: string;

  @AmountColumn({ name: 'amount' })
  readonly amount: Amount;

  @TextColumn({ name: 'reason' })
  readonly reason: TransferReason;

  @TextColumn({ name: 'reference' })
  readonly reference: string;

  @AmountColumn({ name: 'debit_balance_after' })
  readonly debitBalanceAfter: Amount;

  @AmountColumn({ name: 'credit_balance_after' })
  readonly creditBalanceAfter: Amount;

  @TimeColumn({ name: 'created_at' })
  readonly createdAt: Date;
}
