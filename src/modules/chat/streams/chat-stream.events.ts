import type {
  CredentialClientEvents,
  ErrorServerEvents,
} from '../../../kit/realtime/socket-authentication.js';
import type { ClientEvent } from '../../../kit/realtime/socket-gateway.js';
import type { ReadPositionDto } from '../members/member.dto.js';
import type { MessageDto } from '../records/message.dto.js';
import type { PassingEvent, PassingEventType, RoomEvent, RoomEventType } from '../records/chat-event.js';
import type {
  JoinedRoomDto,
  JoinRoomDto,
  RoomReferenceDto,
  SocketMessageDto,
  SocketReactionDto,
  SocketReadDto,
} from './chat-stream.dto.js';

/** What clients of the namespace `/chat` may send. */
export interface ChatClientEvents extends CredentialClientEvents {
  'room.join': ClientEvent<JoinRoomDto, JoinedRoomDto>;
  'room.leave': ClientEvent<RoomReferenceDto, RoomReferenceDto>;
  'message.send': ClientEvent<SocketMessageDto, MessageDto>;
  'message.read': ClientEvent<SocketReadDto, ReadPositionDto>;
  'reaction.add': ClientEvent<SocketReactionDto, null>;
  'reaction.remove': ClientEvent<SocketReactionDto, null>;
  'typing.start': ClientEvent<RoomReferenceDto, null>;
  'typing.stop': ClientEvent<RoomReferenceDto, null>;
}

/** What a stream of a room tells. */
export type ChatEvents = {
  [Type in RoomEventType]: (event: RoomEvent<Type>) => void;
} & {
  [Type in PassingEventType]: (event: PassingEvent<Type>) => void;
};

/** What clients of the namespace `/chat` receive. */
export type ChatServerEvents = ChatEvents & ErrorServerEvents;
