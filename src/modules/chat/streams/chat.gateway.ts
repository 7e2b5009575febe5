import { Injectable } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayInit,
  SubscribeMessage,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { DescribesChannels } from '../../../kit/realtime/asyncapi/event-catalogue.js';
import { type AuthenticatedSocketData } from '../../../kit/realtime/socket-authentication.js';
import { SocketConnections } from '../../../kit/realtime/socket-connections.js';
import { SocketGateway } from '../../../kit/realtime/socket-gateway.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { grants } from '../../../kit/security/scope.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import type { ReadPositionDto } from '../members/member.dto.js';
import { MembersService } from '../members/members.service.js';
import { ReadPositionsService } from '../members/read-positions.service.js';
import { emojiOf } from '../messages/emoji.js';
import type { MessageDto } from '../records/message.dto.js';
import { MessagesService } from '../messages/messages.service.js';
import { ReactionsService } from '../messages/reactions.service.js';
import { RoomFeed } from '../log/room-feed.js';
import type { AdmittedRoom } from '../log/room-subscription.js';
import { CHAT_REQUIREMENT, CHAT_SOCKET, WRITING_REQUIREMENT } from './chat-channels.js';
import {
  type JoinedRoomDto,
  JoinRoomDto,
  RoomReferenceDto,
  SocketMessageDto,
  SocketReactionDto,
  SocketReadDto,
} from './chat-stream.dto.js';
import type { ChatClientEvents, ChatServerEvents } from './chat-stream.events.js';
import { RoomAdmission } from './room-admission.js';
import { RoomPresence } from './room-presence.js';
import { RoomSubscriptions } from './room-subscriptions.js';
import { RoomTyping } from './room-typing.js';

type ChatNamespace = Namespace<ChatClientEvents, ChatServerEvents, DefaultEventsMap, AuthenticatedSocketData>;
type ChatSocket = Socket<ChatClientEvents, ChatServerEvents, DefaultEventsMap, AuthenticatedSocketData>;

/** Of one socket. */
const ROOMS_MAX = 200;

/** The namespace `/chat`: what members do in their rooms, and what happens there, through one socket. */
@SocketGateway('/chat', CHAT_REQUIREMENT)
@DescribesChannels(CHAT_SOCKET)
@RequireScopes(WRITING_REQUIREMENT)
@Injectable()
export class ChatGateway implements OnGatewayInit<ChatNamespace>, OnGatewayConnection<ChatSocket> {
  constructor(
    private readonly admission: RoomAdmission,
    private readonly connections: SocketConnections,
    private readonly feed: RoomFeed,
    private readonly subscriptions: RoomSubscriptions,
    private readonly presence: RoomPresence,
    private readonly typing: RoomTyping,
    private readonly messages: MessagesService,
    private readonly members: MembersService,
    private readonly reactions: ReactionsService,
    private readonly readPositions: ReadPositionsService,
  ) {}

  afterInit(namespace: ChatNamespace): void {
    this.feed.broadcast.serve(namespace);
  }

  handleConnection(socket: ChatSocket): void {
    this.connections.open(socket);
    socket.once('disconnect', () => this.typing.stopAllOf(socket));
  }

  /**
   * Subscribes to a room. A caller with the right to write becomes a member of a public one. Throws `not_found` (404),
   * `unprocessable` (422) for an offset beyond the end of the log, `limit_exceeded` (422) for too many rooms.
   */
  @SubscribeMessage('room.join')
  @RequireScopes(CHAT_REQUIREMENT)
  async join(
    @ConnectedSocket() socket: ChatSocket,
    @ChatCaller() reader: ChatIdentity,
    @CurrentPrincipal() { scopes }: Principal,
    @MessageBody() { room_id: room, offset }: JoinRoomDto,
  ): Promise<JoinedRoomDto> {
    let admitted = await this.admission.admit(reader, room, offset);
    if (!admitted.isMember && grants(scopes, WRITING_REQUIREMENT)) {
      await this.members.join(reader, room);
      admitted = await this.admission.admit(reader, room, offset);
    }
    // A client that is subscribed already and names no cursor keeps its position.
    if (offset !== undefined || this.connections.of(socket)?.subscriptions.has(admitted.roomId) !== true) {
      this.subscribe(socket, admitted);
    }
    return this.described(admitted);
  }

