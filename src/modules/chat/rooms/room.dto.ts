import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
} from 'class-validator';
import { columnsExcept, type RowOf } from '../../../kit/database/rows.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import { QueryInteger, QueryText } from '../../../kit/http/validation/query.js';
import { MEMBER_NAME_LENGTH_MAX, MemberDto, toOwnMemberDto, type MemberRow } from '../members/member.dto.js';
import { MessageDto } from '../records/message.dto.js';
import {
  MemberAddedEventDto,
  MemberRemovedEventDto,
  MessageReadEventDto,
  ReactionEventDto,
} from '../records/chat-event.dto.js';
import type { RoomEvent, RoomEventType } from '../records/chat-event.js';
import { ChatRoomEntity, ROOM_TYPES, type RoomType } from '../records/chat-room.entity.js';
import { ROOM_IDS } from '../ids.js';

const NAME_LENGTH_MAX = 100;
const FIRST_MEMBERS_MAX = 100;

/** The body of `POST /chat/rooms`. */
export class CreateRoomDto {
  /**
   * For people; rooms may share one. A direct room has none.
   * @example "Fees and rebates"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(NAME_LENGTH_MAX)
  name?: string;

  /**
   * `public` is open to everyone, `private` to its members; `direct` is the one room that you have with somebody.
   * @example "private"
   */
  @ApiProperty({ enum: ROOM_TYPES })
  @IsIn(ROOM_TYPES)
  type: RoomType;

  /**
   * Who is in it from the start beside yourself: usernames, or `client:<client_id>`. For a direct room exactly one.
   * @example ["bob"]
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(FIRST_MEMBERS_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(MEMBER_NAME_LENGTH_MAX, { each: true })
  members?: string[];
}

/** The body of `PATCH /chat/rooms/{room_id}`. */
export class RenameRoomDto {
  /** @example "Fees" */
  @IsLabel(NAME_LENGTH_MAX)
  name: string;
}

/** The query of `GET /chat/rooms`. */
export class ListRoomsQueryDto extends PageQueryDto {
  @QueryText(
    MEMBER_NAME_LENGTH_MAX,
    'Only rooms that this member is in: `me`, a username, or `client:<client_id>`. Of others you see the rooms that you may read.',
  )
  member?: string;

  @ApiPropertyOptional({ enum: ROOM_TYPES, description: 'Only rooms of this type.' })
  @IsOptional()
  @IsIn(ROOM_TYPES)
  type?: RoomType;
}

/** The query of `GET /chat/rooms/{room_id}/events`. */
export class ListEventsQueryDto extends PageQueryDto {
  @QueryInteger(0, Number.MAX_SAFE_INTEGER, 'Only events after the one of this sequence.')
  after: number = 0;
}

/** A room, as one reader sees it. */
export class RoomDto {
  /** @example "rom_00000000001" */
  room_id: string;

  /**
   * Plain text; of a direct room, what the other is called.
   * @example "Fees and rebates"
   */
  name: string;

  @ApiProperty({ enum: ROOM_TYPES })
  type: RoomType;

  /** Of the last event. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;

  @ApiProperty({ type: 'integer', example: 2 })
  members_count: number;

  /** Deleted ones, too, without their text. */
  last_message: MessageDto | null;

  /** Messages after what you have read: 100 stands for as many or more, 0 also for who is not in the room. */
  @ApiProperty({ type: 'integer', example: 3 })
  unread_count: number;

  /** What you are in the room; null for a public one that you are not in. */
  membership: MemberDto | null;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-20T09:00:00.000Z"
   */
  created_at: string;
}

const ROOM_EVENT_TYPES = [
  'message.new',
  'message.updated',
  'message.deleted',
  'reaction.new',
  'reaction.deleted',
  'member.added',
  'member.removed',
  'message.read',
] as const satisfies readonly RoomEventType[];

const EVENT_DATA = [
  MessageDto,
  ReactionEventDto,
  MemberAddedEventDto,
  MemberRemovedEventDto,
  MessageReadEventDto,
] as const;

/** Something that has happened in a room. */
@ApiExtraModels(...EVENT_DATA)
export class RoomEventDto {
  @ApiProperty({ enum: ROOM_EVENT_TYPES })
  type: RoomEventType;

  /** @example "rom_00000000001" */
  room_id: string;

  /** Within the room: 1 more than the event before it. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-20T09:00:00.000Z"
   */
  created_at: string;

  /** Of messages: the message as it was then, but without its text where it has been deleted since. */
  @ApiProperty({ anyOf: EVENT_DATA.map((data) => ({ $ref: getSchemaPath(data) })) })
  data: RoomEvent['data'];
}

export const ROOM = columnsExcept(ChatRoomEntity, 'directKey', 'createdBy');

/** A room as it is stored, with the place that its reader has in it. */
export type RoomRow = RowOf<typeof ROOM> & {
  readonly unread_count: number;
  /** Of a direct room: the key of the one who is not the reader. */
  readonly other_key: string | null;
} & (MemberRow | { readonly member_key: null });

export function toRoomDto(
  row: RoomRow,
  name: string,
  readerName: string,
  lastMessage: MessageDto | undefined,
): RoomDto {
  return {
    room_id: ROOM_IDS.format(Number(row.room_id)),
    name,
    type: row.type,
    sequence: Number(row.sequence),
    members_count: row.members_count,
    last_message: lastMessage ?? null,
    unread_count: row.unread_count,
    membership: row.member_key === null ? null : toOwnMemberDto(row, readerName),
    created_at: row.created_at.toISOString(),
  };
}
