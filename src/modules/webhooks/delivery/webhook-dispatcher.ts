import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { LeaderDuty } from '../../../kit/jobs/job-leader.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { AttemptRecorder, isSuccess } from './attempt-recorder.js';
import { EndpointCredentials } from './endpoint-credentials.js';
import { DeliveryLane, HELD_PER_ENDPOINT_MAX, type DueDelivery, type Target } from './delivery-lane.js';
import { MeasuredAttempts } from './measured-attempts.js';
import type { Attempt } from './webhook-sender.js';
import { MADE_BEFORE } from './event-order.js';
import { WebhookTiming } from './webhook-timing.js';

/** How often the dispatcher looks for deliveries that have become due; it is notified of new ones. */
const LOOK_EVERY_MS = 1_000;
/** Deliveries that become due within this time are found with one look. */
const LOOK_GATHER_MS = 20;

/** Maximum number of concurrent attempts in all, and at endpoints that are not known to answer. */
const ATTEMPTS_MAX = 64;
const UNPROVEN_ATTEMPTS_MAX = 24;
/** Maximum number of endpoints remembered as having answered last time. */
const PROVEN_MAX = 10_000;

/** How long running attempts may take to end once the service stops. */
const STOP_PATIENCE_MS = 2_000;

interface DueRow {
  readonly endpoint_id: string;
  readonly credential: string;
  readonly url: string;
  readonly ordered: boolean;
  readonly sealed_secret: Buffer;
  readonly sealed_previous_secret: Buffer | null;
  readonly previous_secret_until: Date | null;
  readonly due: readonly DueDelivery[];
}

/**
 * Sends due deliveries, in the process that leads the background work. Endpoints take turns, each in a lane of its own.
 * An endpoint that hangs holds one slot, and all that hang together hold only some of the slots, so that they do not
 * delay the others.
 *
 * The table records which deliveries are due; only this process knows which are in flight. After a crash every delivery
 * that had not ended is sent again.
 */
