import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { RoomAccess } from '../log/room-access.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { toReadPositionDto, type ReadPositionDto } from './member.dto.js';
import { requireInRoom } from './standing.js';

/** Unread messages are counted up to this limit, to bound the cost. */
export const UNREAD_COUNTED_MAX = 100;

/** How far members have read their rooms. */
@Injectable()
export class ReadPositionsService {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly access: RoomAccess,
    private readonly writer: RoomWriter,
  ) {}

  /**
   * Moves one's read position on to the event of the given sequence; it never goes back. Throws `not_found` (404),
   * `forbidden` (403) for a public room that one is not in, and `unprocessable` (422) for a sequence that the room
   * has not come to.
   */
  async markRead(reader: ChatIdentity, room: string, sequence: number): Promise<ReadPositionDto> {
    const { roomId } = await this.access.requireJoined(reader, room);
    const readSequence = await this.writer.change(roomId, async (change) => {
      const members = await change.membersOf([reader.key]);
      const member = requireInRoom(change, members, reader.key);
      if (sequence <= member.readSequence) return member.readSequence;
      if (sequence >= change.nextSequence) {
        throw new ApiError(UNPROCESSABLE, `The room has come to sequence ${change.nextSequence - 1} only.`);
      }
      await change.manager.query(
        'UPDATE chat_members SET read_sequence = $3 WHERE room_id = $1 AND member_key = $2',
        [roomId, reader.key, sequence],
      );
      change.append('message.read', { member: reader.name, read_sequence: sequence });
      return sequence;
    });
    const { rows } = await this.pool.query<{ unread: number }>(
      `SELECT count(*)::integer AS unread FROM (
         SELECT FROM chat_messages WHERE room_id = $1 AND sequence > $2 LIMIT ${UNREAD_COUNTED_MAX}
       ) unread`,
      [roomId, readSequence],
    );
    return toReadPositionDto(roomId, readSequence, rows[0]?.unread ?? 0);
  }
}
