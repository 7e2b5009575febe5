import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Counter, Histogram } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { AnswerTransaction } from '../../../platform/http/idempotency/answer-transaction.js';
import { MetricsRegistry } from '../../../platform/metrics/metrics-registry.js';
import { RoomFeed } from './room-feed.js';
import type { RoomEvent } from '../records/chat-event.js';
import { RoomChange } from './room-change.js';
import { RoomQueue } from './room-queue.js';

const DURATION_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The only way to change a room: in one transaction that locks its row, numbers the events and appends them to
 * the log. When it has committed, and only then, the events are told to those who follow the room. A change
 * that fails leaves neither a trace nor a gap. (Only `RoomsService` makes rooms, which nobody can follow yet.)
 */
@Injectable()
export class RoomWriter {
  private readonly events: Counter<'type'>;
  private readonly duration: Histogram;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answers: AnswerTransaction,
    private readonly queue: RoomQueue,
    private readonly feed: RoomFeed,
    metrics: MetricsRegistry,
  ) {
    this.events = metrics.counter({
      name: 'chat_events_total',
      help: 'Events appended to the logs of rooms, by type.',
      labels: ['type'],
    });
    this.duration = metrics.histogram({
      name: 'chat_change_duration_seconds',
      help: 'How long the transaction of a change took, from its turn to its commit.',
      buckets: DURATION_BUCKETS_S,
    });
  }

  /**
   * Changes a room that exists; what `work` gives is the answer of the request (see `AnswerTransaction`).
   * Rejects as `work` does, with `not_found` (404) for a room that is not there, and with `rate_limited` (429)
   * where too much waits for the room.
   */
  change<Answer>(roomId: string, work: (change: RoomChange) => Promise<Answer>): Promise<Answer> {
    return this.queue.take(roomId, () =>
      this.told((tell) => this.answers.run((manager) => changeRoom(manager, roomId, work, tell))),
    );
  }

  /** As `change`, for work of several requests at once: each of them is answered by itself. */
  changeForMany<Result>(roomId: string, work: (change: RoomChange) => Promise<Result>): Promise<Result> {
    return this.queue.take(roomId, () =>
      this.told((tell) => this.dataSource.transaction((manager) => changeRoom(manager, roomId, work, tell))),
    );
  }

  private async told<T>(run: (tell: (events: readonly RoomEvent[]) => void) => Promise<T>): Promise<T> {
    let committed: readonly RoomEvent[] = [];
    const stopTimer = this.duration.startTimer();
    const result = await run((events) => {
      committed = events;
    });
    stopTimer();
    if (committed.length > 0) this.feed.committed(committed);
    for (const { type } of committed) this.events.inc({ type });
    return result;
  }
}

async function changeRoom<T>(
  manager: EntityManager,
  roomId: string,
  work: (change: RoomChange) => Promise<T>,
  tell: (events: readonly RoomEvent[]) => void,
): Promise<T> {
  const change = await RoomChange.begin(manager, roomId);
  const result = await work(change);
  await change.finish();
  tell(change.events);
  return result;
}
