import type { MessageDto } from './message.dto.js';
import type {
  MemberAddedEventDto,
  MemberRemovedEventDto,
  MessageReadEventDto,
  PassingEventEnvelopeDto,
  PresenceEventDto,
  ReactionEventDto,
  RoomEventEnvelopeDto,
  TypingEventDto,
} from './chat-event.dto.js';

/** The data of logged events: they are numbered, stored, and sent to everyone once and in order. */
export interface RoomEventData {
  'message.new': MessageDto;
  /** The message as it is now. */
  'message.updated': MessageDto;
  /** The rest of the message. */
  'message.deleted': MessageDto;
  'reaction.new': ReactionEventDto;
  'reaction.deleted': ReactionEventDto;
  'member.added': MemberAddedEventDto;
  'member.removed': MemberRemovedEventDto;
  'message.read': MessageReadEventDto;
}

/** The data of transient events: they are sent to connected clients and not stored. */
export interface PassingEventData {
  'typing.start': TypingEventDto;
  'typing.stop': TypingEventDto;
  'presence.changed': PresenceEventDto;
}

export type RoomEventType = keyof RoomEventData;
export type PassingEventType = keyof PassingEventData;

/** One entry of a room's log, as stored, answered and sent. */
export type RoomEvent<Type extends RoomEventType = RoomEventType> = {
  readonly [Each in Type]: Readonly<RoomEventEnvelopeDto> & {
    readonly type: Each;
    readonly data: RoomEventData[Each];
  };
}[Type];

export type PassingEvent<Type extends PassingEventType = PassingEventType> = {
  readonly [Each in Type]: Readonly<PassingEventEnvelopeDto> & {
    readonly type: Each;
    readonly data: PassingEventData[Each];
  };
}[Type];

export type ChatEvent = RoomEvent | PassingEvent;
