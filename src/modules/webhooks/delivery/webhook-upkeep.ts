import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { JobLeader } from '../../../kit/jobs/job-leader.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { WebhookTiming } from './webhook-timing.js';

const LOOK_EVERY_MS = 10 * 60_000;
const EVENTS_AT_ONCE_MAX = 500;

/** Removes expired events and deliveries, and counts the pending ones. */
@Injectable()
export class WebhookUpkeep {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly timing: WebhookTiming,
    leader: JobLeader,
    time: AgreedTime,
    metrics: MetricsRegistry,
  ) {
    leader.assume(
      new BackgroundLoop({ name: 'Webhooks', everyMs: LOOK_EVERY_MS, time }, () => this.removeOld()),
    );
    metrics.gauge({
      name: 'webhook_deliveries_pending',
      help: 'Deliveries of webhooks that are due, and that wait for their next attempt.',
      labels: ['state'],
      async collect(gauge) {
        const { rows } = await pool.query<{ due: string; waiting: string }>(
          `SELECT count(*) FILTER (WHERE next_attempt_at <= now()) AS due,
             count(*) FILTER (WHERE next_attempt_at > now()) AS waiting
           FROM webhook_deliveries WHERE status = 'pending'`,
        );
        gauge.set({ state: 'due' }, Number(rows[0]!.due));
        gauge.set({ state: 'waiting' }, Number(rows[0]!.waiting));
      },
    });
  }

  /**
   * Removes the oldest expired events, with their deliveries; returns whether there may be more. A webhook that was
   * deleted, or whose credential is gone, is removed with its last delivery.
   */
  async removeOld(): Promise<boolean> {
    const before = new Date(this.timing.now().getTime() - this.timing.keptMs);
    const { rowCount } = await this.pool.query(
      `WITH old AS (
         SELECT event_id FROM webhook_events WHERE created_at < $1 ORDER BY created_at LIMIT ${EVENTS_AT_ONCE_MAX}
       ), deliveries AS MATERIALIZED (
         SELECT delivery_id FROM webhook_deliveries WHERE event_id IN (SELECT event_id FROM old)
         ORDER BY delivery_id FOR UPDATE
       ), attempts AS (
         DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT delivery_id FROM deliveries)
       ), removed AS (
         DELETE FROM webhook_deliveries WHERE delivery_id IN (SELECT delivery_id FROM deliveries)
       )
       DELETE FROM webhook_events WHERE event_id IN (SELECT event_id FROM old)`,
      [before],
    );
    if (rowCount === EVENTS_AT_ONCE_MAX) return true;
    await this.pool.query(
      `DELETE FROM webhook_endpoints
       WHERE deleted_at < $1 OR (disabled_reason = 'credential' AND disabled_at < $1)`,
      [before],
    );
    return false;
  }
}
