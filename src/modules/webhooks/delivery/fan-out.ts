import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { EndpointCredentials } from './endpoint-credentials.js';
import { WebhookCatalogue } from '../../../kit/webhooks/webhook-catalogue.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import type { WebhookFilter } from '../../../kit/webhooks/webhook-event-type.js';
import { WebhookTiming } from './webhook-timing.js';

interface CandidateRow {
  readonly event_id: string;
  readonly made_by: string;
  readonly endpoint_id: string;
  readonly is_sent: boolean;
  readonly credential: string;
  readonly type: string;
  readonly payload: string;
  readonly filter: WebhookFilter;
}

/** Makes one delivery of each published event for every endpoint that may receive it and subscribes to it. */
@Injectable()
export class FanOut {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly catalogue: WebhookCatalogue,
    private readonly timing: WebhookTiming,
    private readonly dispatcher: WebhookDispatcher,
    private readonly credentials: EndpointCredentials,
  ) {}

  /** Idempotent for the same events: existing deliveries stay as they are. */
  async deliver(eventIds: readonly string[]): Promise<void> {
    const { rows } = await this.pool.query<CandidateRow>(
      `SELECT event.event_id, event.made_by, endpoint.endpoint_id, endpoint.url IS NOT NULL AS is_sent,
         endpoint.credential, event.type, event.payload, endpoint.filter
       FROM webhook_events event JOIN webhook_endpoints endpoint
         ON endpoint.event_types @> ARRAY[event.type]
         AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
         AND endpoint.listens_since <= event.created_at
         AND (event.account_owner IS NULL OR endpoint.account_owner = event.account_owner)
         AND (event.principals IS NULL OR endpoint.owner = ANY (event.principals))
       WHERE event.event_id = ANY ($1::bigint[])
       ORDER BY event.event_id, endpoint.endpoint_id`,
      [eventIds],
    );
    const matching = rows.filter((row) => this.isWanted(row));
    const scopes = await this.credentials.judge(matching);
    const wanted = matching.filter((row) => this.mayHear(row, scopes.get(row.credential)));
    await this.pool.query(
      `WITH made AS (
         INSERT INTO webhook_deliveries (event_id, made_by, endpoint_id, status, next_attempt_at)
         SELECT event_id, made_by, endpoint_id, CASE WHEN is_sent THEN 'pending' ELSE 'stored' END,
           CASE WHEN is_sent THEN $5::timestamptz END
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[])
           AS wanted (event_id, made_by, endpoint_id, is_sent)
         ON CONFLICT ON CONSTRAINT webhook_deliveries_event DO NOTHING
       )
       UPDATE webhook_events SET is_fanned_out = true WHERE event_id = ANY ($6::bigint[]) AND NOT is_fanned_out`,
      [
        wanted.map(({ event_id }) => event_id),
        wanted.map(({ made_by }) => made_by),
        wanted.map(({ endpoint_id }) => endpoint_id),
        wanted.map(({ is_sent }) => is_sent),
        this.timing.now(),
        eventIds,
      ],
    );
    if (wanted.length > 0) this.dispatcher.wake();
  }

  /** Checked at each event: a credential may have lost a scope since it registered. */
  private mayHear({ type }: CandidateRow, scopes: ReadonlySet<string> | undefined): boolean {
    if (scopes === undefined) return false;
    const { scope } = this.catalogue.find(type)!;
    return scope === undefined || scopes.has(scope);
  }

  private isWanted({ type, payload, filter }: CandidateRow): boolean {
    const declaration = this.catalogue.find(type)?.declaration;
    // Events of a type that this version no longer declares are not delivered.
    if (declaration === undefined) return false;
    if (declaration.matches === undefined) return true;
    const { data } = JSON.parse(payload) as { data: object };
    return declaration.matches(data, filter);
  }
}
