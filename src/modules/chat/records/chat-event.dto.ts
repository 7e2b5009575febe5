import { ApiProperty } from '@nestjs/swagger';
import { ROOM_ROLES, type RoomRole } from './chat-member.entity.js';

/** What passing events say beside their type and their data. */
export class PassingEventEnvelopeDto {
  /** @example "rom_00000000001" */
  room_id: string;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** What every event of a room's log says beside its type and its data. */
export class RoomEventEnvelopeDto {
  /** @example "rom_00000000001" */
  room_id: string;
  /** Within the room: one more than that of the event before it. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** One reaction of one member to one message. */
export class ReactionEventDto {
  /** @example "msg_0000000002Q" */
  message_id: string;
  /** @example "👍" */
  emoji: string;
  /**
   * Who reacted: a username, or `client:<client_id>`.
   * @example "alice"
   */
  member: string;
}

/** Somebody has become a member, or a member's role has changed. */
export class MemberAddedEventDto {
  /** @example "bob" */
  member: string;
  @ApiProperty({ enum: ROOM_ROLES, example: 'member' })
  role: RoomRole;
}

/** Somebody has left, or was removed. */
export class MemberRemovedEventDto {
  /** @example "bob" */
  member: string;
}

/** How far a member has read. */
export class MessageReadEventDto {
  /** @example "alice" */
  member: string;
  /** The last sequence of the room that the member has read. */
  @ApiProperty({ type: 'integer', example: 42 })
  read_sequence: number;
}

/** Who types, or has stopped. */
export class TypingEventDto {
  /** @example "alice" */
  member: string;
}

/** Who has come and gone since the last such event; many at once are told by their number alone. */
export class PresenceEventDto {
  /**
   * Members who have connected, at most 100 of them.
   * @example ["alice"]
   */
  online: string[];
  /**
   * Members whose last connection has ended, at most 100 of them.
   * @example ["bob"]
   */
  offline: string[];
  /** How many members are connected now. */
  @ApiProperty({ type: 'integer', example: 2 })
  online_count: number;
}
