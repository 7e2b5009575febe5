import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { THIS_TRANSACTION } from '../../../kit/changes/changes.js';
import { rowsOf, type Transaction } from '../../../kit/database/transaction.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import type { WebhookEvent, WebhookEventType } from '../../../kit/webhooks/webhook-event-type.js';
import { type Listener, Webhooks } from '../../../kit/webhooks/webhooks.js';
import { FAN_OUT } from './fan-out-task.js';

/** Writes events down, for the job that finds out who gets them. */
@Injectable()
export class WebhookPublisher extends Webhooks {
  constructor(private readonly jobs: Jobs) {
    super();
  }

  override async publish(transaction: Transaction, ...events: readonly WebhookEvent[]): Promise<void> {
    if (events.length === 0) return;
    const ids = await rowsOf<{ event_id: string }>(
      transaction,
      `WITH event AS MATERIALIZED (
         SELECT * FROM json_to_recordset($1::json) AS event (
           type text, payload text, account_owner text, principals text[], key text)
       ), published AS (
         INSERT INTO webhook_events (type, payload, account_owner, principals, key, made_by)
         SELECT type, payload, account_owner, principals, key, ${THIS_TRANSACTION} FROM event
         WHERE EXISTS (
           SELECT FROM webhook_endpoints
           WHERE disabled_at IS NULL AND deleted_at IS NULL AND event_types @> ARRAY[event.type])
         ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
         RETURNING event_id
       ), listened AS (
         INSERT INTO listened_events (type, payload, account_owner, key)
         SELECT type, payload, account_owner, key FROM event
         WHERE EXISTS (SELECT FROM plugin_consumers WHERE types @> ARRAY[event.type])
         ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
       ) SELECT event_id FROM published`,
      [JSON.stringify(events.map(rowOf))],
    );
    if (ids.length === 0) return;
    await this.jobs.add(transaction, FAN_OUT, { event_ids: ids.map(({ event_id }) => event_id) });
  }

  override async listenedSince(
    manager: EntityManager,
    types: readonly WebhookEventType<object>[],
  ): Promise<Date | null> {
    const [row] = await manager.query<[{ since: Date | null }]>(
      'SELECT min(since) AS since FROM plugin_consumers WHERE types && $1::text[]',
      [types.map(({ name }) => name)],
    );
    return row.since;
  }

  override async listenersOf(
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
}

function rowOf({ type, data, audience, at = new Date(), key }: WebhookEvent): object {
  const to = audience === 'everyone' ? {} : audience;
  return {
    type: type.name,
    payload: JSON.stringify({ type: type.name, timestamp: at.toISOString(), data }),
    account_owner: 'accountOwner' in to ? to.accountOwner : null,
    principals: 'principals' in to ? to.principals : null,
    key: key ?? null,
  };
}
