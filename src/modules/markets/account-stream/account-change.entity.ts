import { Entity } from 'typeorm';
import { IntegerColumn, IntegerKeyColumn, TextColumn } from '../../../platform/database/columns.js';

/** A commit that changed an account. Written by the core only, never changed. */
@Entity('account_changes')
export class AccountChangeEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  /** 1 more than that of the account's change before it. */
  @IntegerKeyColumn({ name: 'sequence' })
  readonly sequence: number;

  /** The last place in the global ledger sequence that the commit took. */
  @IntegerColumn({ name: 'ledger_sequence' })
  readonly ledgerSequence: number;

  /** The orders that it changed, separated by spaces. */
  @TextColumn({ name: 'order_ids' })
  readonly orderIds: string;
}
