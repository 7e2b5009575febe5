import { Entity } from 'typeorm';
import { column, key } from '../database/columns.js';

/** When a schedule of a plugin is due next. */
@Entity('plugin_schedules')
export class PluginScheduleEntity {
  /** That of its jobs. */
  @key.text() name: string;
  @column.text() cron: string;
  @column.msTime() nextAt: Date;
}
