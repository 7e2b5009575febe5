import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A published event, in the form that endpoints receive. */
@Entity('webhook_events')
@Index('webhook_events_key', ['key'], { unique: true, where: 'key IS NOT NULL' })
@Index('webhook_events_created_at', ['createdAt'])
export class WebhookEventEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'event_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'webhook_events_pkey',
  })
  readonly eventId: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  /** The exact body of its deliveries: `{type, timestamp, data}`. */
  @Column({ name: 'payload', type: 'text' })
  payload: string;

  /** Only endpoints of principals who act on this owner's accounts get it; null for no such restriction. */
  @Column({ name: 'account_owner', type: 'text', nullable: true })
  accountOwner: string | null;

  /** Only endpoints of these principals get it; null for no such restriction. */
  @Column({ name: 'principals', type: 'text', array: true, nullable: true })
  principals: string[] | null;

  /** The publisher's key, where it may publish the event twice. */
  @Column({ name: 'key', type: 'text', nullable: true })
  key: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;
}
