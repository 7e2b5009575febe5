import { Entity } from 'typeorm';
import { NOW, column, key } from '../database/columns.js';

/** A consumer that was loaded once, and is maybe not any more. */
@Entity('plugin_consumers')
export class PluginConsumerEntity {
  /** `plugin:name`. */
  @key.text() name: string;
  /** Of the events that it listens to; empty for a consumer of the ledger. */
  @column.text({ array: true }) types: string[];
  /** Of a listener: that of the last event that it has taken up. */
  @column.bigint() place: string;
  /** When it was loaded first. */
  @column.msTime({ default: NOW }) readonly since: Date;
  /** When it was loaded, or nearly so, last. */
  @column.msTime({ default: NOW }) readonly seenAt: Date;
  /** Failed ones in a row. */
  @column.integer({ default: 0 }) attempts: number;
  @column.msTime({ nullable: true }) failingSince: Date | null;
  @column.text({ nullable: true }) failure: string | null;
}