@Injectable()
export class WebhookDispatcher implements LeaderDuty {
  readonly duty = this;
  private readonly logger = new Logger('Webhooks');
  private readonly lanes = new Map<string, DeliveryLane>();
  private readonly running = new Set<Promise<void>>();
  /** Deliveries whose attempt has ended since the last look began: that look may have read their earlier state. */
  private readonly ended = new Set<string>();
  private readonly looking = new BackgroundLoop(
    { name: 'Webhooks', everyMs: LOOK_EVERY_MS, gatherMs: LOOK_GATHER_MS },
    () => this.look(),
  );
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  private unprovenRunning = 0;
  private leading = new AbortController();

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly sender: MeasuredAttempts,
    private readonly recorder: AttemptRecorder,
    private readonly timing: WebhookTiming,
    private readonly credentials: EndpointCredentials,
  ) {}

  /** Something may be due now. */
  wake(): void {
    this.looking.request();
  }

  /** Called by the leadership. */
  async begin(): Promise<void> {
    this.leading = new AbortController();
    await this.looking.begin();
  }

  /** Called by the leadership. Attempts that take too long are cancelled, and made again by whoever leads next. */
  async end(): Promise<void> {
    await this.looking.end();
    for (const lane of this.lanes.values()) lane.clear();
    await Promise.race([Promise.all(this.running), delay(STOP_PATIENCE_MS, undefined, { ref: false })]);
    this.leading.abort();
    await Promise.all(this.running);
    this.lanes.clear();
  }

  /**
   * Finds due deliveries, and begins as many as may begin. Never has more work at once: the end of an attempt wakes it.
   */
  private async look(): Promise<boolean> {
    this.ended.clear();
    const found = await this.readDue();
    const standing = await this.credentials.judge(found);
    const rows = found.filter(({ credential }) => standing.has(credential));
    this.forgetOthers(rows);
    for (const row of rows) {
      let lane = this.lanes.get(row.endpoint_id);
      if (lane?.isOrdered === !row.ordered) {
        lane.retire();
        if (!lane.isEmpty) continue;
        lane = undefined;
      }
      if (lane === undefined) {
        lane = new DeliveryLane(targetOf(row), this.proven.has(row.endpoint_id));
        this.lanes.set(row.endpoint_id, lane);
      }
      lane.target = targetOf(row);
      lane.add(row.due, this.ended);
    }
    this.fill();
    return false;
  }

  /**
   * Drops the waiting deliveries of endpoints that have nothing due: deleted, disabled, or without their credential.
   */
  private forgetOthers(rows: readonly DueRow[]): void {
    const due = new Set(rows.map(({ endpoint_id }) => endpoint_id));
    for (const [endpointId, lane] of this.lanes) if (!due.has(endpointId)) lane.clear();
  }

  /**
   * The oldest due deliveries of every endpoint that has any, by a loose index scan from each endpoint to the next. Of
   * ordered endpoints those from the first one on that are due in a row, once no earlier one can be made any more.
   */
  private async readDue(): Promise<DueRow[]> {
    const { rows } = await this.pool.query<DueRow>(
      `WITH RECURSIVE waited_for AS (
         (SELECT endpoint_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY endpoint_id LIMIT 1)
         UNION ALL
         SELECT (SELECT delivery.endpoint_id FROM webhook_deliveries delivery
                 WHERE status = 'pending' AND delivery.endpoint_id > waited_for.endpoint_id
                 ORDER BY delivery.endpoint_id LIMIT 1)
         FROM waited_for WHERE waited_for.endpoint_id IS NOT NULL
       )
       SELECT endpoint_id, credential, url, ordered, sealed_secret, sealed_previous_secret, previous_secret_until, due
       FROM waited_for JOIN webhook_endpoints endpoint USING (endpoint_id) CROSS JOIN LATERAL (
         SELECT json_agg(json_build_object('deliveryId', delivery_id::text, 'eventId', event_id::text,
             'attempts', attempts, 'step', step) ORDER BY made_by, event_id) FILTER (WHERE is_due) AS due
         FROM (
           (SELECT delivery_id, event_id, attempts, step, made_by, true AS is_due FROM webhook_deliveries delivery
            WHERE NOT endpoint.ordered AND delivery.endpoint_id = endpoint.endpoint_id AND status = 'pending'
              AND next_attempt_at <= $1
            ORDER BY next_attempt_at LIMIT ${HELD_PER_ENDPOINT_MAX})
           UNION ALL
           SELECT delivery_id, event_id, attempts, step, made_by,
             bool_and(next_attempt_at <= $1) OVER (ORDER BY made_by, event_id) AS is_due
           FROM (
             SELECT * FROM webhook_deliveries delivery
             WHERE endpoint.ordered AND delivery.endpoint_id = endpoint.endpoint_id AND status = 'pending'
               AND made_by < ${MADE_BEFORE}
             ORDER BY made_by, event_id LIMIT ${HELD_PER_ENDPOINT_MAX}
           ) first
         ) oldest
       ) found
       WHERE due IS NOT NULL AND endpoint.url IS NOT NULL AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL`,
      [this.timing.now()],
    );
    return rows;
  }

  /** Gives free slots to the lanes in turn: a lane that gets one goes to the end of the queue. */
  private fill(): void {
    for (const [endpointId, lane] of this.lanes) {
      if (this.running.size >= ATTEMPTS_MAX) return;
      if (lane.isEmpty) this.lanes.delete(endpointId);
      if (!lane.isReady || (!lane.isProven && this.unprovenRunning >= UNPROVEN_ATTEMPTS_MAX)) continue;
      this.lanes.delete(endpointId);
      this.lanes.set(endpointId, lane);
      this.beginAttempt(lane);
    }
  }

  private beginAttempt(lane: DeliveryLane): void {
    const { isProven } = lane;
    const due = lane.begin();
    if (!isProven) this.unprovenRunning++;
    const running = this.deliver(lane, due)
      .catch((error: unknown) => {
        // A cancelled attempt is made again; any other failure is retried with the next look.
        if (!this.leading.signal.aborted) this.logger.warn({ err: error, msg: 'a webhook was not sent' });
      })
      .finally(() => {
        this.running.delete(running);
        if (!isProven) this.unprovenRunning--;
        lane.release(due);
        this.ended.add(due.deliveryId);
        if (this.leading.signal.aborted) return;
        this.fill();
        // What came after it may have been left in the table.
        if (lane.isOrdered && !lane.isReady) this.wake();
      });
    this.running.add(running);
  }

  private async deliver(lane: DeliveryLane, due: DueDelivery): Promise<void> {
    const { target } = lane;
    let succeeded = false;
    const stopwatchMs = performance.now();
    let attempt: Attempt;
    try {
      attempt = await this.sender.attempt(target, due, this.leading.signal);
      succeeded = isSuccess(attempt);
    } finally {
      lane.end(succeeded, performance.now() - stopwatchMs);
      if (succeeded) this.proven.set(target.endpointId, true);
      else this.proven.delete(target.endpointId);
    }
    const nextAttemptAt = await this.recorder.record(target.endpointId, due, attempt);
    if (lane.isRunningDry) this.wake();
    else if (nextAttemptAt !== null) this.wakeAt(nextAttemptAt);
  }

  /** For pauses shorter than the time between looks. */
  private wakeAt(time: Date): void {
    const inMs = time.getTime() - this.timing.now().getTime();
    if (inMs < LOOK_EVERY_MS) setTimeout(() => this.wake(), Math.max(inMs, 0)).unref();
  }
}

function targetOf(row: DueRow): Target {
  return {
    endpointId: row.endpoint_id,
    url: row.url,
    isOrdered: row.ordered,
    sealedSecret: row.sealed_secret,
    sealedPreviousSecret: row.sealed_previous_secret,
    previousSecretUntil: row.previous_secret_until,
  };
}
