import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** A published event, in the form that endpoints receive. */
@Entity('webhook_events')
@Index('webhook_events_key', ['key'], { unique: true, where: 'key IS NOT NULL' })
@Index('webhook_events_created_at', ['createdAt'])
@Index('webhook_events_waiting', ['madeBy', 'eventId'], { where: 'NOT is_fanned_out' })
export class WebhookEventEntity {
  @key.identity() readonly eventId: string;
  @column.text() type: string;
  /** The exact body of its deliveries: `{type, timestamp, data}`. */
  @column.text() payload: string;
  /** Only endpoints of principals who act on this owner's accounts get it; null for no such restriction. */
  @column.text({ nullable: true }) accountOwner: string | null;
  /** Only endpoints of these principals get it; null for no such restriction. */
  @column.text({ array: true, nullable: true }) principals: string[] | null;
  /** The publisher's key, where it may publish the event twice. */
  @column.text({ nullable: true }) key: string | null;
  /** The number of the transaction: events are in the order of it, and within one in that of their ids. */
  @column.bigint({ default: '0' }) readonly madeBy: string;
  /** Whether its deliveries are made. */
  @column.boolean({ default: false }) isFannedOut: boolean;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}
