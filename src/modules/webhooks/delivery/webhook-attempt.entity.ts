import { Entity } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** One delivery attempt and its result: an answer with a status, or an error that says why there was none; or both. */
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  @key.bigint() deliveryId: string;
  /** From 1. */
  @key.integer() number: number;
  @column.msTime() startedAt: Date;
  @column.integer() durationMs: number;
  @column.integer({ nullable: true }) responseStatus: number | null;
  /** The beginning of the body. */
  @column.text({ nullable: true }) responseBody: string | null;
  @column.text({ nullable: true }) error: string | null;
}
