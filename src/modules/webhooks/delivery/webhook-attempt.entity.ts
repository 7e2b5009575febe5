import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One delivery attempt and its result: an answer with a status, or an error that says why there was none; or both. */
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  @PrimaryColumn({ name: 'delivery_id', type: 'bigint', primaryKeyConstraintName: 'webhook_attempts_pkey' })
  deliveryId: string;

  /** From 1. */
  @PrimaryColumn({ name: 'number', type: 'integer', primaryKeyConstraintName: 'webhook_attempts_pkey' })
  number: number;

  @Column({ name: 'started_at', type: 'timestamptz', precision: 3 })
  startedAt: Date;

  @Column({ name: 'duration_ms', type: 'integer' })
  durationMs: number;

  @Column({ name: 'response_status', type: 'integer', nullable: true })
  responseStatus: number | null;

  /** The beginning of the body. */
  @Column({ name: 'response_body', type: 'text', nullable: true })
  responseBody: string | null;

  @Column({ name: 'error', type: 'text', nullable: true })
  error: string | null;
}
