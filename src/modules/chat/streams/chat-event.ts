import type {
  MemberAddedEventDto,
  MemberRemovedEventDto,
  MessageReadEventDto,
  PresenceEventDto,
  ReactionEventDto,
  TypingEventDto,
} from './chat-event.dto.js';

/** A message as events tell it: as it is answered by `GET /chat/rooms/{room_id}/messages`. */
export interface ChatMessage {
  readonly message_id: string;
  readonly room_id: string;
  readonly sequence: number;
  readonly author: string;
  readonly text: string | null;
  readonly parent_id: string | null;
  readonly reactions: readonly object[];
  readonly created_at: string;
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
}

/** What the events of a room's log carry: they are numbered, stored, and told to everyone once and in order. */
export interface RoomEventData {
  'message.new': ChatMessage;
  /** The message as it is now. */
  'message.updated': ChatMessage;
  /** What is left of the message. */
  'message.deleted': ChatMessage;
  'reaction.new': ReactionEventDto;
  'reaction.deleted': ReactionEventDto;
  'member.added': MemberAddedEventDto;
  'member.removed': MemberRemovedEventDto;
  'message.read': MessageReadEventDto;
}

/** What passing events carry: they are told to who is connected, and kept nowhere. */
export interface PassingEventData {
  'typing.start': TypingEventDto;
  'typing.stop': TypingEventDto;
  'presence.changed': PresenceEventDto;
}

export type RoomEventType = keyof RoomEventData;
export type PassingEventType = keyof PassingEventData;

/** One entry of a room's log, as it is stored, answered and told. */
export type RoomEvent<Type extends RoomEventType = RoomEventType> = {
  readonly [Each in Type]: {
    readonly type: Each;
    readonly room_id: string;
    /** Within the room: 1 more than the event before it. */
    readonly sequence: number;
    /** RFC 3339, UTC. */
    readonly created_at: string;
    readonly data: RoomEventData[Each];
  };
}[Type];

export type PassingEvent<Type extends PassingEventType = PassingEventType> = {
  readonly [Each in Type]: {
    readonly type: Each;
    readonly room_id: string;
    /** RFC 3339, UTC. */
    readonly created_at: string;
    readonly data: PassingEventData[Each];
  };
}[Type];

export type ChatEvent = RoomEvent | PassingEvent;
