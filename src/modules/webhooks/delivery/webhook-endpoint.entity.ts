import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
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
  @key.identity('BY DEFAULT') endpointId: string;
  /** The key of the principal that registered it. */
  @column.text() owner: string;
  /** The key of the credential that it was registered with, see `credentialKeyOf`: the endpoint ends with it. */
  @column.text() credential: string;
  /** The owner of the accounts that the principal acts on. */
  @column.text() accountOwner: string;
  /** Null where nothing is sent, and its owner pulls. */
  @column.text({ nullable: true }) url: string | null;
  /** One delivery at a time, in the order in which the events were made. */
  @column.boolean({ default: false }) ordered: boolean;
  @column.text({ array: true }) eventTypes: string[];
  /** Each type of event interprets it in its own way. */
  @column.json() filter: WebhookFilter;
  /** The secret as text (`whsec_…`), sealed. */
  @column.bytes() sealedSecret: Buffer;
  /** The secret before the last rotation, sealed: deliveries are signed with both until the time below. */
  @column.bytes({ nullable: true }) sealedPreviousSecret: Buffer | null;
  @column.msTime({ nullable: true }) previousSecretUntil: Date | null;
  /** The time since which no attempt has succeeded; null after a success. */
  @column.msTime({ nullable: true }) failingSince: Date | null;
  @column.msTime({ nullable: true }) disabledAt: Date | null;
  @column.text({ nullable: true }) disabledReason: DisabledReason | null;
  /** Its deliveries are removed later, a few at a time. */
  @column.msTime({ nullable: true }) deletedAt: Date | null;
  /** It gets events published from then on, by the clock of the database. */
  @column.msTime({ default: NOW }) listensSince: Date;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
}
