import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
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
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { EmojiPipe } from './emoji.pipe.js';
import { EditMessageDto, ListMessagesQueryDto, MessageDto, SendMessageDto } from '../records/message.dto.js';
import { MessageReader } from './message-reader.js';
import { MessagesService } from './messages.service.js';
import { ReactionsService } from './reactions.service.js';

const READ = { anyOf: ['chat:read'] } as const;
const WRITE = { anyOf: ['chat:write'] } as const;
const MESSAGE_PARAM = { name: 'message_id', example: 'msg_00000000001' };
const EMOJI_PARAM = { name: 'emoji', description: 'One emoji, percent-encoded.', example: '👍' };

/** What is said in a room. */
@ApiTags('Chat')
@ApiParam({ name: 'room_id', example: 'rom_00000000001' })
@ApiErrors('not_found: no such room, or message, that you may read.')
@Controller('chat/rooms/:room_id/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly reader: MessageReader,
    private readonly reactions: ReactionsService,
  ) {}

  @Post()
  @Idempotent()
  @RequireScopes(WRITE)
  @ApiOperation({
    summary: 'Send a message',
    description:
      'Whoever is in the room can. Sent again under its `client_message_id` it is answered with 200.',
  })
  @ApiCreatedResponse({ type: MessageDto })
  @ApiOkResponse({ type: MessageDto, description: 'The message that was sent before.' })
  @ApiErrors(
    'validation_failed',
    'insufficient_scope',
    'forbidden: not in the room, or muted.',
    'conflict: another message has the `client_message_id`, or the parent was deleted.',
    'unprocessable: the parent is in a thread itself.',
  )
  async send(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Body() body: SendMessageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto> {
    return answer(response, await this.messages.send(caller, room, body), 200);
  }

  @Get()
  @RequireScopes(READ)
  @ApiOperation({
    summary: 'List messages of a room',
    description:
      'Newest first; deleted ones keep their places. With `after` the pages go on to what is newer, otherwise ' +
      'to what is older.',
  })
  @ApiPageResponse(MessageDto)
  @ApiErrors('validation_failed', 'invalid_cursor')
  list(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Query() query: ListMessagesQueryDto,
  ): Promise<Page<MessageDto>> {
    return this.reader.list(caller, room, query);
  }

  @Get(':message_id')
  @RequireScopes(READ)
  @ApiOperation({ summary: 'Get a message' })
  @ApiParam(MESSAGE_PARAM)
  @ApiOkResponse({ type: MessageDto })
  get(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('message_id') message: string,
  ): Promise<MessageDto> {
    return this.reader.get(caller, room, message);
  }

  @Patch(':message_id')
  @RequireScopes(WRITE)
  @ApiOperation({ summary: 'Change the text of a message', description: 'One’s own.' })
  @ApiParam(MESSAGE_PARAM)
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors(
    'validation_failed',
    'insufficient_scope',
    'forbidden: not yours, or muted.',
    'conflict: it was deleted.',
    'limit_exceeded: it was changed too often.',
  )
  edit(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('message_id') message: string,
    @Body() body: EditMessageDto,
  ): Promise<MessageDto> {
    return this.messages.edit(caller, room, message, body);
  }

  @Delete(':message_id')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiOperation({
    summary: 'Delete a message',
    description:
      'One’s own, or as a moderator anyone’s. Its place remains; what it said is erased everywhere.',
  })
  @ApiParam(MESSAGE_PARAM)
  @ApiNoContentResponse({ description: 'The message is deleted.' })
  @ApiErrors('insufficient_scope', 'forbidden: not yours.')
  remove(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('message_id') message: string,
  ): Promise<void> {
    return this.messages.remove(caller, room, message);
  }

  @Put(':message_id/reactions/:emoji')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiOperation({ summary: 'React to a message', description: 'With each emoji once.' })
  @ApiParam(MESSAGE_PARAM)
  @ApiParam(EMOJI_PARAM)
  @ApiNoContentResponse({ description: 'The reaction stands.' })
  @ApiErrors(
    'validation_failed: not one emoji.',
    'insufficient_scope',
    'forbidden: not in the room, or muted.',
    'conflict: the message was deleted.',
    'limit_exceeded: it has too many different emojis.',
  )
  react(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('message_id') message: string,
    @Param('emoji', EmojiPipe) emoji: string,
  ): Promise<void> {
    return this.reactions.add(caller, room, message, emoji);
  }

  @Delete(':message_id/reactions/:emoji')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiOperation({ summary: 'Take a reaction back', description: 'One’s own.' })
  @ApiParam(MESSAGE_PARAM)
  @ApiParam(EMOJI_PARAM)
  @ApiNoContentResponse({ description: 'There is no such reaction of yours any more.' })
  @ApiErrors(
    'validation_failed: not one emoji.',
    'insufficient_scope',
    'forbidden: not in the room, or muted.',
  )
  unreact(
    @ChatCaller() caller: ChatIdentity,
    @Param('room_id') room: string,
    @Param('message_id') message: string,
    @Param('emoji', EmojiPipe) emoji: string,
  ): Promise<void> {
    return this.reactions.remove(caller, room, message, emoji);
  }
}
