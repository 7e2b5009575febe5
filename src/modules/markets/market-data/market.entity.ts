import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { MARKET_COLUMNS } from '../../../core/tables/reference-tables.js';

/** A market's definition and status. Written by the core only; requests read the core's committed view instead. */
@Entity('markets')
export class MarketEntity extends coreEntity(MARKET_COLUMNS, 'market_id') {}
