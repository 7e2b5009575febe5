import { Entity } from 'typeorm';
import { NOW, column, key } from '../database/columns.js';

/** What a transaction changed that processes hold in memory. */
@Entity('changes')
export class ChangeEntity {
  /** The number of the transaction. */
  @key.bigint() madeBy: string;
  @key.text() topic: string;
  @key.text() changed: string;
  @column.time({ default: NOW }) readonly madeAt: Date;
}
