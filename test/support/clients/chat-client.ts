/** Shared by the Chat specs: rooms and messages, one line each. */
import { expect } from 'vitest';
import type { Caller, Json } from '../caller.js';

let roomNumber = 0;

/** Makes a room of the caller's, private by default. */
export async function createRoom(owner: Caller, more: Json = {}): Promise<Json> {
  const reply = await owner.post('/chat/rooms', { type: 'private', name: `Room ${++roomNumber}`, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

/** Sends a message, and returns it. */
export async function say(author: Caller, roomId: string, text: string, more: Json = {}): Promise<Json> {
  const reply = await author.post(`/chat/rooms/${roomId}/messages`, { text, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

export async function join(member: Caller, roomId: string): Promise<void> {
  expect([200, 201]).toContain((await member.post(`/chat/rooms/${roomId}/members`, {})).status);
}

/** The whole log of a room. */
export function logOf(reader: Caller, roomId: string): Promise<Json[]> {
  return reader.walk(`/chat/rooms/${roomId}/events`, 200);
}

/** Sends a PUT, which `Caller` has no method for. */
export function put(caller: Caller, path: string, body?: Json): ReturnType<Caller['send']> {
  return caller.send('PUT', path, body === undefined ? undefined : JSON.stringify(body));
}
