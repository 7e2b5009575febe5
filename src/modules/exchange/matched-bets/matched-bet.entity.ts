import { Entity, Index } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { MATCHED_BET_COLUMNS } from '../../../core/tables/core-tables.js';

/** An accepted quote and the order that filled it. Written by the core only. */
@Entity('matched_bets')
@Index('matched_bets_quote', ['quoteId'], { unique: true })
export class MatchedBetEntity extends coreEntity(MATCHED_BET_COLUMNS, 'account_id', 'order_id') {}
