import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { StreamTicketQueryDto } from '../../../kit/security/stream-tickets.js';
import { SendMessageDto } from '../records/message.dto.js';

const ID_LENGTH_MAX = 64;
/** In code units, as `PUT …/reactions/{emoji}` takes it at most. */
const EMOJI_LENGTH_MAX = 64;

/** Names a room. */
export class RoomReferenceDto {
  /** @example "rom_00000000001" */
  @IsString()
  @MaxLength(ID_LENGTH_MAX)
  room_id: string;
}

/** Which room to follow, and from where. */
export class JoinRoomDto extends RoomReferenceDto {
  /** The last sequence that the client has: 0 for the whole log; without it only what happens from now on. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, example: 42 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  offset?: number;
}

/** A room as it is joined. What has happened after the offset follows, and then what happens. */
export class JoinedRoomDto {
  /** @example "rom_00000000001" */
  room_id: string;
  /** The room's sequence: what comes after it has happened since. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;
  /**
   * Members who are connected, at most 100 of them.
   * @example ["alice", "bob"]
   */
  online: string[];
  /** How many members are connected. */
  @ApiProperty({ type: 'integer', example: 2 })
  online_count: number;
}

/** A message to send. */
export class SocketMessageDto extends SendMessageDto {
  /** @example "rom_00000000001" */
  @IsString()
  @MaxLength(ID_LENGTH_MAX)
  room_id: string;
}

/** How far a room has been read. */
export class SocketReadDto extends RoomReferenceDto {
  /** The last sequence that has been read. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 42 })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  sequence: number;
}

/** A reaction to a message. */
export class SocketReactionDto extends RoomReferenceDto {
  /** @example "msg_0000000002Q" */
  @IsString()
  @MaxLength(ID_LENGTH_MAX)
  message_id: string;

  /**
   * One emoji.
   * @example "👍"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(EMOJI_LENGTH_MAX)
  emoji: string;
}

/** The query of `GET /chat/rooms/{room_id}/stream`. */
export class RoomStreamQueryDto extends StreamTicketQueryDto {
  @QueryInteger(
    0,
    Number.MAX_SAFE_INTEGER,
    'The last sequence that the client has: 0 for the whole log; without it only what happens from now on. A `Last-Event-ID` says it better.',
  )
  offset?: number;
}
