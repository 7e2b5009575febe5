import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_SUPPORT, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { RoomId } from '../records/room-id.js';
import { BanDto, BanMemberDto } from './ban.dto.js';
import { BansService } from './bans.service.js';

const NO_ROOM = NOT_FOUND.means('there is no such room.');

/** Rooms of the chat, as operators keep members out of them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_CONTENT))
@Controller('admin/chat/rooms/:room_id/bans')
export class BansController {
  constructor(private readonly bans: BansService) {}

  /** List who is banned from a room now */
  @Get()
  @ApiPageResponse(BanDto)
  @ApiErrors(NO_ROOM)
  list(@RoomId() room: string, @Query() query: PageQueryDto): Promise<Page<BanDto>> {
    return this.bans.list(room, query);
  }

  /**
   * Ban somebody from a room
   * @remarks Until then they are no member and cannot join, write or react (403 `member_banned`). Their sockets and
   * streams of the room get `member.removed`, and end. A new ban replaces the one before.
   */
  @Post()
  @Idempotent()
  @ApiErrors(
    NOT_FOUND.means('there is no such room, or nobody of that name.'),
    CONFLICT.means('a direct room belongs to its two members.'),
  )
  ban(
    @CurrentPrincipal() principal: Principal,
    @RoomId() room: string,
    @Body() body: BanMemberDto,
  ): Promise<BanDto> {
    return this.bans.ban(principal, room, body);
  }

  /**
   * End a ban
   * @remarks They join anew if they want to.
   */
  @Delete(':member')
  @HttpCode(204)
  @ApiErrors(NOT_FOUND.means('there is no such room, or nobody of that name is banned from it.'))
  lift(@RoomId() room: string, @Param('member') member: string): Promise<void> {
    return this.bans.lift(room, member);
  }
}
