import {
  serverEvents,
  socketChannel,
  streamChannel,
} from '../../../kit/realtime/asyncapi/event-catalogue.js';
import type { ScopeRequirement } from '../../../kit/security/scope.js';
import { ReadPositionDto } from '../members/member.dto.js';
import { MessageDto } from '../records/message.dto.js';
import {
  MemberAddedEventDto,
  MemberRemovedEventDto,
  MessageReadEventDto,
  PassingEventEnvelopeDto,
  PresenceEventDto,
  ReactionEventDto,
  RoomEventEnvelopeDto,
  TypingEventDto,
} from '../records/chat-event.dto.js';
import {
  JoinedRoomDto,
  JoinRoomDto,
  RoomReferenceDto,
  SocketMessageDto,
  SocketReactionDto,
  SocketReadDto,
} from './chat-stream.dto.js';
import type { ChatClientEvents, ChatEvents } from './chat-stream.events.js';
import { CHAT_READ, CHAT_WRITE } from '../scopes.js';

/** What it takes to connect, and to follow a room. */
export const CHAT_REQUIREMENT: ScopeRequirement = { anyOf: [CHAT_READ] };

/** What it takes to change anything. */
export const WRITING_REQUIREMENT: ScopeRequirement = { anyOf: [CHAT_WRITE] };

const stored = RoomEventEnvelopeDto;
const passing = PassingEventEnvelopeDto;

const EVENTS = serverEvents<ChatEvents>({
  'message.new': { summary: 'A message was sent', envelope: stored, data: MessageDto },
  'message.updated': { summary: 'A message was changed by its author', envelope: stored, data: MessageDto },
  'message.deleted': { summary: 'A message was deleted', envelope: stored, data: MessageDto },
  'reaction.new': { summary: 'A member reacted to a message', envelope: stored, data: ReactionEventDto },
  'reaction.deleted': { summary: 'A reaction was taken back', envelope: stored, data: ReactionEventDto },
  'member.added': { summary: 'Somebody has become a member', envelope: stored, data: MemberAddedEventDto },
  'member.removed': {
    summary: 'Somebody has left or was removed',
    envelope: stored,
    data: MemberRemovedEventDto,
  },
  'message.read': {
    summary: 'A member has read up to a sequence',
    envelope: stored,
    data: MessageReadEventDto,
  },
  'typing.start': { summary: 'A member has begun to type', envelope: passing, data: TypingEventDto },
  'typing.stop': { summary: 'A member types no longer', envelope: passing, data: TypingEventDto },
  'presence.changed': {
    summary: 'Members have connected or gone; changes are told together',
    envelope: passing,
    data: PresenceEventDto,
  },
});

export const CHAT_SOCKET = socketChannel<ChatClientEvents, ChatEvents>({
  namespace: '/chat',
  title: 'Chat',
  description:
    'Any number of rooms through one socket. Of each room that is joined come the events after the offset, and then ' +
    'those that happen, each once and in order. A client that reads too slowly is sent nothing until it has caught ' +
    'up, and then what it has missed; who does not catch up is disconnected. What writes needs the scope `chat:write`.',
  requirement: CHAT_REQUIREMENT,
  receives: {
    'room.join': {
      summary: 'Follow a room, from an offset; joins it as a member where it is public',
      message: JoinRoomDto,
      answer: JoinedRoomDto,
    },
    'room.leave': {
      summary: 'Follow a room no longer; its members stay members',
      message: RoomReferenceDto,
      answer: RoomReferenceDto,
    },
    'message.send': { summary: 'Send a message', message: SocketMessageDto, answer: MessageDto },
    'message.read': { summary: 'Say how far one has read', message: SocketReadDto, answer: ReadPositionDto },
    'reaction.add': { summary: 'React to a message', message: SocketReactionDto, answer: null },
    'reaction.remove': { summary: 'Take a reaction back', message: SocketReactionDto, answer: null },
    'typing.start': {
      summary: 'Say that one types, again every few seconds',
      message: RoomReferenceDto,
      answer: null,
    },
    'typing.stop': { summary: 'Say that one types no longer', message: RoomReferenceDto, answer: null },
  },
  sends: EVENTS,
});

export const CHAT_STREAM = streamChannel<ChatEvents>({
  path: '/chat/rooms/{room_id}/stream',
  title: 'One room',
  description:
    'The events after `Last-Event-ID` or `?offset=`, and then those that happen, each once and in order. `id` is the ' +
    'sequence of the room. It begins with a `presence.changed` that says who is connected.',
  requirement: CHAT_REQUIREMENT,
  parameters: { room_id: { description: 'The room.', example: 'rom_00000000001' } },
  sends: EVENTS,
});
