import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_SUPPORT, operators } from '../../../kit/security/operator-roles.js';
import { RoomId } from '../records/room-id.js';
import { BanMemberDto } from './ban.dto.js';
import { BansService } from './bans.service.js';

/** Rooms of the chat, as operators keep members from writing in them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_CONTENT))
@Controller('admin/chat/rooms/:room_id/mutes')
export class MutesController {
  constructor(private readonly bans: BansService) {}

  /**
   * Keep somebody from writing in a room
   * @remarks Until then they may read, but not write. A new mute replaces the one before, whoever made it.
   */
  @Post()
  @HttpCode(204)
  @Idempotent()
  @ApiErrors(
    NOT_FOUND.means('there is no such room, or nobody of that name.'),
    CONFLICT.means('a direct room belongs to its two members.'),
  )
  mute(@RoomId() room: string, @Body() body: BanMemberDto): Promise<void> {
    return this.bans.mute(room, body);
  }

  /** Let somebody write in a room again */
  @Delete(':member')
  @HttpCode(204)
  @ApiErrors(NOT_FOUND.means('there is no such room, or nobody of that name.'))
  unmute(@RoomId() room: string, @Param('member') member: string): Promise<void> {
    return this.bans.unmute(room, member);
  }
}
