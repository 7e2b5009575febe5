import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { WebhookFilter } from '../../../kit/webhooks/webhook-event-type.js';

/** Why an endpoint is disabled: by its owner, it answered 410, it failed for days, or its credential is gone. */
export const DISABLED_REASONS = ['owner', 'gone', 'failing', 'credential'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An address to which a principal's events are sent. */
@Entity('webhook_endpoints')
@Check('webhook_endpoints_disabled_check', `disabled_reason IN ('owner', 'gone', 'failing', 'credential')`)
@Index('webhook_endpoints_all', ['accountOwner'])
@Index('webhook_endpoints_owner', ['owner', 'endpointId'], { where: 'deleted_at IS NULL' })
@Index('webhook_endpoints_account_owner', ['accountOwner', 'endpointId'], { where: 'deleted_at IS NULL' })
@Index('webhook_endpoints_credential_gone', ['disabledAt'], { where: `disabled_reason = 'credential'` })
@Index('webhook_endpoints_failing', ['endpointId'], {
  where: 'deleted_at IS NULL AND disabled_at IS NULL AND failing_since IS NOT NULL',
})
@Index('webhook_endpoints_disabled', ['endpointId'], {
  where: 'deleted_at IS NULL AND disabled_at IS NOT NULL',
})
// Of a kind that TypeORM cannot declare: finds the endpoints that subscribe to a type.
@Index('webhook_endpoints_event_types', { synchronize: false })
export class WebhookEndpointEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'endpoint_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'webhook_endpoints_pkey',
  })
  endpointId: string;

  /** The key of the principal that registered it. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  /** The key of the credential that it was registered with, see `credentialKeyOf`: the endpoint ends with it. */
  @Column({ name: 'credential', type: 'text' })
  credential: string;

  /** The owner of the accounts that the principal acts on. */
  @Column({ name: 'account_owner', type: 'text' })
  accountOwner: string;

  @Column({ name: 'url', type: 'text' })
  url: string;

  @Column({ name: 'event_types', type: 'text', array: true })
  eventTypes: string[];

  /** Each type of event interprets it in its own way. */
  @Column({ name: 'filter', type: 'jsonb' })
  filter: WebhookFilter;

  /** The secret as text (`whsec_…`), sealed. */
  @Column({ name: 'sealed_secret', type: 'bytea' })
  sealedSecret: Buffer;

  /** The secret before the last rotation, sealed: deliveries are signed with both until the time below. */
  @Column({ name: 'sealed_previous_secret', type: 'bytea', nullable: true })
  sealedPreviousSecret: Buffer | null;

  @Column({ name: 'previous_secret_until', type: 'timestamptz', precision: 3, nullable: true })
  previousSecretUntil: Date | null;

  /** The time since which no attempt has succeeded; null after a success. */
  @Column({ name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true })
  failingSince: Date | null;

  @Column({ name: 'disabled_at', type: 'timestamptz', precision: 3, nullable: true })
  disabledAt: Date | null;

  @Column({ name: 'disabled_reason', type: 'text', nullable: true })
  disabledReason: DisabledReason | null;

  /** Its deliveries are removed later, a few at a time. */
  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;

  /** It gets events published from then on, by the clock of the database. */
  @Column({ name: 'listens_since', type: 'timestamptz', precision: 3, default: () => 'now()' })
  listensSince: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
