import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { answer } from '../../../platform/http/idempotency/replay.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { ChatCaller } from './chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { AddMemberDto, ChangeMemberDto, MemberDto } from './member.dto.js';
import { MembersService } from './members.service.js';

const READ = { anyOf: ['chat:read'] } as const;
const WRITE = { anyOf: ['chat:write'] } as const;
const MEMBER_PARAM = {
  name: 'member',
  description: 'A username, `client:<client_id>`, or `me`.',
  example: 'bob',
};

/** Who is in a room. */
@ApiTags('Chat')
@ApiParam({ name: 'room_id', example: 'rom_00000000001' })
@Controller('chat/rooms/:room_id/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Post()
  @Idempotent()
  @RequireScopes(WRITE)
  @ApiOperation({
    summary: 'Join a public room, or bring somebody into a room',
    description:
      'Everyone may join a public room; others are brought in by its owners and moderators. Who is in the room ' +
      'already is answered with 200.',
  })
  @ApiCreatedResponse({ type: MemberDto })
  @ApiOkResponse({ type: MemberDto, description: 'Somebody who was in the room already.' })
  @ApiErrors(
    'validation_failed',
    'insufficient_scope',
    'forbidden: not an owner or moderator.',
    'not_found: no such room that you may read, or nobody of that name.',
    'limit_exceeded: the room is full.',
  )
  async add(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Body() body: AddMemberDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberDto> {
    return answer(response, await this.members.add(caller, room, body.member ?? 'me'), 200);
  }

  @Get()
  @RequireScopes(READ)
  @ApiOperation({ summary: 'List members of a room', description: 'Those who came last first.' })
  @ApiPageResponse(MemberDto)
  @ApiErrors('validation_failed', 'invalid_cursor', 'not_found: no such room that you may read.')
  list(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<MemberDto>> {
    return this.members.list(caller, room, query);
  }

  @Patch(':member')
  @RequireScopes(WRITE)
  @ApiOperation({
    summary: 'Change what a member may do, or your own choices',
    description:
      'Owners give roles; they and moderators mute; everyone decides about their own notifications.',
  })
  @ApiParam(MEMBER_PARAM)
  @ApiOkResponse({ type: MemberDto })
  @ApiErrors(
    'validation_failed',
    'insufficient_scope',
    'forbidden: your role does not allow it.',
    'not_found: no such room that you may read, or nobody of that name in it.',
    'conflict: the only owner cannot step down.',
  )
  update(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('member') member: string,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(caller, room, member, body);
  }

  @Delete(':member')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiOperation({
    summary: 'Leave a room, or remove somebody from it',
    description:
      'Moderators remove members, owners everyone. Where the only owner goes, another member becomes one.',
  })
  @ApiParam(MEMBER_PARAM)
  @ApiNoContentResponse({ description: 'The member is in the room no more.' })
  @ApiErrors(
    'insufficient_scope',
    'forbidden: your role does not allow it.',
    'not_found: no such room that you may read, or nobody of that name in it.',
    'conflict: nobody leaves a direct room.',
  )
  remove(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('member') member: string,
  ): Promise<void> {
    return this.members.remove(caller, room, member);
  }
}
