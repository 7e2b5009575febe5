import type { EntityManager } from 'typeorm';
import type { WebhookEventType } from './webhook-event-type.js';

/** A principal with endpoints that want to hear of something. */
export interface Listener {
  /** See `Principal.key`. */
  readonly principal: string;
  /** See `Principal.accountOwner`. */
  readonly accountOwner: string;
  /** Since when, at the earliest. */
  readonly since: Date;
}

/** Who listens to any of these types, for publishers to whom telling everything would be too much. */
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
