import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  VALIDATION_FAILED,
  INSUFFICIENT_SCOPE,
  FORBIDDEN,
  NOT_FOUND,
  LIMIT_EXCEEDED,
  INVALID_CURSOR,
  CONFLICT,
} from '../../../kit/http/error-codes.js';
import { MEMBER_BANNED } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { ChatCaller } from './chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { RoomId } from '../records/room-id.js';
import { AddMemberDto, ChangeMemberDto, MemberDto } from './member.dto.js';
import { MembersService } from './members.service.js';
import { CHAT_READ, CHAT_WRITE } from '../scopes.js';

const READ = { anyOf: [CHAT_READ] } as const;
const WRITE = { anyOf: [CHAT_WRITE] } as const;
const MemberName = (): ParameterDecorator =>
  PathParam('member', { description: 'A username, `client:<client_id>`, or `me`.', example: 'bob' });
const LOWER_ROLE = FORBIDDEN.means('your role does not allow it.');
const NO_MEMBER = NOT_FOUND.means('no such room that you may read, or nobody of that name in it.');

/** Who is in a room. */
@ApiTags('Chat')
@Controller('chat/rooms/:room_id/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /**
   * Join a public room, or bring somebody into a room
   * @remarks Everyone may join a public room; others are brought in by its owners and moderators. Who is in
   * the room already is answered with 200.
   */
  @Post()
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiCreatedResponse({ type: MemberDto })
  @ApiOkResponse({ type: MemberDto, description: 'Somebody who was in the room already.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    FORBIDDEN.means('not an owner or moderator.'),
    MEMBER_BANNED.means('an operator keeps them out of the room.'),
    NOT_FOUND.means('no such room that you may read, or nobody of that name.'),
    LIMIT_EXCEEDED.means('the room is full.'),
  )
  async add(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Body() body: AddMemberDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberDto> {
    return answer(response, await this.members.add(caller, room, body.member ?? 'me'), 200);
  }

  /**
   * List members of a room
   * @remarks Those who came last first.
   */
  @Get()
  @RequireScopes(READ)
  @ApiPageResponse(MemberDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND.means('no such room that you may read.'))
  list(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<MemberDto>> {
    return this.members.list(caller, room, query);
  }

  /**
   * Change what a member may do, or your own choices
   * @remarks Owners give roles; they and moderators mute; everyone decides about their own notifications.
   */
  @Patch(':member')
  @RequireScopes(WRITE)
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    LOWER_ROLE,
    NO_MEMBER,
    CONFLICT.means('the only owner cannot step down.'),
  )
  update(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MemberName() member: string,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(caller, room, member, body);
  }

  /**
   * Leave a room, or remove somebody from it
   * @remarks Moderators remove members, owners everyone. Where the only owner goes, another member becomes
   * one.
   */
  @Delete(':member')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiNoContentResponse({ description: 'The member is in the room no more.' })
  @ApiErrors(INSUFFICIENT_SCOPE, LOWER_ROLE, NO_MEMBER, CONFLICT.means('nobody leaves a direct room.'))
  remove(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MemberName() member: string,
  ): Promise<void> {
    return this.members.remove(caller, room, member);
  }
}
