import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { RoomAccess } from '../log/room-access.js';
import {
  MESSAGE_COLUMNS,
  type MessageDto,
  type MessageRow,
  type SearchMessagesQueryDto,
} from '../records/message.dto.js';
import { MessageReader } from './message-reader.js';
import { inAnyOf, IN_PUBLIC, inRoom } from './search-vector.js';

/**
 * Up to this many rooms the index is searched by room, at about a millisecond each. With more rooms the search covers
 * all rooms, which is slow only for words that are common in other rooms.
 */
const ROOMS_IN_QUERY_MAX = 20;

/** Of a message: its room is public, or the one with the key $3 is in it. */
const READABLE = `(
  EXISTS (SELECT FROM chat_members member WHERE member.room_id = message.room_id AND member.member_key = $3)
  OR EXISTS (SELECT FROM chat_rooms room WHERE room.room_id = message.room_id AND room.type = 'public')
)`;

/** Finds messages by what they say. */
@Injectable()
export class MessageSearch {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly access: RoomAccess,
    private readonly messages: MessageReader,
  ) {}

  /**
   * What the words are found in, of all rooms that the reader may see or of one of them: the newest first. Throws
   * `not_found` (404) for a room that it may not see, and `invalid_cursor` (400).
   */
  async find(
    reader: ChatIdentity,
    { q, room_id, limit, cursor }: SearchMessagesQueryDto,
  ): Promise<Page<MessageDto>> {
    const [before] = decodeCursor(cursor, ['integer']) ?? [];
    const rows =
      room_id === undefined
        ? await this.findReadable(reader, q, before, limit + 1)
        : await this.findInRoom(reader, room_id, q, before, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (row) => [Number(row.message_id)],
      (row) => row,
    );
    return { data: await this.messages.seenBy(reader, page.data), next_cursor: page.next_cursor };
  }

  private async findInRoom(
    reader: ChatIdentity,
    room: string,
    q: string,
    before: number | undefined,
    count: number,
  ): Promise<MessageRow[]> {
    const { roomId } = await this.access.requireReadable(reader, room);
    return this.read('message.room_id = $3', q, inAnyOf([inRoom(roomId)]), roomId, before, count);
  }

  private async findReadable(
    reader: ChatIdentity,
    q: string,
    before: number | undefined,
    count: number,
  ): Promise<MessageRow[]> {
    const { rows } = await this.pool.query<{ room_id: string }>(
      'SELECT room_id FROM chat_members WHERE member_key = $1 LIMIT $2',
      [reader.key, ROOMS_IN_QUERY_MAX + 1],
    );
    const places =
      rows.length > ROOMS_IN_QUERY_MAX
        ? ''
        : inAnyOf([IN_PUBLIC, ...rows.map(({ room_id: roomId }) => inRoom(roomId))]);
    return this.read(READABLE, q, places, reader.key, before, count);
  }

  /** `places` only shows the way: which messages it may be is for `condition`, about $3, to say. */
  private async read(
    condition: string,
    q: string,
    places: string,
    about: string,
    before: number | undefined,
    count: number,
  ): Promise<MessageRow[]> {
    const { rows } = await this.pool.query<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message
       WHERE numnode(websearch_to_tsquery('simple', $1)) > 0
         AND message.search @@ (websearch_to_tsquery('simple', $1) && $2::tsquery)
         AND ${condition} AND ($4::bigint IS NULL OR message.message_id < $4)
       ORDER BY message.message_id DESC LIMIT $5`,
      [q, places, about, before, count],
    );
    return rows;
  }
}
