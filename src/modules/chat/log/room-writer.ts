import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Counter } from 'prom-client';
import { DataSource } from 'typeorm';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { Boundary } from '../../../kit/tracing/boundary.js';
import type { Owner } from '../../../kit/turns/owner.js';
import { RoomFeed } from './room-feed.js';
import type { RoomEvent } from '../records/chat-event.js';
import { RoomChange } from './room-change.js';
import { RoomQueue } from './room-queue.js';

/** What is done for several at once is nobody's alone. */
const MANY: Owner = ['many'];
const DURATION_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The only way to change a room: one transaction locks its row, numbers the events and appends them to the log. Events
 * are published to subscribers only after the commit. A failed change leaves neither a trace nor a gap. (Only
 * `RoomsService` creates rooms, which have no subscribers yet.)
 */
@Injectable()
export class RoomWriter {
  private readonly events: Counter<'type'>;
  private readonly changes: Boundary;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answers: AnswerTransaction,
    private readonly queue: RoomQueue,
    private readonly feed: RoomFeed,
    private readonly fields: FieldCatalogue,
    metrics: MetricsRegistry,
  ) {
    this.events = metrics.counter({
      name: 'chat_events_total',
      help: 'Events appended to the logs of rooms, by type.',
      labels: ['type'],
    });
    const durations = metrics.histogram({
      name: 'chat_change_duration_seconds',
      help: 'How long the transaction of a change took, from its turn to its commit.',
      buckets: DURATION_BUCKETS_S,
    });
    this.changes = new Boundary('internal', durations);
  }

  /**
   * Changes an existing room; the result of `work` is the answer of the request (see `AnswerTransaction`). Rejects as
   * `work` does, with `not_found` (404) for an unknown room, and with `rate_limited` (429) if too many changes wait for
   * the room.
   */
  change<Answer>(roomId: string, work: (change: RoomChange) => Promise<Answer>): Promise<Answer> {
    return this.queue.take(roomId, () =>
      this.publishing((publish) =>
        this.answers.run((manager) => changeRoom({ manager, roomId, fields: this.fields }, work, publish)),
      ),
    );
  }

  /** As `change`, for work of several requests at once: each of them is answered by itself. */
  changeForMany<Result>(roomId: string, work: (change: RoomChange) => Promise<Result>): Promise<Result> {
    return this.queue.take(
      roomId,
      () =>
        this.publishing((publish) =>
          this.dataSource.transaction((manager) =>
            changeRoom({ manager, roomId, fields: this.fields }, work, publish),
          ),
        ),
      MANY,
    );
  }

  private async publishing<T>(
    run: (publish: (events: readonly RoomEvent[]) => void) => Promise<T>,
  ): Promise<T> {
    let committed: readonly RoomEvent[] = [];
    const result = await this.changes.run(
      'chat change',
      () => run((events) => (committed = events)),
      undefined,
      (outcome) => (outcome === 'done' ? {} : undefined),
    );
    if (committed.length > 0) this.feed.committed(committed);
    for (const { type } of committed) this.events.inc({ type });
    return result;
  }
}

async function changeRoom<T>(
  { manager, roomId, fields }: Pick<RoomChange, 'manager' | 'roomId' | 'fields'>,
  work: (change: RoomChange) => Promise<T>,
  publish: (events: readonly RoomEvent[]) => void,
): Promise<T> {
  const change = await RoomChange.begin(manager, roomId, fields);
  const result = await work(change);
  await change.finish();
  publish(change.events);
  return result;
}
