import type { EntityManager } from 'typeorm';
import type { WebhookEventType } from './webhook-event-type.js';

/** A principal with endpoints that subscribe to some event type. */
export interface Listener {
  /** See `Principal.key`. */
  readonly principal: string;
  /** See `Principal.accountOwner`. */
  readonly accountOwner: string;
  /** The earliest time from which it subscribes. */
  readonly since: Date;
}

/** The subscribers of any of these types, for publishers that cannot afford to publish everything. */
export async function listenersOf(
  manager: EntityManager,
  types: readonly WebhookEventType<object>[],
): Promise<readonly Listener[]> {
  return manager.query<Listener[]>(
    `SELECT owner AS principal, account_owner AS "accountOwner", min(updated_at) AS since FROM webhook_endpoints
     WHERE event_types && $1::text[] AND disabled_at IS NULL AND deleted_at IS NULL
     GROUP BY owner, account_owner`,
    [types.map(({ name }) => name)],
  );
}
