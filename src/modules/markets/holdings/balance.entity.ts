import { Check, Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { BALANCE_COLUMNS } from '../../../core/tables/core-tables.js';

/** What an account has of one asset. Written by the core only. */
@Entity('balances')
@Check('balances_held_check', 'held >= 0')
export class BalanceEntity extends coreEntity(BALANCE_COLUMNS, 'account_id', 'asset') {}
