import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { RETENTION_IDLE_ROOMS_DAYS } from './idle-rooms-setting.js';

const LOOK_EVERY_MS = 60_000;
/** Rooms that are looked at in one step, by their numbers. */
const ROOMS_AT_ONCE_MAX = 500;
const MESSAGES_AT_ONCE_MAX = 2_000;

/** The room's last event is older than `$2` days; a room without one counts from its beginning. */
const IS_IDLE = `coalesce(
    (SELECT event.created_at FROM chat_events event
     WHERE event.room_id = room.room_id AND event.sequence = room.sequence),
    room.created_at) < now() - make_interval(days => $2::integer)`;

interface RoomRow {
  readonly room_id: string;
  readonly is_idle: boolean;
}

/**
 * Deletes rooms of any type in which nothing has happened for `RETENTION_IDLE_ROOMS_DAYS`, with all that is in them. It
 * walks along all rooms in small steps, since an index of last events would make every message dearer.
 */
@Injectable()
export class IdleRooms {
  readonly duty: BackgroundLoop | undefined;
  private place = '0';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    time: AgreedTime,
    settings: Settings,
  ) {
    const idleRoomsDays = settings.get(RETENTION_IDLE_ROOMS_DAYS);
    if (idleRoomsDays === undefined) return;
    const options = { name: 'IdleRooms', everyMs: LOOK_EVERY_MS, time };
    this.duty = new BackgroundLoop(options, () => this.deleteNext(idleRoomsDays));
  }

  /** Returns whether there are rooms that it has not looked at. */
  async deleteNext(days: number): Promise<boolean> {
    const rooms = await this.dataSource.query<RoomRow[]>(
      `SELECT room_id, ${IS_IDLE} AS is_idle FROM chat_rooms room
       WHERE room_id > $1 ORDER BY room_id LIMIT ${ROOMS_AT_ONCE_MAX}`,
      [this.place, days],
    );
    for (const { room_id: roomId, is_idle: isIdle } of rooms) {
      while (isIdle && (await this.deletePart(roomId, days)));
    }
    const isMoreLeft = rooms.length === ROOMS_AT_ONCE_MAX;
    this.place = isMoreLeft ? rooms.at(-1)!.room_id : '0';
    return isMoreLeft;
  }

  /** Messages first, some at a time; the room, with its log and members, last. Returns whether something is left. */
  private async deletePart(roomId: string, days: number): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      if (!(await lockIfIdle(manager, roomId, days))) return false;
      const [, deleted] = await manager.query<[unknown, number]>(
        `DELETE FROM chat_messages WHERE message_id IN (
           SELECT message_id FROM chat_messages WHERE room_id = $1 ORDER BY sequence LIMIT ${MESSAGES_AT_ONCE_MAX})`,
        [roomId],
      );
      if (deleted > 0) return true;
      await manager.query('DELETE FROM chat_rooms WHERE room_id = $1', [roomId]);
      return false;
    });
  }
}

/** Whoever writes to the room waits for the lock, and finds it gone or keeps it. */
async function lockIfIdle(manager: EntityManager, roomId: string, days: number): Promise<boolean> {
  const rows = await manager.query<unknown[]>('SELECT FROM chat_rooms WHERE room_id = $1 FOR UPDATE', [
    roomId,
  ]);
  if (rows.length === 0) return false;
  const idle = await manager.query<unknown[]>(
    `SELECT FROM chat_rooms room WHERE room_id = $1 AND ${IS_IDLE}`,
    [roomId, days],
  );
  return idle.length > 0;
}
