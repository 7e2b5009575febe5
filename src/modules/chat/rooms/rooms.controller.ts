import { Body, Controller, Get, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  VALIDATION_FAILED,
  NOT_FOUND,
  LIMIT_EXCEEDED,
  INVALID_CURSOR,
  INSUFFICIENT_SCOPE,
  FORBIDDEN,
  UNPROCESSABLE,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MarkReadDto, ReadPositionDto } from '../members/member.dto.js';
import { ReadPositionsService } from '../members/read-positions.service.js';
import type { RoomEvent } from '../records/chat-event.js';
import { RoomId } from '../records/room-id.js';
import {
  CreateRoomDto,
  ListEventsQueryDto,
  ListRoomsQueryDto,
  RenameRoomDto,
  RoomDto,
  RoomEventDto,
} from './room.dto.js';
import { RoomReader } from './room-reader.js';
import { RoomsService } from './rooms.service.js';
import { CHAT_READ, CHAT_WRITE } from '../scopes.js';

const READ = { anyOf: [CHAT_READ] } as const;
const WRITE = { anyOf: [CHAT_WRITE] } as const;
const NO_ROOM = NOT_FOUND.means('no such room that you may read.');

/** Rooms of the chat. */
@ApiTags('Chat')
@Controller('chat/rooms')
export class RoomsController {
  constructor(
    private readonly rooms: RoomsService,
    private readonly reader: RoomReader,
    private readonly readPositions: ReadPositionsService,
  ) {}

  /**
   * Create a room
   * @remarks You become its owner. Of direct rooms there is one for each two: it is answered with 200 where
   * they have it.
   */
  @Post()
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiCreatedResponse({ type: RoomDto })
  @ApiOkResponse({ type: RoomDto, description: 'The direct room that the two have already.' })
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means('nobody is called as one of the members.'),
    LIMIT_EXCEEDED.means('you have made too many rooms.'),
  )
  async create(
    @ChatCaller() caller: ChatIdentity,
    @Body() body: CreateRoomDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RoomDto> {
    return answer(response, await this.rooms.create(caller, body), 200);
  }

  /**
   * List rooms
   * @remarks Those that you are in and all public ones, or those of one member: the rooms that were made
   * last come first.
   */
  @Get()
  @RequireScopes(READ)
  @ApiPageResponse(RoomDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@ChatCaller() caller: ChatIdentity, @Query() query: ListRoomsQueryDto): Promise<Page<RoomDto>> {
    return this.reader.list(caller, query);
  }

  /** Get a room */
  @Get(':room_id')
  @RequireScopes(READ)
  @ApiErrors(NO_ROOM)
  get(@ChatCaller() caller: ChatIdentity, @RoomId() room: string): Promise<RoomDto> {
    return this.reader.get(caller, room);
  }

  /**
   * Rename a room
   * @remarks As its owners and moderators may.
   */
  @Patch(':room_id')
  @RequireScopes(WRITE)
  @ApiErrors(VALIDATION_FAILED, INSUFFICIENT_SCOPE, FORBIDDEN.means('not an owner or moderator.'), NO_ROOM)
  rename(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Body() body: RenameRoomDto,
  ): Promise<RoomDto> {
    return this.rooms.rename(caller, room, body);
  }

  /**
   * List events of a room
   * @remarks All that has happened in it, the oldest first: what the streams tell, without gaps or repeats.
   */
  @Get(':room_id/events')
  @RequireScopes(READ)
  @ApiPageResponse(RoomEventDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR, NO_ROOM)
  listEvents(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Query() query: ListEventsQueryDto,
  ): Promise<Page<RoomEvent>> {
    return this.reader.listEvents(caller, room, query);
  }

  /**
   * Mark a room as read
   * @remarks Up to the event of a sequence. A position never goes back; what you write marks what was
   * before.
   */
  @Put(':room_id/read')
  @RequireScopes(WRITE)
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    FORBIDDEN.means('not in the room.'),
    NO_ROOM,
    UNPROCESSABLE.means('the room has no such sequence yet.'),
  )
  markRead(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Body() { sequence }: MarkReadDto,
  ): Promise<ReadPositionDto> {
    return this.readPositions.markRead(caller, room, sequence);
  }
}
