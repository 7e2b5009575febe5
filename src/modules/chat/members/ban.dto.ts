import { IsString, MaxLength, MinLength } from 'class-validator';
import type { ChatBanEntity } from '../records/chat-member.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { MEMBER_NAME_LENGTH_MAX } from './member.dto.js';

/** The body of `POST /admin/chat/rooms/{room_id}/bans` and of `…/mutes`. */
export class BanMemberDto {
  /**
   * A username, or `client:<client_id>`; need not be in the room.
   * @example "bob"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(MEMBER_NAME_LENGTH_MAX)
  member: string;

  /**
   * Must be ahead.
   * @example "2999-01-01T00:00:00.000Z"
   */
  @IsUtcTime()
  until: string;

  /**
   * Why, for the operators' own records.
   * @example "Sells what is not for sale"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  reason: string;
}

/** Somebody whom operators keep out of a room. */
export class BanDto {
  /** @example "rom_00000000001" */
  room_id: string;
  /** @example "bob" */
  member: string;
  /** RFC 3339, UTC. */
  until: string;
  /** @example "Sells what is not for sale" */
  reason: string;
  /**
   * The operator.
   * @example "user:1"
   */
  banned_by: string;
  /** RFC 3339, UTC. */
  banned_at: string;
}

export function toBanDto(ban: ChatBanEntity, room: string, member: string): BanDto {
  return {
    room_id: room,
    member,
    until: ban.bannedUntil.toISOString(),
    ...fieldsOf(ban, 'reason', 'bannedBy', 'bannedAt'),
  };
}
