import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../database/columns.js';

/** An event that a listener has asked for, until all have taken it up. */
@Entity('listened_events')
@Index('listened_events_key', ['key'], { unique: true, where: 'key IS NOT NULL' })
@Index('listened_events_unplaced', ['eventId'], { where: 'place IS NULL' })
@Index('listened_events_place', ['place'], { unique: true, where: 'place IS NOT NULL' })
export class ListenedEventEntity {
  @key.identity() readonly eventId: string;
  /** Given after its commit, so that no event comes before one that was read already. */
  @column.bigint({ nullable: true }) place: string | null;
  @column.text() type: string;
  /** `{type, timestamp, data}`. */
  @column.text() payload: string;
  @column.text({ nullable: true }) accountOwner: string | null;
  /** See `WebhookEvent.key`. */
  @column.text({ nullable: true }) key: string | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}
