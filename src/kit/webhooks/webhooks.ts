import { Injectable } from '@nestjs/common';
import { rowsOf, type Transaction } from '../database/transaction.js';
import { Jobs } from '../jobs/jobs.js';
import { FAN_OUT } from './fan-out-task.js';
import type { WebhookEvent } from './webhook-event-type.js';

/**
 * Publishes events to webhooks. An event is published in the transaction of the change, so that both are committed or
 * neither. It is then delivered at least once to every endpoint that subscribes to it, in no particular order.
 */
@Injectable()
export class Webhooks {
  constructor(private readonly jobs: Jobs) {}

  /** Publishes events in the caller's transaction; cheap where nobody subscribes. */
  async publish(transaction: Transaction, ...events: readonly WebhookEvent[]): Promise<void> {
    if (events.length === 0) return;
    const ids = await rowsOf<{ event_id: string }>(
      transaction,
      `WITH published AS (
         INSERT INTO webhook_events (type, payload, account_owner, principals, key)
         SELECT type, payload, account_owner, principals, key
         FROM json_to_recordset($1::json) AS event (
           type text, payload text, account_owner text, principals text[], key text)
         WHERE EXISTS (
           SELECT FROM webhook_endpoints
           WHERE disabled_at IS NULL AND deleted_at IS NULL AND event_types @> ARRAY[event.type])
         ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
         RETURNING event_id
       ) SELECT event_id FROM published`,
      [JSON.stringify(events.map(rowOf))],
    );
    if (ids.length === 0) return;
    await this.jobs.add(transaction, FAN_OUT, { event_ids: ids.map(({ event_id }) => event_id) });
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
