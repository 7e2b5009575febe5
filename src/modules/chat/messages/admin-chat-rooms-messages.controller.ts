import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_SUPPORT, operators } from '../../../kit/security/operator-roles.js';
import { RoomId } from '../records/room-id.js';
import { MessagesService } from './messages.service.js';

/** Messages of the chat, as operators take them out of rooms. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_CONTENT))
@Controller('admin/chat/rooms')
export class AdminChatRoomsMessagesController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Delete a message of anybody
   * @remarks Its place remains; what it said is erased everywhere.
   */
  @Delete(':room_id/messages/:message_id')
  @HttpCode(204)
  @ApiErrors(
    NOT_FOUND.means('there is no such room, or no such message in it.'),
    CONFLICT.means('a direct room belongs to its two members.'),
  )
  delete(@RoomId() room: string, @Param('message_id') message: string): Promise<void> {
    return this.messages.moderate(room, message);
  }
}