  /** Follows a room no longer; members stay members. */
  @SubscribeMessage('room.leave')
  @RequireScopes(CHAT_REQUIREMENT)
  leave(
    @ConnectedSocket() socket: ChatSocket,
    @MessageBody() { room_id: room }: RoomReferenceDto,
  ): RoomReferenceDto {
    this.connections.of(socket)?.subscriptions.get(room)?.end();
    this.typing.stop(room, socket);
    return { room_id: room };
  }

  /** Answers the message, or the one that was sent before under the same id. Throws as `MessagesService.send`. */
  @SubscribeMessage('message.send')
  async send(
    @ConnectedSocket() socket: ChatSocket,
    @ChatCaller() caller: ChatIdentity,
    @MessageBody() { room_id: room, ...message }: SocketMessageDto,
  ): Promise<MessageDto> {
    const { body } = await this.messages.send(caller, room, message);
    this.typing.stop(room, socket);
    return body;
  }

  @SubscribeMessage('message.read')
  read(
    @ChatCaller() caller: ChatIdentity,
    @MessageBody() { room_id: room, sequence }: SocketReadDto,
  ): Promise<ReadPositionDto> {
    return this.readPositions.markRead(caller, room, sequence);
  }

  @SubscribeMessage('reaction.add')
  async react(
    @ChatCaller() caller: ChatIdentity,
    @MessageBody() { room_id: room, message_id: message, emoji }: SocketReactionDto,
  ): Promise<null> {
    await this.reactions.add(caller, room, message, emojiOf(emoji));
    return null;
  }

  @SubscribeMessage('reaction.remove')
  async takeBack(
    @ChatCaller() caller: ChatIdentity,
    @MessageBody() { room_id: room, message_id: message, emoji }: SocketReactionDto,
  ): Promise<null> {
    await this.reactions.remove(caller, room, message, emojiOf(emoji));
    return null;
  }

  /** Throws `not_found` (404), and `forbidden` (403) for who is no member or is muted. */
  @SubscribeMessage('typing.start')
  async startTyping(
    @ConnectedSocket() socket: ChatSocket,
    @ChatCaller() caller: ChatIdentity,
    @MessageBody() { room_id: room }: RoomReferenceDto,
  ): Promise<null> {
    await this.admission.requireWriting(caller, room);
    if (socket.connected) this.typing.start(room, caller.name, socket);
    return null;
  }

  @SubscribeMessage('typing.stop')
  stopTyping(
    @ConnectedSocket() socket: ChatSocket,
    @MessageBody() { room_id: room }: RoomReferenceDto,
  ): null {
    this.typing.stop(room, socket);
    return null;
  }

  /** Starts after the request's acknowledgement was sent. */
  private subscribe(socket: ChatSocket, room: AdmittedRoom): void {
    const connection = this.connections.of(socket);
    if (connection === undefined) return;
    const { subscriptions } = connection;
    if (subscriptions.size >= ROOMS_MAX && !subscriptions.has(room.roomId)) {
      throw new ApiError(
        LIMIT_EXCEEDED,
        `A socket follows at most ${ROOMS_MAX} rooms; leave one, or open another.`,
      );
    }
    const subscription = this.subscriptions.open(room, connection);
    setImmediate(() => this.subscriptions.start(subscription));
  }

  private described({ roomId, sequence }: AdmittedRoom): JoinedRoomDto {
    return { room_id: roomId, sequence, ...this.presence.onlineIn(roomId) };
  }
}
