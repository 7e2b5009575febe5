import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { EVENT_GROUP_COLUMNS } from '../../../core/tables/reference-tables.js';

/** Event markets that exclude each other. Written by the core only; requests read the core's committed view instead. */
@Entity('event_groups')
export class EventGroupEntity extends coreEntity(EVENT_GROUP_COLUMNS, 'event_group_id') {}
