import { Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { WebhookEventEntity } from './webhook-event.entity.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'stored'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event to one endpoint; `stored` where the endpoint has no address and its owner pulls. */
@Entity('webhook_deliveries')
@Unique('webhook_deliveries_event', ['eventId', 'endpointId'])
@Index('webhook_deliveries_endpoint', ['endpointId', 'deliveryId'])
@Index('webhook_deliveries_due', ['endpointId', 'nextAttemptAt'], { where: `status = 'pending'` })
@Index('webhook_deliveries_failed', ['endpointId', 'deliveryId'], { where: `status = 'failed'` })
@Index('webhook_deliveries_order', ['endpointId', 'madeBy', 'eventId'])
export class WebhookDeliveryEntity {
  @key.identity() readonly deliveryId: string;
  @column.bigint() endpointId: string;
  @column.bigint() eventId: string;
  @ManyToOne(() => WebhookEventEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'event_id' })
  readonly event: WebhookEventEntity;
  @column.text({ default: 'pending', oneOf: DELIVERY_STATUSES }) status: DeliveryStatus;
  /** The number of attempts, including those made by hand. */
  @column.integer({ default: 0 }) attempts: number;
  /** The step in the schedule of attempts; it restarts when a delivery is sent again by hand. */
  @column.integer({ default: 0 }) step: number;
  /** Null once it has ended. */
  @column.msTime({ nullable: true }) nextAttemptAt: Date | null;
  /** The event's. */
  @column.bigint({ default: '0' }) madeBy: string;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
}
