import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { WebhookEventEntity } from './webhook-event.entity.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event to one endpoint. */
@Entity('webhook_deliveries')
@Check('webhook_deliveries_status_check', `status IN ('pending', 'delivered', 'failed')`)
@Unique('webhook_deliveries_event', ['eventId', 'endpointId'])
@Index('webhook_deliveries_endpoint', ['endpointId', 'deliveryId'])
@Index('webhook_deliveries_due', ['endpointId', 'nextAttemptAt'], { where: `status = 'pending'` })
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'delivery_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'webhook_deliveries_pkey',
  })
  readonly deliveryId: string;

  @Column({ name: 'endpoint_id', type: 'bigint' })
  endpointId: string;

  @Column({ name: 'event_id', type: 'bigint' })
  eventId: string;

  @ManyToOne(() => WebhookEventEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'event_id' })
  readonly event: WebhookEventEntity;

  @Column({ name: 'status', type: 'text', default: 'pending' })
  status: DeliveryStatus;

  /** The number of attempts, including those made by hand. */
  @Column({ name: 'attempts', type: 'integer', default: 0 })
  attempts: number;

  /** The step in the schedule of attempts; it restarts when a delivery is sent again by hand. */
  @Column({ name: 'step', type: 'integer', default: 0 })
  step: number;

  /** Null once it has ended. */
  @Column({ name: 'next_attempt_at', type: 'timestamptz', precision: 3, nullable: true })
  nextAttemptAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
