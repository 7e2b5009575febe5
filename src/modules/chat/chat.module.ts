import * as ERROR_CODES from './errors.js';
import { AuthModule } from '../auth/auth.module.js';
import { UsersModule } from '../users/users.module.js';
import { BansController } from './members/bans.controller.js';
import { MutesController } from './members/mutes.controller.js';
import { BansService } from './members/bans.service.js';
import { ChatBanEntity, ChatMemberEntity, ChatMuteEntity } from './records/chat-member.entity.js';
import { MemberDirectory } from './members/member-directory.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { ReadPositionsService } from './members/read-positions.service.js';
import { ChatMessageEntity, ChatReactionEntity } from './records/chat-message.entity.js';
import { AdminChatRoomsMessagesController } from './messages/admin-chat-rooms-messages.controller.js';
import { MessageQueue } from './messages/message-queue.js';
import { MessageReader } from './messages/message-reader.js';
import { ChatMessagesController } from './messages/chat-messages.controller.js';
import { MessageSearch } from './messages/message-search.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesService } from './messages/messages.service.js';
import { ReactionsService } from './messages/reactions.service.js';
import { ChatEventEntity } from './records/chat-event.entity.js';
import { ChatRoomEntity } from './records/chat-room.entity.js';
import { RoomAccess } from './log/room-access.js';
import { RoomLog } from './log/room-log.js';
import { IdleRooms } from './rooms/idle-rooms.js';
import { RoomReader } from './rooms/room-reader.js';
import { RoomQueue } from './log/room-queue.js';
import { RoomWriter } from './log/room-writer.js';
import { RoomsController } from './rooms/rooms.controller.js';
import { RoomsService } from './rooms/rooms.service.js';
import { ChatGateway } from './streams/chat.gateway.js';
import { RoomAdmission } from './streams/room-admission.js';
import { RoomFeed } from './log/room-feed.js';
import { RoomPresence } from './streams/room-presence.js';
import { RoomsStreamController } from './streams/rooms-stream.controller.js';
import { RoomSubscriptions } from './streams/room-subscriptions.js';
import { RoomTyping } from './streams/room-typing.js';
import { ChatAnnouncedRoomEntity } from './webhook-events/chat-announced-room.entity.js';
import { MessageAnnouncer } from './webhook-events/message-announcer.js';
import { MESSAGE_NEW } from './webhook-events/message-events.js';
import { ChatPersonalData } from './chat-personal-data.js';
import { OwnMessages } from './messages/own-messages.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { MESSAGE_IDS, ROOM_IDS } from './ids.js';
import { CHAT_READ, CHAT_WRITE } from './scopes.js';
import { RETENTION_IDLE_ROOMS_DAYS } from './rooms/idle-rooms-setting.js';
import { ChatDemo } from './chat-demo.js';
import { ChatBaseline1780000000640 } from './migrations/1780000000640-baseline.js';
import { MessageFields1780000050200 } from './migrations/1780000050200-message-fields.js';

/** The Chat group: rooms, their members and messages, and the streams that tell of them. */
@TradepostModule({
  name: 'chat',
  errorCodes: Object.values(ERROR_CODES),
  demoData: [ChatDemo],
  settings: [RETENTION_IDLE_ROOMS_DAYS],
  scopes: [CHAT_READ, CHAT_WRITE],
  idPrefixes: [ROOM_IDS, MESSAGE_IDS],
  webhookEvents: [MESSAGE_NEW],
  personalData: [ChatPersonalData],
  duties: [IdleRooms, MessageAnnouncer],
  entities: [
    ChatRoomEntity,
    ChatMemberEntity,
    ChatMuteEntity,
    ChatBanEntity,
    ChatMessageEntity,
    ChatReactionEntity,
    ChatEventEntity,
    ChatAnnouncedRoomEntity,
  ],
  migrations: [ChatBaseline1780000000640, MessageFields1780000050200],
  imports: [AuthModule, UsersModule, WebhooksModule],
  controllers: [
    RoomsController,
    MembersController,
    BansController,
    MutesController,
    AdminChatRoomsMessagesController,
    MessagesController,
    ChatMessagesController,
    RoomsStreamController,
  ],
  providers: [
    MemberDirectory,
    RoomAccess,
    RoomLog,
    RoomQueue,
    RoomWriter,
    RoomReader,
    RoomsService,
    MembersService,
    BansService,
    ReadPositionsService,
    MessageQueue,
    MessageReader,
    MessageSearch,
    MessagesService,
    ReactionsService,
    OwnMessages,
    RoomFeed,
    RoomAdmission,
    RoomPresence,
    RoomTyping,
    RoomSubscriptions,
    ChatGateway,
  ],
})
export class ChatModule {}
