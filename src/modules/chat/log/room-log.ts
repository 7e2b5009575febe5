import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { Row } from '../../../kit/database/rows.js';
import type { ChatEventEntity } from '../records/chat-event.entity.js';
import type { RoomEvent, RoomEventData, RoomEventType } from '../records/chat-event.js';
import { roomIdOf } from './room-access.js';
import { ROOM_IDS } from '../ids.js';

type EventRow = Row<ChatEventEntity, 'sequence' | 'type' | 'data' | 'createdAt'>;

/** The logs of rooms: what has happened in each, numbered from 1 without gaps or repeats. */
@Injectable()
export class RoomLog {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Up to `limit` committed events after the given sequence, oldest first, of a room by its public id. It does not
   * check access: use `RoomAccess`.
   */
  async read(room: string, afterSequence: number, limit: number): Promise<RoomEvent[]> {
    const roomId = roomIdOf(room);
    const { rows } = await this.pool.query<EventRow>({
      name: 'chat-room-log',
      text: `SELECT sequence, type, data, created_at FROM chat_events
             WHERE room_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
      values: [roomId, afterSequence, limit],
    });
    const publicId = ROOM_IDS.format(Number(roomId));
    return rows.map((row) => toRoomEvent(publicId, row.type, Number(row.sequence), row.created_at, row.data));
  }

  /** The sequence of the last committed event of each of these rooms that is there, by public id. */
  async heads(rooms: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ room_id: string; sequence: string }>(
      'SELECT room_id, sequence FROM chat_rooms WHERE room_id = ANY($1::bigint[])',
      [rooms.map(roomIdOf)],
    );
    return new Map(
      rows.map(({ room_id: roomId, sequence }) => [ROOM_IDS.format(Number(roomId)), Number(sequence)]),
    );
  }
}

export function toRoomEvent<Type extends RoomEventType>(
  room: string,
  type: Type,
  sequence: number,
  createdAt: Date,
  data: RoomEventData[Type],
): RoomEvent {
  // A type and the data that go with it: that they do is held by the signature, which TypeScript cannot follow.
  return { type, room_id: room, sequence, created_at: createdAt.toISOString(), data } as RoomEvent;
}
