import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MessageDto, SearchMessagesQueryDto } from '../records/message.dto.js';
import { MessageSearch } from './message-search.service.js';
import { CHAT_READ } from '../scopes.js';

/** What was said anywhere. */
@ApiTags('Chat')
@Controller('chat/messages')
export class ChatMessagesController {
  constructor(private readonly messages: MessageSearch) {}

  /**
   * Search messages
   * @remarks In your rooms and all public ones, or in one of them: the newest first.
   */
  @Get()
  @RequireScopes({ anyOf: [CHAT_READ] })
  @ApiPageResponse(MessageDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND.means('no such room that you may read.'))
  search(
    @ChatCaller() caller: ChatIdentity,
    @Query() query: SearchMessagesQueryDto,
  ): Promise<Page<MessageDto>> {
    return this.messages.find(caller, query);
  }
}
