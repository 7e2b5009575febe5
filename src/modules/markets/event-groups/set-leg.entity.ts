import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { SET_LEG_COLUMNS } from '../../../core/tables/core-tables.js';

/** What a trade of sets did to one position. Written by the core only, never changed. */
@Entity('set_legs')
export class SetLegEntity extends coreEntity(SET_LEG_COLUMNS, 'market_id', 'leg_id') {}
