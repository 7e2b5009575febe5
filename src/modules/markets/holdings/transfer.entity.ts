import { Check, Entity, Index } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { TRANSFER_COLUMNS } from '../../../core/tables/core-tables.js';

/**
 * One row of the ledger: money that left one account for another. Written by the core only, never changed. Trades carry
 * theirs, so read them by `readTransfers`.
 */
@Entity('transfers')
@Check('transfers_amount_check', 'amount > 0')
@Index('transfers_credit', ['creditAccountId', 'transferId'])
@Index('transfers_sequence', ['transferId'], { type: 'brin' })
export class TransferEntity extends coreEntity(TRANSFER_COLUMNS, 'debit_account_id', 'transfer_id') {}
