import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { columnsExcept, type RowOf } from '../../../kit/database/rows.js';
import type { FieldChanges } from '../../../domain/fields.js';
import type { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { AcceptsFields, ShowsFields } from '../../../kit/fields/field-marks.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { ChatMessageEntity } from './chat-message.entity.js';
import { IsMessageText } from './message-text.js';
import { MESSAGE_IDS, ROOM_IDS } from '../ids.js';

const ID_LENGTH_MAX = 64;
const CLIENT_MESSAGE_ID_LENGTH_MAX = 128;
const SEARCH_LENGTH_MAX = 200;

/** The body of `POST /chat/rooms/{room_id}/messages`. */
@AcceptsFields('messages')
export class SendMessageDto {
  /**
   * Plain text. Whoever shows it must not take it for HTML.
   * @example "Has anyone seen the new fees?"
   */
  @IsMessageText()
  text: string;

  /**
   * An id of the sender's own choice, unique among its messages in the room: sent again with the same message
   * it answers the one that is there, with another message it is refused with 409.
   * @example "5f3c1e9a-web-17"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(CLIENT_MESSAGE_ID_LENGTH_MAX)
  client_message_id?: string;

  /**
   * The message whose thread it belongs to: one that is in no thread itself.
   * @example "msg_00000000001"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(ID_LENGTH_MAX)
  parent_id?: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The body of `PATCH /chat/rooms/{room_id}/messages/{message_id}`. */
@AcceptsFields('messages')
export class EditMessageDto {
  /**
   * Plain text.
   * @example "Has anyone seen the new maker fees?"
   */
  @IsMessageText()
  text: string;

  /** Those that plugins have declared; null removes a value, what is left out stays. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The query of `GET /chat/rooms/{room_id}/messages`. */
export class ListMessagesQueryDto extends PageQueryDto {
  @QueryText(ID_LENGTH_MAX, 'Only messages before this one, the nearest first.')
  before?: string;

  @QueryText(ID_LENGTH_MAX, 'Only messages after this one: those that are nearest, the newest of them first.')
  after?: string;

  @QueryText(ID_LENGTH_MAX, 'This message with as many before as after it.')
  around?: string;

  @QueryText(ID_LENGTH_MAX, 'Only the thread of this message, without the message itself.')
  parent_id?: string;
}

/** The query of `GET /chat/messages`. */
export class SearchMessagesQueryDto extends PageQueryDto {
  @ApiProperty({
    minLength: 1,
    maxLength: SEARCH_LENGTH_MAX,
    example: 'forecast or weather',
    description:
      'Only messages with all these words, as they are written; `"…"` keeps words together, `or` takes either, `-` leaves out.',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(SEARCH_LENGTH_MAX)
  q: string;

  @QueryText(ID_LENGTH_MAX, 'Only messages in this room.')
  room_id?: string;
}

/** How a message was reacted to with one emoji. */
export class ReactionDto {
  /** @example "👍" */
  emoji: string;

  /** How many members did. */
  @ApiProperty({ type: 'integer', example: 2 })
  count: number;

  /** Whether the reader is one of them. Events, which are the same for everyone, do not say. */
  mine?: boolean;
}

/** A message of a room. */
@ShowsFields('messages')
export class MessageDto {
  /** @example "msg_00000000001" */
  message_id: string;

  /** @example "rom_00000000001" */
  room_id: string;

  /** Of the event that told it first: its place in the room. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;

  /**
   * A username, or `client:<client_id>`.
   * @example "alice"
   */
  author: string;

  /**
   * Plain text; null once the message is deleted.
   * @example "Has anyone seen the new fees?"
   */
  text: string | null;

  /** As its author sent it. */
  client_message_id: string | null;

  /** The message whose thread it belongs to. */
  parent_id: string | null;

  /** How many messages its own thread has had. */
  @ApiProperty({ type: 'integer', example: 0 })
  reply_count: number;

  /** In the order in which they came first. */
  reactions: ReactionDto[];

  /**
   * RFC 3339 UTC.
   * @example "2026-11-20T09:00:00.000Z"
   */
  created_at: string;

  /** RFC 3339 UTC: when its text was last changed. */
  edited_at: string | null;

  /** RFC 3339 UTC. */
  deleted_at: string | null;
}

const MESSAGE = columnsExcept(ChatMessageEntity, 'fingerprint', 'search');

/** A message as it is stored. */
export type MessageRow = RowOf<typeof MESSAGE>;

export const MESSAGE_COLUMNS = MESSAGE.of('message');

/** As events tell it, who are the same for everyone. */
export function toMessageDto(row: MessageRow, author: string, fields: FieldCatalogue): MessageDto {
  return {
    message_id: MESSAGE_IDS.format(Number(row.message_id)),
    room_id: ROOM_IDS.format(Number(row.room_id)),
    sequence: Number(row.sequence),
    author,
    text: row.text,
    client_message_id: row.client_message_id,
    parent_id: row.parent_id === null ? null : MESSAGE_IDS.format(Number(row.parent_id)),
    reply_count: row.reply_count,
    reactions: row.reactions.map(({ emoji, count }) => ({ emoji, count })),
    created_at: row.created_at.toISOString(),
    edited_at: row.edited_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
    ...fields.shown('messages', row.fields, 'owner'),
  };
}

/** As one reader sees it, who reacted with the given emojis. */
export function toSeenMessageDto(
  row: MessageRow,
  author: string,
  mine: ReadonlySet<string>,
  fields: FieldCatalogue,
): MessageDto {
  const reactions = row.reactions.map(({ emoji, count }) => ({ emoji, count, mine: mine.has(emoji) }));
  return { ...toMessageDto(row, author, fields), reactions };
}
