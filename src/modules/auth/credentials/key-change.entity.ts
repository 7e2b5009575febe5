import { Entity } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** The number of a transaction that changed what keys are good for; triggers write it. */
@Entity('key_changes')
export class KeyChangeEntity {
  @key.bigint() madeBy: string;
  @column.time({ default: NOW }) readonly madeAt: Date;
}
