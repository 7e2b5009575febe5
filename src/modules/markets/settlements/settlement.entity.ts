import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { SETTLEMENT_COLUMNS } from '../../../core/tables/reference-tables.js';

/** A value at which a market was settled, or at which its settlement was corrected. Written by the core only. */
@Entity('settlements')
export class SettlementEntity extends coreEntity(SETTLEMENT_COLUMNS, 'market_id', 'sequence') {}
