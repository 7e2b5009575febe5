import { Entity } from 'typeorm';
import { column, key } from '../database/columns.js';

/** A value of a `SharedCache`. */
@Entity('shared_values')
export class SharedValueEntity {
  /** Its module and its name, such as `acme-loyalty/tiers`. */
  @key.text() cache: string;
  @key.text({ name: 'key' }) key: string;
  @column.json() value: unknown;
}
