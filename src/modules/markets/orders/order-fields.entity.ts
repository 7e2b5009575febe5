import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { ORDER_FIELDS_COLUMNS } from '../../../core/tables/core-tables.js';

/** What plugins keep with an order, as JSON. Written by the core only. */
@Entity('order_fields')
export class OrderFieldsEntity extends coreEntity(ORDER_FIELDS_COLUMNS, 'account_id', 'order_id') {}
