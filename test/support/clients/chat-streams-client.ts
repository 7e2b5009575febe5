/** Shared by the specs of chat streams: connections that record their events, and rooms of their own. */
import { EventSource } from 'eventsource';
import { io, type Socket } from 'socket.io-client';
import { expect } from 'vitest';
import { type Caller, type Json, tokenFor } from '../caller.js';

/** Events that rooms store and number. */
export const ROOM_EVENTS = [
  'message.new',
  'message.updated',
  'message.deleted',
  'reaction.new',
  'reaction.deleted',
  'member.added',
  'member.removed',
  'message.read',
] as const;
/** Events that are sent but not stored. */
export const PASSING_EVENTS = ['typing.start', 'typing.stop', 'presence.changed'] as const;

/** The session token of a demo user. */
export async function sessionOf(url: string, username: string): Promise<string> {
  const response = await fetch(`${url}/user/login`, {
    headers: { authorization: `Basic ${btoa(`${username}:${username}-password`)}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as string;
}

export function clientToken(url: string, clientId: string, scope?: string): Promise<string> {
  return tokenFor(url, clientId, scope);
}

/** One client's log of one room: the numbered events must arrive without gaps. */
export class ClientLog {
  readonly events: Json[] = [];

  /** `position` is the sequence after which the client starts. */
  constructor(readonly position = 0) {}

  get sequence(): number {
    return this.position + this.events.length;
  }

  add(event: Json): void {
    expect(event.sequence, 'no event may be missing, told twice or out of order').toBe(this.sequence + 1);
    this.events.push(event);
  }
}

/** Connections to one service, closed together. */
export class ChatConnections {
  private readonly sockets: Socket[] = [];
  private readonly streams: EventSource[] = [];

  constructor(private readonly url: string) {}

  socket(auth: Json, options: Json = {}): Socket {
    const socket = io(`${this.url}/chat`, { transports: ['websocket'], forceNew: true, auth, ...options });
    this.sockets.push(socket);
    return socket;
  }

  /** An `EventSource` that sends a token, as clients other than browsers can; without one it works as in a browser. */
  stream(token: string | undefined, path: string, onEvent: (event: Json, id: string) => void): EventSource {
    const stream = new EventSource(this.url + path, {
      fetch: (address, init) =>
        fetch(address, {
          ...init,
          headers: { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        }),
    });
    for (const type of [...ROOM_EVENTS, ...PASSING_EVENTS]) {
      stream.addEventListener(type, (message) => onEvent(JSON.parse(message.data), message.lastEventId));
    }
    this.streams.push(stream);
    return stream;
  }

  endAll(): void {
    for (const socket of this.sockets.splice(0)) socket.disconnect();
    for (const stream of this.streams.splice(0)) stream.close();
  }
}

/** Makes a room, and returns its id. */
export async function createRoom(owner: Caller, body: Json): Promise<string> {
  const reply = await owner.post('/chat/rooms', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body.room_id;
}

/** The whole log of a room, from REST. */
export async function roomLog(reader: Caller, room: string): Promise<Json[]> {
  const events: Json[] = [];
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0;
    const { status, body } = await reader.get(`/chat/rooms/${room}/events?after=${after}&limit=200`);
    expect(status).toBe(200);
    if (body.data.length === 0) return events;
    events.push(...body.data);
  }
}
