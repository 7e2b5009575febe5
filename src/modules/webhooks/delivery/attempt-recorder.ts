import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { GroupCommit } from '../../../kit/database/group-commit.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { DueDelivery } from './delivery-lane.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import type { Attempt } from './webhook-sender.js';
import { WebhookTiming } from './webhook-timing.js';

/** Maximum number of attempts written with one statement. */
const WRITTEN_AT_ONCE_MAX = 200;
/** The receiver wants no more deliveries, ever. */
const GONE = 410;

/** The consequences of an attempt. */
interface Verdict {
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly number: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly step: number;
  readonly next_attempt_at: Date | null;
}

/**
 * Records the results of attempts, and decides what follows: the delivery has arrived, is retried after the next pause
 * of the schedule, or is given up. Attempts that end while one statement runs are written together.
 */
@Injectable()
export class AttemptRecorder {
  private readonly verdicts = new GroupCommit<Verdict, Verdict>(
    { batchMax: WRITTEN_AT_ONCE_MAX },
    async (take) => {
      const batch = take();
      await this.write(batch);
      return batch;
    },
  );

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly timing: WebhookTiming,
    private readonly disabling: EndpointDisabling,
  ) {}

  /** Resolves once the result is recorded, with the time of the next attempt where there is one. */
  async record(endpointId: string, due: DueDelivery, attempt: Attempt): Promise<Date | null> {
    const verdict = this.judge(endpointId, due, attempt);
    const { responseStatus } = attempt;
    await this.verdicts.add(verdict);
    if (responseStatus === GONE) await this.disabling.disableGone(endpointId);
    else if (verdict.status === 'failed') await this.disabling.disableFailing(endpointId);
    return verdict.next_attempt_at;
  }

  private judge(endpointId: string, { deliveryId, attempts, step }: DueDelivery, attempt: Attempt): Verdict {
    const made = {
      endpoint_id: endpointId,
      delivery_id: deliveryId,
      number: attempts + 1,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      response_status: attempt.responseStatus,
      response_body: attempt.responseBody,
      error: attempt.error,
      step,
      next_attempt_at: null,
    };
    if (isSuccess(attempt)) return { ...made, status: 'delivered' };
    const pauseMs = this.timing.pauseMs(step + 1);
    if (pauseMs === null || attempt.responseStatus === GONE) return { ...made, status: 'failed' };
    const next = this.timing.now().getTime() + Math.max(pauseMs, attempt.retryAfterMs);
    return { ...made, status: 'pending', step: step + 1, next_attempt_at: new Date(next) };
  }

  /**
   * A delivery that was ended meanwhile, together with its endpoint, stays ended. Whoever changes several deliveries
   * locks them by ascending id, so that nobody waits for another in a circle; hence a statement for each table.
   */
  private async write(verdicts: readonly Verdict[]): Promise<void> {
    const made = JSON.stringify(verdicts);
    await this.pool.query(
      `WITH made AS MATERIALIZED (
         SELECT * FROM json_to_recordset($1::json) AS made (
           delivery_id bigint, number integer, started_at timestamptz, duration_ms integer,
           response_status integer, response_body text, error text,
           status text, step integer, next_attempt_at timestamptz)
       ), locked AS MATERIALIZED (
         SELECT delivery_id FROM webhook_deliveries WHERE delivery_id IN (SELECT delivery_id FROM made)
         ORDER BY delivery_id FOR UPDATE
       ), recorded AS (
         INSERT INTO webhook_attempts
           (delivery_id, number, started_at, duration_ms, response_status, response_body, error)
         SELECT delivery_id, number, started_at, duration_ms, response_status, response_body, error
         FROM made JOIN locked USING (delivery_id)
         ON CONFLICT DO NOTHING
       )
       UPDATE webhook_deliveries delivery SET
         status = made.status, attempts = made.number, step = made.step,
         next_attempt_at = made.next_attempt_at, updated_at = $2::timestamptz
       FROM made JOIN locked USING (delivery_id)
       WHERE delivery.delivery_id = made.delivery_id AND delivery.status = 'pending'`,
      [made, this.timing.now()],
    );
    await this.pool.query(
      `WITH health AS (
         SELECT endpoint_id, bool_or(status = 'delivered') AS is_well, min(started_at) AS since
         FROM json_to_recordset($1::json) AS made (endpoint_id bigint, status text, started_at timestamptz)
         GROUP BY endpoint_id
       ), changed AS MATERIALIZED (
         SELECT endpoint_id, is_well, since FROM health JOIN webhook_endpoints endpoint USING (endpoint_id)
         WHERE (failing_since IS NULL) <> is_well ORDER BY endpoint_id FOR UPDATE OF endpoint
       )
       UPDATE webhook_endpoints endpoint SET failing_since = CASE WHEN is_well THEN NULL ELSE since END
       FROM changed WHERE endpoint.endpoint_id = changed.endpoint_id`,
      [made],
    );
  }
}

/** Redirects are not followed: when a receiver moves, its owner changes the address. */
export function isSuccess({ responseStatus }: Attempt): boolean {
  return responseStatus !== null && responseStatus >= 200 && responseStatus < 300;
}
