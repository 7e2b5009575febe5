/**
 * The search terms of messages: their words and the room, encoded as a word that nobody can type. So one index over all
 * rooms can search a few of them.
 */
import type { RoomType } from '../records/chat-room.entity.js';

/** With a blank in it, which no word of a text has. */
export const IN_PUBLIC = 'public room';

export function inRoom(roomId: string): string {
  return `room ${roomId}`;
}

/** The places of all messages of a room. */
export function placesOf(room: { readonly roomId: string; readonly type: RoomType }): string[] {
  return room.type === 'public' ? [inRoom(room.roomId), IN_PUBLIC] : [inRoom(room.roomId)];
}

/** SQL for the words of a text and its places, both given as SQL. */
export function searchVector(text: string, places: string): string {
  return `to_tsvector('simple', ${text}) || array_to_tsvector(${places})`;
}

/** What finds all messages at these places: a tsquery, as text. */
export function inAnyOf(places: readonly string[]): string {
  return places.map((place) => `'${place}'`).join(' | ');
}
