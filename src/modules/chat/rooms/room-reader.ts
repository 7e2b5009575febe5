import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MemberDirectory, nameIn } from '../members/member-directory.js';
import { MEMBER_COLUMNS } from '../members/member.dto.js';
import { UNREAD_COUNTED_MAX } from '../members/read-positions.service.js';
import { MessageReader } from '../messages/message-reader.js';
import type { RoomEvent } from '../records/chat-event.js';
import type { RoomType } from '../records/chat-room.entity.js';
import { RoomAccess } from '../log/room-access.js';
import { RoomLog } from '../log/room-log.js';
import {
  ROOM,
  toRoomDto,
  type ListEventsQueryDto,
  type ListRoomsQueryDto,
  type RoomDto,
  type RoomRow,
} from './room.dto.js';

/** Rooms as one reader sees them. */
@Injectable()
export class RoomReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly access: RoomAccess,
    private readonly log: RoomLog,
    private readonly directory: MemberDirectory,
    private readonly messages: MessageReader,
  ) {}

  /** Throws `not_found` (404). */
  async get(reader: ChatIdentity, room: string): Promise<RoomDto> {
    const { roomId } = await this.access.requireReadable(reader, room);
    return this.read(reader, roomId);
  }

  /** A room that the reader may see, by its number, as the given transaction sees it. */
  async read(reader: ChatIdentity, roomId: string, manager?: EntityManager): Promise<RoomDto> {
    const [room] = await this.describe(reader, [roomId], manager);
    if (room === undefined) throw new Error(`room ${roomId} is not there`);
    return room;
  }

  /** The rooms that the reader may see, those that were made last first. Throws `invalid_cursor` (400). */
  async list(
    reader: ChatIdentity,
    { limit, cursor, member, type }: ListRoomsQueryDto,
  ): Promise<Page<RoomDto>> {
    const [before] = decodeCursor(cursor, ['integer']) ?? [];
    const filter = { before: before ?? null, type: type ?? null, count: limit + 1 };
    const roomIds = await this.find(reader, member, filter);
    const page = pageOf(
      roomIds,
      limit,
      (roomId) => [Number(roomId)],
      (roomId) => roomId,
    );
    return { data: await this.describe(reader, page.data), next_cursor: page.next_cursor };
  }

  /**
   * A room's events, oldest first, from the event after `after` on. Throws `not_found` (404), and `invalid_cursor`
   * (400).
   */
  async listEvents(
    reader: ChatIdentity,
    room: string,
    { limit, cursor, after }: ListEventsQueryDto,
  ): Promise<Page<RoomEvent>> {
    const { publicId } = await this.access.requireReadable(reader, room);
    const [last] = decodeCursor(cursor, ['integer']) ?? [after];
    const events = await this.log.read(publicId, last, limit + 1);
    return pageOf(
      events,
      limit,
      ({ sequence }) => [sequence],
      (event) => event,
    );
  }

  private async find(reader: ChatIdentity, member: string | undefined, filter: Filter): Promise<string[]> {
    if (member === undefined) return this.findReadable(reader, filter);
    const identity = member === 'me' ? reader : await this.directory.find(member);
    return identity === undefined ? [] : this.findOf(reader, identity, filter);
  }

  /** Each kind from its own index, so that other people's private rooms are never scanned. */
  private async findReadable(reader: ChatIdentity, { before, type, count }: Filter): Promise<string[]> {
    const rows = await this.dataSource.query<{ room_id: string }[]>(
      `SELECT room_id FROM (
         (SELECT room_id FROM chat_rooms
          WHERE type = 'public' AND ($2::text IS NULL OR type = $2) AND ($3::bigint IS NULL OR room_id < $3)
          ORDER BY room_id DESC LIMIT $4)
         UNION
         (SELECT member.room_id FROM chat_members member JOIN chat_rooms room USING (room_id)
          WHERE member.member_key = $1 AND ($2::text IS NULL OR room.type = $2)
            AND ($3::bigint IS NULL OR member.room_id < $3)
          ORDER BY member.room_id DESC LIMIT $4)
       ) readable ORDER BY room_id DESC LIMIT $4`,
      [reader.key, type, before, count],
    );
    return rows.map((row) => row.room_id);
  }

  private async findOf(
    reader: ChatIdentity,
    member: ChatIdentity,
    { before, type, count }: Filter,
  ): Promise<string[]> {
    const rows = await this.dataSource.query<{ room_id: string }[]>(
      `SELECT member.room_id FROM chat_members member JOIN chat_rooms room USING (room_id)
       WHERE member.member_key = $1 AND ($3::text IS NULL OR room.type = $3)
         AND ($4::bigint IS NULL OR member.room_id < $4)
         AND (room.type = 'public' OR EXISTS (
           SELECT FROM chat_members own WHERE own.room_id = room.room_id AND own.member_key = $2
         ))
       ORDER BY member.room_id DESC LIMIT $5`,
      [member.key, reader.key, type, before, count],
    );
    return rows.map((row) => row.room_id);
  }

  /** In the order of the numbers. */
  private async describe(
    reader: ChatIdentity,
    roomIds: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<RoomDto[]> {
    const rows = await manager.query<RoomRow[]>(
      `SELECT ${ROOM.of('room')}, ${MEMBER_COLUMNS}, unread.unread_count,
         CASE WHEN room.type = 'direct' THEN (
           SELECT other.member_key FROM chat_members other
           WHERE other.room_id = room.room_id AND other.member_key <> $2
         ) END AS other_key
       FROM unnest($1::bigint[]) WITH ORDINALITY AS listed (room_id, place)
         JOIN chat_rooms room USING (room_id)
         LEFT JOIN chat_members member ON member.room_id = room.room_id AND member.member_key = $2
         LEFT JOIN chat_mutes mute ON mute.room_id = room.room_id AND mute.member_key = $2,
         LATERAL (
           SELECT count(*)::integer AS unread_count FROM (
             SELECT FROM chat_messages message
             WHERE message.room_id = room.room_id AND message.sequence > member.read_sequence
             LIMIT ${UNREAD_COUNTED_MAX}
           ) later
         ) unread
       ORDER BY listed.place`,
      [roomIds, reader.key],
    );
    const others = await this.directory.namesOf(
      rows.flatMap((row) => row.other_key ?? []),
      manager,
    );
    const lastMessages = await this.messages.lastOf(reader, roomIds, manager);
    return rows.map((row) => {
      const name = row.name ?? nameIn(others, row.other_key as string);
      return toRoomDto(row, name, reader.name, lastMessages.get(row.room_id));
    });
  }
}

interface Filter {
  /** Only rooms with a smaller number. */
  readonly before: number | null;
  readonly type: RoomType | null;
  readonly count: number;
}
