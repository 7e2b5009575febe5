import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { lockUntilCommit } from '../database/advisory-locks.js';
import { PG_POOL } from '../database/pg-pool.js';
import { inTransaction } from '../database/transaction.js';
import { BackgroundLoop } from '../jobs/background-loop.js';
import type { LeaderDuty } from '../jobs/job-leader.js';
import { ConsumerLoop, type ConsumerStep, type NamedConsumer } from './consumer-loop.js';
import { ConsumerRecords } from './consumer-records.js';
import { Consumers } from './consumers.js';
import { DurableListener, type ListenedEvent } from './durable-listener.js';

/** How long an event waits for its place, and so for its listeners, at most, where nothing is wrong. */
const PLACE_EVERY_MS = 200;
const PLACED_AT_ONCE_MAX = 2_000;
const EVENTS_PER_STEP = 200;

/** Places go on after those that were read, whether or not their events are still there. */
const PLACE = `
  WITH unplaced AS (
    SELECT event_id FROM listened_events WHERE place IS NULL ORDER BY event_id LIMIT ${PLACED_AT_ONCE_MAX} FOR UPDATE
  ), numbered AS (
    SELECT event_id, row_number() OVER (ORDER BY event_id) AS number FROM unplaced
  )
  UPDATE listened_events event SET place = number + greatest(
    (SELECT max(place) FROM listened_events), (SELECT max(place) FROM plugin_consumers), 0)
  FROM numbered WHERE numbered.event_id = event.event_id`;

interface EventRow {
  readonly place: string;
  readonly type: string;
  readonly payload: string;
  readonly account_owner: string | null;
}

/**
 * Gives published events to the listeners of plugins. Places are given to events by one process at a time after their commit, and
 * each listener goes through them by a cursor of its own.
 */
@Injectable()
export class EventListeners {
  private readonly loops: ConsumerLoop[] = [];
  private readonly placing = new BackgroundLoop({ name: 'EventListeners', everyMs: PLACE_EVERY_MS }, () =>
    this.place(),
  );

  constructor(
    private readonly consumers: Consumers,
    private readonly records: ConsumerRecords,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {
    consumers.measure(() => this.lags());
  }

  readonly duty: LeaderDuty = {
    begin: async () => {
      const listeners = this.consumers.of(DurableListener);
      if (listeners.length === 0) return;
      this.loops.push(
        ...listeners.map((named) => new ConsumerLoop(named, this.records, (step) => this.step(named, step))),
      );
      for (const loop of [this.placing, ...this.loops]) await loop.begin();
    },
    end: async () => {
      await Promise.all([this.placing, ...this.loops.splice(0)].map((loop) => loop.end()));
    },
  };

  private async place(): Promise<boolean> {
    const { rowCount } = await this.pool.query(PLACE);
    if (rowCount) for (const loop of this.loops) loop.request();
    return rowCount === PLACED_AT_ONCE_MAX;
  }

  private step(named: NamedConsumer<DurableListener>, { isCareful, signal }: ConsumerStep): Promise<boolean> {
    const { fullName, consumer } = named;
    const limit = isCareful ? 1 : EVENTS_PER_STEP;
    return inTransaction(this.consumers.pool, async (client) => {
      // Its row stays free for those who look after all consumers.
      await lockUntilCommit(client, `consumer ${fullName}`);
      const { rows: cursors } = await client.query<{ place: string; last: string }>(
        `SELECT place, (SELECT coalesce(max(place), 0) FROM listened_events) AS last
         FROM plugin_consumers WHERE name = $1`,
        [fullName],
      );
      const [cursor] = cursors;
      if (cursor === undefined || BigInt(cursor.last) <= BigInt(cursor.place)) return false;
      const { rows } = await client.query<EventRow>(
        `SELECT place, type, payload, account_owner FROM listened_events
         WHERE place > $1 AND place <= $2 AND type = ANY ($3) ORDER BY place LIMIT $4`,
        [cursor.place, cursor.last, consumer.types, limit],
      );
      const isMoreLeft = rows.length === limit;
      if (rows.length > 0)
        await this.consumers.call(named, { client, signal }, (transaction) =>
          consumer.events(rows.map(toEvent), transaction),
        );
      await client.query('UPDATE plugin_consumers SET place = $2 WHERE name = $1', [
        fullName,
        isMoreLeft ? rows.at(-1)!.place : cursor.last,
      ]);
      return isMoreLeft;
    });
  }

  private async lags(): Promise<ReadonlyMap<NamedConsumer, number>> {
    const listeners = this.consumers.of(DurableListener);
    if (listeners.length === 0) return new Map();
    const { rows } = await this.pool.query<{ name: string; seconds: number | null }>(
      `SELECT name, extract(epoch FROM clock_timestamp() - (
         SELECT created_at FROM listened_events
         WHERE place > listener.place AND type = ANY (listener.types) ORDER BY place LIMIT 1))::float8 AS seconds
       FROM plugin_consumers listener WHERE name = ANY ($1)`,
      [listeners.map(({ fullName }) => fullName)],
    );
    const byName = new Map(rows.map(({ name, seconds }) => [name, Math.max(0, seconds ?? 0)]));
    return new Map(listeners.map((named) => [named, byName.get(named.fullName) ?? 0]));
  }
}

function toEvent({ type, payload, account_owner: accountOwner }: EventRow): ListenedEvent {
  const { timestamp, data } = JSON.parse(payload) as { timestamp: string; data: object };
  return { type, at: new Date(timestamp), data, accountOwner };
}
