import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { DataSource, type EntityManager } from 'typeorm';
import { INVALID_CURSOR } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MemberDirectory, nameIn } from '../members/member-directory.js';
import { RoomAccess, roomIdOf } from '../log/room-access.js';
import {
  MESSAGE_COLUMNS,
  toSeenMessageDto,
  type ListMessagesQueryDto,
  type MessageDto,
  type MessageRow,
} from '../records/message.dto.js';
import { messageNotFound } from './messages.service.js';
import { MESSAGE_IDS } from '../ids.js';

/** The direction of a list: back to older messages, or on to newer ones. */
type Direction = 'older' | 'newer';

/** Of a list of messages: from where, exclusive, and which way. */
interface Start {
  readonly direction: Direction;
  /** `undefined` for the end of the room. */
  readonly sequence: number | undefined;
}

/**
 * Messages as one reader sees them. All methods throw `not_found` (404) for a room that the reader cannot see,
 * and for a message that is not in it.
 */
@Injectable()
export class MessageReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly access: RoomAccess,
    private readonly directory: MemberDirectory,
    private readonly fields: FieldCatalogue,
  ) {}

  async get(reader: ChatIdentity, room: string, message: string): Promise<MessageDto> {
    const { roomId } = await this.access.requireReadable(reader, room);
    const rows = await this.dataSource.query<MessageRow[]>(
      `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message WHERE message_id = $1 AND room_id = $2`,
      [MESSAGE_IDS.parse(message), roomId],
    );
    const [seen] = await this.seenBy(reader, rows);
    if (seen === undefined) throw messageNotFound();
    return seen;
  }

  /**
   * Newest first, wherever the page begins; `next_cursor` continues in the requested direction, and after `around` to
   * older messages. Throws `validation_failed` (400) for more than one starting point, and `invalid_cursor` (400).
   */
  async list(reader: ChatIdentity, room: string, query: ListMessagesQueryDto): Promise<Page<MessageDto>> {
    const { roomId } = await this.access.requireReadable(reader, room);
    requireOnePlace(query);
    const threadOf = query.parent_id === undefined ? null : await this.placeOf(roomId, query.parent_id);
    const thread = threadOf?.messageId ?? null;
    const cursor = decodeCursor(query.cursor, ['text', 'integer']);
    if (cursor === undefined && query.around !== undefined) {
      return this.listAround(reader, roomId, thread, query.around, query.limit);
    }
    const start = cursor === undefined ? await this.startOf(roomId, query) : startOfCursor(cursor);
    const rows = await this.read(roomId, thread, start, query.limit + 1);
    const page = pageOf(
      rows,
      query.limit,
      (row) => [start.direction, Number(row.sequence)],
      (row) => row,
    );
    const newestFirst = start.direction === 'older' ? page.data : page.data.reverse();
    return { data: await this.seenBy(reader, newestFirst), next_cursor: page.next_cursor };
  }

  /** The last message of each of these rooms that has one, by the room's number; deleted ones too. */
  async lastOf(
    reader: ChatIdentity,
    roomIds: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReadonlyMap<string, MessageDto>> {
    const rows = await manager.query<MessageRow[]>(
      `SELECT ${MESSAGE_COLUMNS} FROM unnest($1::bigint[]) AS room (room_id), LATERAL (
         SELECT * FROM chat_messages WHERE chat_messages.room_id = room.room_id ORDER BY sequence DESC LIMIT 1
       ) message`,
      [roomIds],
    );
    const messages = await this.seenBy(reader, rows, manager);
    return new Map(messages.map((message) => [roomIdOf(message.room_id), message]));
  }

  /** Messages that the reader may see, in the same order. */
  async seenBy(
    reader: ChatIdentity,
    rows: readonly MessageRow[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<MessageDto[]> {
    const names = await this.directory.namesOf(
      rows.map((row) => row.author_key),
      manager,
    );
    const mine = await reactionsOf(reader, rows, manager);
    return rows.map((row) =>
      toSeenMessageDto(
        row,
        nameIn(names, row.author_key),
        mine.get(row.message_id) ?? new Set(),
        this.fields,
      ),
    );
  }

  private async listAround(
    reader: ChatIdentity,
    roomId: string,
    thread: string | null,
    message: string,
    limit: number,
  ): Promise<Page<MessageDto>> {
    const { sequence } = await this.placeOf(roomId, message);
    const newer = await this.read(roomId, thread, { direction: 'newer', sequence }, Math.floor(limit / 2));
    // From the message itself on.
    const older = await this.read(
      roomId,
      thread,
      { direction: 'older', sequence: sequence + 1 },
      limit - newer.length + 1,
    );
    const rows = [...newer.reverse(), ...older];
    const page = pageOf(
      rows,
      limit,
      (row) => ['older', Number(row.sequence)],
      (row) => row,
    );
    return { data: await this.seenBy(reader, page.data), next_cursor: page.next_cursor };
  }

  private async startOf(roomId: string, { before, after }: ListMessagesQueryDto): Promise<Start> {
    const place = before ?? after;
    return {
      direction: after === undefined ? 'older' : 'newer',
      sequence: place === undefined ? undefined : (await this.placeOf(roomId, place)).sequence,
    };
  }

  private async placeOf(roomId: string, message: string): Promise<{ messageId: string; sequence: number }> {
    const messageId = MESSAGE_IDS.parse(message);
    const [row] = await this.dataSource.query<{ sequence: string }[]>(
      'SELECT sequence FROM chat_messages WHERE message_id = $1 AND room_id = $2',
      [messageId, roomId],
    );
    if (row === undefined) throw messageNotFound();
    return { messageId: String(messageId), sequence: Number(row.sequence) };
  }

  /** In the order of the direction. */
  private read(
    roomId: string,
    thread: string | null,
    { direction, sequence }: Start,
    count: number,
  ): Promise<MessageRow[]> {
    const [comparison, order] = direction === 'older' ? ['<', 'DESC'] : ['>', 'ASC'];
    return this.dataSource.query<MessageRow[]>(
      `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message
       WHERE ${thread === null ? 'message.room_id' : 'message.parent_id'} = $1
         AND ($2::bigint IS NULL OR message.sequence ${comparison} $2)
       ORDER BY message.sequence ${order} LIMIT $3`,
      [thread ?? roomId, sequence, count],
    );
  }
}

/** The emojis that the reader reacted with, by the number of the message. */
async function reactionsOf(
  reader: ChatIdentity,
  rows: readonly MessageRow[],
  manager: EntityManager,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const reacted = rows.filter(({ reactions }) => reactions.length > 0).map((row) => row.message_id);
  if (reacted.length === 0) return new Map();
  const mine = await manager.query<{ message_id: string; emojis: string[] }[]>(
    `SELECT message_id, array_agg(emoji) AS emojis FROM chat_reactions
     WHERE message_id = ANY($1::bigint[]) AND member_key = $2 GROUP BY message_id`,
    [reacted, reader.key],
  );
  return new Map(mine.map(({ message_id: messageId, emojis }) => [messageId, new Set(emojis)]));
}

function requireOnePlace({ before, after, around }: ListMessagesQueryDto): void {
  const given = Object.entries({ before, after, around }).filter(([, place]) => place !== undefined);
  if (given.length <= 1) return;
  throw ApiError.validation(
    given.map(([field]) => ({ field, message: 'only one of before, after and around can be given' })),
  );
}

function startOfCursor([direction, sequence]: [string, number]): Start {
  if (direction === 'older' || direction === 'newer') return { direction, sequence };
  throw new ApiError(INVALID_CURSOR, 'Use the `next_cursor` of this list as it was answered.');
}
