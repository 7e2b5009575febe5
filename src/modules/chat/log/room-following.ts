import type { ApiError } from '../../../platform/http/errors.js';
import type { ChatEvent, RoomEvent } from '../records/chat-event.js';

/** Sends what is told of rooms to all its clients that follow them live: encoded once, whoever listens. */
export interface RoomOutlet {
  publish(event: ChatEvent): void;
}

/** One client's connection, as far as one room is concerned. */
export interface RoomFollower {
  /** Whose connection it is: the name of a member, or of who reads a public room. */
  readonly member: string;
  /** Sends a part of the log, and resolves when the client may be sent more. */
  send(events: readonly RoomEvent[]): Promise<void>;
  /** Lets the client have what its outlet publishes of the room, or not. Takes effect before it returns. */
  setLive(isLive: boolean): void;
  /** The client gets no more of the room. `reason` is null where the last event that it got says why. */
  end(reason: ApiError | null): void;
}

/** How far a client has come in a room. Made by the feed alone. */
export interface RoomFollowing {
  /** The client does not keep up: it gets nothing more until it is resumed, and then what it has missed. */
  pause(): void;
  resume(): void;
  /** The client follows the room no more. */
  stop(): void;
}
