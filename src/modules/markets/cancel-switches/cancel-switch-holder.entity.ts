import { Entity } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** A process whose connections hold switches, and until when it is taken to be there. */
@Entity('cancel_switch_holders')
export class CancelSwitchHolderEntity {
  @key.text() holder: string;
  @column.msTime() aliveUntil: Date;
}
