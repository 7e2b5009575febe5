import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AnswerTransaction } from '../../../platform/http/idempotency/answer-transaction.js';
import { RoomFeed } from '../streams/room-feed.js';
import type { RoomEvent } from '../streams/chat-event.js';
import { RoomChange } from './room-change.js';
import { RoomTurns } from './room-turns.js';

/**
 * The only way to change a room: in one transaction that locks its row, numbers the events and appends them to
 * the log. When it has committed, and only then, the events are told to those who follow the room. A change
 * that fails leaves neither a trace nor a gap. (Only `RoomsService` makes rooms, which nobody can follow yet.)
 */
@Injectable()
export class RoomWriter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answers: AnswerTransaction,
    private readonly turns: RoomTurns,
    private readonly feed: RoomFeed,
  ) {}

  /**
   * Changes a room that exists; what `work` gives is the answer of the request (see `AnswerTransaction`).
   * Rejects as `work` does, with `not_found` (404) for a room that is not there, and with `rate_limited` (429)
   * where too much waits for the room.
   */
  change<Answer>(roomId: string, work: (change: RoomChange) => Promise<Answer>): Promise<Answer> {
    return this.turns.take(roomId, () =>
      this.told((tell) => this.answers.run((manager) => changeRoom(manager, roomId, work, tell))),
    );
  }

  /** As `change`, for work of several requests at once: each of them is answered by itself. */
  changeForMany<Result>(roomId: string, work: (change: RoomChange) => Promise<Result>): Promise<Result> {
    return this.turns.take(roomId, () =>
      this.told((tell) => this.dataSource.transaction((manager) => changeRoom(manager, roomId, work, tell))),
    );
  }

  private async told<T>(run: (tell: (events: readonly RoomEvent[]) => void) => Promise<T>): Promise<T> {
    let committed: readonly RoomEvent[] = [];
    const result = await run((events) => {
      committed = events;
    });
    if (committed.length > 0) this.feed.committed(committed);
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
