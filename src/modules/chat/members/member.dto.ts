import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { columnsExcept, type RowOf } from '../../../kit/database/rows.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { NullMeansSomething } from '../../../kit/http/validation/null-means-something.js';
import { ChatMemberEntity, ROOM_ROLES, type RoomRole } from '../records/chat-member.entity.js';
import { ROOM_IDS } from '../ids.js';

export const MEMBER_NAME_LENGTH_MAX = 100;

/** The body of `POST /chat/rooms/{room_id}/members`. */
export class AddMemberDto {
  /**
   * A username, `client:<client_id>`, or `me`. Left out: oneself.
   * @example "bob"
   */
  @ApiPropertyOptional({ minLength: 1, maxLength: MEMBER_NAME_LENGTH_MAX })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(MEMBER_NAME_LENGTH_MAX)
  member?: string;
}

/** The body of `PATCH /chat/rooms/{room_id}/members/{member}`. What is left out stays as it is. */
export class ChangeMemberDto {
  /** Owners give and take roles. */
  @ApiPropertyOptional({ enum: ROOM_ROLES })
  @IsOptional()
  @IsIn(ROOM_ROLES)
  role?: RoomRole;

  /**
   * Until then the member may read, but not write; `null` ends it. Moderators mute members, owners everyone. It
   * lasts whether or not the member leaves meanwhile.
   * @example "2026-11-20T10:00:00.000Z"
   */
  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @NullMeansSomething()
  @IsUtcTime()
  muted_until?: string | null;

  /** One's own: asks one's programs not to call for what is said here. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  notifications_muted?: boolean;
}

/** The body of `PUT /chat/rooms/{room_id}/read`. */
export class MarkReadDto {
  /** Of the last event that was read; one before the position that is known changes nothing. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 4 })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  sequence: number;
}

/** How far one has read. */
export class ReadPositionDto {
  /** @example "rom_00000000001" */
  room_id: string;

  /** Of the last event that was read. */
  @ApiProperty({ type: 'integer', example: 42 })
  read_sequence: number;

  /** Messages after it; 100 stands for as many or more. */
  @ApiProperty({ type: 'integer', example: 0 })
  unread_count: number;
}

/** Somebody in a room. */
export class MemberDto {
  /**
   * A username, or `client:<client_id>`.
   * @example "bob"
   */
  member: string;

  @ApiProperty({ enum: ROOM_ROLES })
  role: RoomRole;

  /** RFC 3339 UTC: until then it may read, but not write; null for who may do both. */
  muted_until: string | null;

  /** Of the last event that it has read. */
  @ApiProperty({ type: 'integer', example: 42 })
  read_sequence: number;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-20T09:00:00.000Z"
   */
  joined_at: string;

  /** Only of oneself: whether one's programs are asked not to call for what is said here. */
  notifications_muted?: boolean;
}

const MEMBER = columnsExcept(ChatMemberEntity, 'roomId');

/** A member as it is stored. */
export type MemberRow = RowOf<typeof MEMBER> & {
  /** Null, or a time that may be past. */
  readonly muted_until: Date | null;
};

/** Of `chat_members member LEFT JOIN chat_mutes mute`. */
export const MEMBER_COLUMNS = `${MEMBER.of('member')}, mute.muted_until`;

export function toMemberDto(row: MemberRow, name: string): MemberDto {
  const isMuted = row.muted_until !== null && row.muted_until.getTime() > Date.now();
  return {
    member: name,
    role: row.role,
    muted_until: isMuted ? row.muted_until.toISOString() : null,
    read_sequence: Number(row.read_sequence),
    joined_at: row.joined_at.toISOString(),
  };
}

/** As the member itself sees it. */
export function toOwnMemberDto(row: MemberRow, name: string): MemberDto {
  return { ...toMemberDto(row, name), notifications_muted: row.notifications_muted };
}

export function toReadPositionDto(
  roomId: string,
  readSequence: number,
  unreadCount: number,
): ReadPositionDto {
  return {
    room_id: ROOM_IDS.format(Number(roomId)),
    read_sequence: readSequence,
    unread_count: unreadCount,
  };
}
