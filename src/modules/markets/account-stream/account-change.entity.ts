import { Entity, Index } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { ACCOUNT_CHANGE_COLUMNS } from '../../../core/tables/core-tables.js';

/** A commit that changed an account. Written by the core only, never changed. */
@Entity('account_changes')
@Index('account_changes_ledger', ['ledgerSequence'], { type: 'brin' })
export class AccountChangeEntity extends coreEntity(ACCOUNT_CHANGE_COLUMNS, 'account_id', 'sequence') {}
