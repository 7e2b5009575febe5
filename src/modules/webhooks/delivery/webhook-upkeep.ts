import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { FanOut } from './fan-out.js';
import { WebhookTiming } from './webhook-timing.js';

const LOOK_EVERY_MS = 10 * 60_000;
const EVENTS_AT_ONCE_MAX = 500;

/** Removes expired events and deliveries, takes up events whose job has given up, and counts pending deliveries. */
@Injectable()
export class WebhookUpkeep {
  readonly duty: BackgroundLoop;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly timing: WebhookTiming,
    private readonly fanOut: FanOut,
    time: AgreedTime,
    metrics: MetricsRegistry,
  ) {
    const options = { name: 'Webhooks', everyMs: LOOK_EVERY_MS, time };
    this.duty = new BackgroundLoop(
      options,
      async () => (await this.removeOld()) || (await this.fanOutLeft()),
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

  /** Ordered webhooks, and those who pull, wait for every event before. Returns whether there may be more. */
  private async fanOutLeft(): Promise<boolean> {
    const { rows } = await this.pool.query<{ event_id: string }>(
      `SELECT event_id FROM webhook_events
       WHERE NOT is_fanned_out AND created_at < now() - interval '${LOOK_EVERY_MS} milliseconds'
       ORDER BY made_by, event_id LIMIT ${EVENTS_AT_ONCE_MAX}`,
    );
    if (rows.length > 0) await this.fanOut.deliver(rows.map(({ event_id }) => event_id));
    return rows.length === EVENTS_AT_ONCE_MAX;
  }
}
