import { MEMBER_BANNED } from '../errors.js';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  NOT_FOUND,
  VALIDATION_FAILED,
  INSUFFICIENT_SCOPE,
  CONFLICT,
  UNPROCESSABLE,
  INVALID_CURSOR,
  FORBIDDEN,
  LIMIT_EXCEEDED,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { RoomId } from '../records/room-id.js';
import { EmojiPipe } from './emoji.pipe.js';
import { EditMessageDto, ListMessagesQueryDto, MessageDto, SendMessageDto } from '../records/message.dto.js';
import { MessageReader } from './message-reader.js';
import { MessagesService } from './messages.service.js';
import { ReactionsService } from './reactions.service.js';
import { CHAT_READ, CHAT_WRITE } from '../scopes.js';

const READ = { anyOf: [CHAT_READ] } as const;
const WRITE = { anyOf: [CHAT_WRITE] } as const;
const MessageId = (): ParameterDecorator => PathParam('message_id', { example: 'msg_00000000001' });
const Emoji = (): ParameterDecorator =>
  PathParam('emoji', { description: 'One emoji, percent-encoded.', example: '👍' }, EmojiPipe);
const BANNED = MEMBER_BANNED.means('an operator keeps you out of the room.');
const MAY_NOT_WRITE = FORBIDDEN.means('not in the room, or muted.');
const NO_EMOJI = VALIDATION_FAILED.means('not one emoji.');

/** What is said in a room. */
@ApiTags('Chat')
@ApiErrors(NOT_FOUND.means('no such room, or message, that you may read.'))
@Controller('chat/rooms/:room_id/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly reader: MessageReader,
    private readonly reactions: ReactionsService,
  ) {}

  /**
   * Send a message
   * @remarks Whoever is in the room can. Sent again under its `client_message_id` it is answered with 200.
   */
  @Post()
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiCreatedResponse({ type: MessageDto })
  @ApiOkResponse({ type: MessageDto, description: 'The message that was sent before.' })
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    MAY_NOT_WRITE,
    BANNED,
    CONFLICT.means('another message has the `client_message_id`, or the parent was deleted.'),
    UNPROCESSABLE.means('the parent is in a thread itself.'),
  )
  async send(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Body() body: SendMessageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageDto> {
    return answer(response, await this.messages.send(caller, room, body), 200);
  }

  /**
   * List messages of a room
   * @remarks Newest first; deleted ones keep their places. With `after` the pages go on to what is newer,
   * otherwise to what is older.
   */
  @Get()
  @RequireScopes(READ)
  @ApiPageResponse(MessageDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @Query() query: ListMessagesQueryDto,
  ): Promise<Page<MessageDto>> {
    return this.reader.list(caller, room, query);
  }

  /** Get a message */
  @Get(':message_id')
  @RequireScopes(READ)
  get(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MessageId() message: string,
  ): Promise<MessageDto> {
    return this.reader.get(caller, room, message);
  }

  /**
   * Change the text of a message
   * @remarks One’s own.
   */
  @Patch(':message_id')
  @RequireScopes(WRITE)
  @ApiErrors(
    VALIDATION_FAILED,
    INSUFFICIENT_SCOPE,
    FORBIDDEN.means('not yours, or muted.'),
    BANNED,
    CONFLICT.means('it was deleted.'),
    LIMIT_EXCEEDED.means('it was changed too often.'),
  )
  edit(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MessageId() message: string,
    @Body() body: EditMessageDto,
  ): Promise<MessageDto> {
    return this.messages.edit(caller, room, message, body);
  }

  /**
   * Delete a message
   * @remarks One’s own, or as a moderator anyone’s. Its place remains; what it said is erased everywhere.
   */
  @Delete(':message_id')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiNoContentResponse({ description: 'The message is deleted.' })
  @ApiErrors(INSUFFICIENT_SCOPE, FORBIDDEN.means('not yours.'))
  remove(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MessageId() message: string,
  ): Promise<void> {
    return this.messages.remove(caller, room, message);
  }

  /**
   * React to a message
   * @remarks With each emoji once.
   */
  @Put(':message_id/reactions/:emoji')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiNoContentResponse({ description: 'The reaction stands.' })
  @ApiErrors(
    NO_EMOJI,
    INSUFFICIENT_SCOPE,
    MAY_NOT_WRITE,
    BANNED,
    CONFLICT.means('the message was deleted.'),
    LIMIT_EXCEEDED.means('it has too many different emojis.'),
  )
  react(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MessageId() message: string,
    @Emoji() emoji: string,
  ): Promise<void> {
    return this.reactions.add(caller, room, message, emoji);
  }

  /**
   * Take a reaction back
   * @remarks One’s own.
   */
  @Delete(':message_id/reactions/:emoji')
  @HttpCode(204)
  @RequireScopes(WRITE)
  @ApiNoContentResponse({ description: 'There is no such reaction of yours any more.' })
  @ApiErrors(NO_EMOJI, INSUFFICIENT_SCOPE, MAY_NOT_WRITE, BANNED)
  unreact(
    @ChatCaller() caller: ChatIdentity,
    @RoomId() room: string,
    @MessageId() message: string,
    @Emoji() emoji: string,
  ): Promise<void> {
    return this.reactions.remove(caller, room, message, emoji);
  }
}
