import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../kit/database/columns.js';

/** For how long all of one registration root are excluded from trading by the wish of one; it is only ever extended. */
@Entity('self_exclusions')
@Index('self_exclusions_due', ['person'], { where: 'orders_due' })
export class SelfExclusionEntity {
  /** The root; from before version 1780000002570, whoever asked for it. */
  @key.text() person: string;
  @column.time({ default: NOW }) since: Date;
  @column.time() until: Date;
  /** Whether the orders of the person may still have to be cancelled. */
  @column.boolean({ default: true }) ordersDue: boolean;
}
