import { type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EventSource } from 'eventsource';
import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase } from '../../support/database.js';
import { rounds } from '../../support/rounds.js';
import {
  ChatConnections,
  ClientLog,
  clientToken,
  createRoom,
  ROOM_EVENTS,
  roomLog,
  sessionOf,
} from '../../support/clients/chat-streams-client.js';
import { Caller, type Json } from '../../support/caller.js';
import { eventually } from '../../support/eventually.js';

/** Of fifty messages by each of three writers. */
const ROUNDS = rounds('CHAT_ROUNDS', 12, 66);

describe('chat streams', () => {
  let app: TestApp;
  let connections: ChatConnections;
  const tokens: Record<string, string> = {};
  const callers: Record<string, Caller> = {};
  let sharedRoom: Promise<string> | undefined;

  beforeAll(async () => {
    // One client alone sends the traffic of many.
    app = await startTestApp({ rateLimits: 'off' });
    connections = new ChatConnections(app.url);
    for (const username of ['alice', 'bob']) tokens[username] = await sessionOf(app.url, username);
    for (const clientId of ['demo', 'maker']) tokens[clientId] = await clientToken(app.url, clientId);
    tokens.reader = await clientToken(app.url, 'maker', 'chat:read');
    tokens.trader = await clientToken(app.url, 'demo', 'markets:trade');
    for (const [name, token] of Object.entries(tokens)) callers[name] = new Caller(app.url, token);
  });
  afterEach(() => connections.endAll());
  afterAll(() => app.close());

  function as(name: string): Caller {
    return callers[name]!;
  }

  function connect(name: string, options?: Json): Socket {
    return connections.socket({ token: tokens[name] }, options);
  }

  /** A public room that many tests share. */
  function hall(): Promise<string> {
    return (sharedRoom ??= createRoom(as('alice'), { name: 'Hall', type: 'public' }));
  }

  /** A socket that records a room's events. */
  async function follow(name: string, room: string, log: ClientLog): Promise<Socket> {
    const socket = connect(name);
    for (const type of ROOM_EVENTS) {
      socket.on(type, (event) => {
        expect(event).toMatchObject({ type, room_id: room, created_at: expect.any(String) });
        log.add(event);
      });
    }
    const answer = await socket.emitWithAck('room.join', { room_id: room, offset: log.sequence });
    expect(answer, JSON.stringify(answer)).toMatchObject({ data: { room_id: room } });
    return socket;
  }

  /** A stream that records a room's events. */
  function stream(name: string, room: string, log: ClientLog, offset?: number): EventSource {
    const query = offset === undefined ? '' : `?offset=${offset}`;
    return connections.stream(tokens[name], `/chat/rooms/${room}/stream${query}`, (event, id) => {
      if (event.sequence === undefined) return;
      expect(Number(id)).toBe(event.sequence);
      log.add(event);
    });
  }

  async function send(name: string, room: string, text: string): Promise<Json> {
    const reply = await as(name).post(`/chat/rooms/${room}/messages`, { text });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  }

  it('tell two users and a stream thousands of events each once and in order, across lost connections', async () => {
    const room = await createRoom(as('alice'), {
      name: 'Thousands',
      type: 'private',
      members: ['bob', 'client:demo'],
    });
    const logs = { alice: new ClientLog(), bob: new ClientLog(), demo: new ClientLog() };
    let isOver = false;
    let reconnects = 0;
    const pause = (): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 400));
    const comingAndGoing = async (name: 'alice' | 'bob'): Promise<void> => {
      while (!isOver) {
        const socket = await follow(name, room, logs[name]);
        await pause();
        if (isOver) return;
        reconnects++;
        // Half of them disconnect in the middle of an event sequence.
        if (Math.random() < 0.5) socket.io.engine.close();
        socket.removeAllListeners().disconnect();
      }
    };
    const streaming = async (): Promise<void> => {
      while (!isOver) {
        const source = stream('demo', room, logs.demo, logs.demo.sequence);
        await pause();
        if (isOver) return;
        reconnects++;
        source.close();
      }
    };
    const clients = [comingAndGoing('alice'), comingAndGoing('bob'), streaming()];

    const writers = [connect('alice'), connect('bob'), connect('demo')];
    const sending = writers.map(async (writer, index) => {
      const messages: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const answers: Json[] = await Promise.all(
          Array.from({ length: 50 }, (_, place) =>
            writer.emitWithAck('message.send', {
              room_id: room,
              text: `message ${place} of round ${round}`,
              client_message_id: `${index}-${round}-${place}`,
            }),
          ),
        );
        for (const answer of answers) {
          expect(answer, JSON.stringify(answer)).toHaveProperty('data.message_id');
          messages.push(answer.data.message_id);
        }
        const reacted = { room_id: room, message_id: messages.at(-1), emoji: '👍' };
        expect(await writer.emitWithAck('reaction.add', reacted)).toEqual({ data: null });
        expect(
          await writer.emitWithAck('message.read', { room_id: room, sequence: answers.at(-1).data.sequence }),
        ).toMatchObject({ data: { room_id: room } });
      }
    });
    await Promise.all(sending);
    isOver = true;
    await Promise.all(clients);

    const log = await roomLog(as('alice'), room);
    expect(log.length).toBeGreaterThan(3 * 50 * ROUNDS);
    expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
    for (const told of Object.values(logs)) {
      await eventually(() => expect(told.sequence).toBe(log.length));
      expect(told.events).toEqual(log);
    }
    expect(reconnects).toBeGreaterThan(2);
  });

  it('begin with what happens from now on, with all, or behind what the client has', async () => {
    const room = await createRoom(as('alice'), { name: 'Offsets', type: 'private', members: ['bob'] });
    for (let count = 0; count < 5; count++) await send('alice', room, `message ${count}`);
    const head = (await roomLog(as('alice'), room)).length;
    const socket = connect('bob');
    const told: Json[] = [];
    socket.on('message.new', (event) => told.push(event));
    expect(await socket.emitWithAck('room.join', { room_id: room })).toEqual({
      data: { room_id: room, sequence: head, online: ['bob'], online_count: 1 },
    });
    const last = await send('alice', room, 'Now');
    await eventually(() => expect(told).toHaveLength(1));
    expect(told[0]).toEqual({
      type: 'message.new',
      room_id: room,
      sequence: head + 1,
      created_at: last.created_at,
      data: expect.objectContaining({ author: 'alice', text: 'Now', sequence: head + 1 }),
    });
    // A second join without an offset loses no events.
    await socket.emitWithAck('room.join', { room_id: room });
    await send('alice', room, 'And now');
    await eventually(() => expect(told).toHaveLength(2));
    // With an offset the events are sent again from there.
    await socket.emitWithAck('room.join', { room_id: room, offset: head });
    await eventually(() => expect(told.map(({ sequence }) => sequence - head)).toEqual([1, 2, 1, 2]));
    await socket.emitWithAck('room.leave', { room_id: room });
    await send('alice', room, 'Unheard');
    const log = new ClientLog();
    await follow('bob', room, log);
    await eventually(() => expect(log.sequence).toBe(head + 3));
    expect(told).toHaveLength(4);
  });

  it('acknowledge a join before what it brings', async () => {
    const room = await createRoom(as('alice'), { name: 'First things', type: 'private' });
    await send('alice', room, 'Hello');
    const socket = connect('alice');
    const order: string[] = [];
    socket.onAny((type: string) => order.push(type));
    for (let round = 0; round < 2; round++) {
      await new Promise<void>((resolve) => {
        socket.emit('room.join', { room_id: room, offset: 0 }, () => {
          order.push('acknowledged');
          resolve();
        });
      });
      await eventually(() => expect(order.filter((type) => type === 'message.new')).toHaveLength(round + 1));
    }
    const withoutPresence = order.filter((type) => type !== 'presence.changed');
    expect(withoutPresence).toEqual([
      'acknowledged',
      'member.added',
      'message.new',
      'acknowledged',
      'member.added',
      'message.new',
    ]);
  });

  it('let a stream come back to where it was, by its last id and by what stands in the address', async () => {
    const room = await createRoom(as('alice'), { name: 'Comes back', type: 'private' });
    await send('alice', room, 'Before');
    const read = async (headers: Record<string, string>, query = ''): Promise<string> => {
      const aborter = new AbortController();
      const response = await fetch(`${app.url}/chat/rooms/${room}/stream${query}`, {
        headers: { authorization: `Bearer ${tokens.alice}`, ...headers },
        signal: aborter.signal,
      });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('presence.changed') || (text.match(/^id: /gm) ?? []).length < 2) {
        text += (await reader.read()).value;
        if (text.includes('presence.changed') && !text.includes('message.new')) {
          await send('alice', room, 'Since');
        }
      }
      aborter.abort();
      return text;
    };
    // There are no events yet, but it has an id to resume with.
    expect(await read({})).toMatch(
      /^retry: 2000\n\nid: 2\nevent: presence.changed\ndata: \{.*\}\n\n[^]*id: 3\nevent: message.new\n/,
    );
    expect(await read({ 'last-event-id': '1' }, '?offset=0')).toMatch(
      /id: 1\nevent: presence[^]*id: 2\nevent: message.new/,
    );
    expect(await read({}, '?offset=0')).toMatch(/id: 0\nevent: presence[^]*id: 1\nevent: member.added/);
  });

  it('are followed by browsers with a ticket, more than once', async () => {
    const room = await createRoom(as('alice'), { name: 'Tickets', type: 'private' });
    const path = `/chat/rooms/${room}/stream`;
    const { status, body } = await as('alice').post('/auth/stream-tickets', { path });
    expect(status).toBe(201);
    const log = new ClientLog();
    for (let round = 1; round < 4; round++) {
      const address = `${path}?offset=${log.sequence}&ticket=${body.ticket}`;
      const source = connections.stream(undefined, address, (event) => {
        if (event.sequence !== undefined) log.add(event);
      });
      await send('alice', room, 'By ticket');
      await eventually(() => expect(log.sequence).toBe(1 + round));
      source.close();
    }
  });

  it('say nothing of a foreign private room: it answers like one that does not exist', async () => {
    const room = await createRoom(as('alice'), { name: 'Secret', type: 'private', members: ['bob'] });
    const unknown = 'rom_0000ZZZZZZZ';
    const socket = connect('maker');
    const told: Json[] = [];
    socket.onAny((_type, event) => told.push(event));
    const answers: Json[] = [];
    for (const room_id of [room, unknown]) {
      const rest = await as('maker').get(`/chat/rooms/${room_id}/messages`);
      const events = await as('maker').get(`/chat/rooms/${room_id}/stream`);
      expect([rest.status, events.status]).toEqual([404, 404]);
      const messages: readonly [string, Json][] = [
        ['room.join', { room_id, offset: 0 }],
        ['room.join', { room_id, offset: 1_000 }],
        ['message.send', { room_id, text: 'Hello?' }],
        ['message.read', { room_id, sequence: 1 }],
        ['typing.start', { room_id }],
        ['reaction.add', { room_id, message_id: 'msg_00000000001', emoji: '👍' }],
      ];
      const bySocket = [];
      for (const [type, message] of messages) bySocket.push(await socket.emitWithAck(type, message));
      answers.push([rest.body, events.body, ...bySocket].map(({ error }) => [error.code, error.message]));
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0].map(([code]: string[]) => code)).toEqual(answers[0].map(() => 'not_found'));
    await send('alice', room, 'Nobody else hears this');
    await socket.emitWithAck('room.leave', { room_id: room });
    expect(told).toEqual([]);
  });

  it('let nobody in without a credential that may read the chat', async () => {
    const refused = async (auth: Json): Promise<Json> =>
      new Promise((resolve) => {
        connections
          .socket(auth, { reconnection: false })
          .on('connect_error', (error) => resolve((error as Error & { data: Json }).data));
      });
    expect(await refused({})).toMatchObject({ error: { code: 'authentication_required' } });
    expect(await refused({ token: 'made-up' })).toMatchObject({ error: { code: 'invalid_token' } });
    expect(await refused({ token: tokens.trader })).toMatchObject({ error: { code: 'insufficient_scope' } });
    const path = '/chat/rooms/rom_00000000001/stream';
    expect(await new Caller(app.url).get(path)).toMatchObject({ status: 401 });
    expect(await as('trader').get(path)).toMatchObject({ status: 403 });
  });

  it('let who may only read follow a public room without being in it', async () => {
    const room = await createRoom(as('alice'), { name: 'Open', type: 'public' });
    const log = new ClientLog();
    const socket = await follow('reader', room, log);
    const events = new ClientLog();
    stream('reader', room, events, 0);
    for (const [type, message] of [
      ['message.send', { room_id: room, text: 'Hello' }],
      ['typing.start', { room_id: room }],
      ['message.read', { room_id: room, sequence: 1 }],
    ] as const) {
      expect(await socket.emitWithAck(type, message)).toMatchObject({
        error: { code: 'insufficient_scope' },
      });
    }
    await send('alice', room, 'For all');
    for (const each of [log, events]) {
      await eventually(() => expect(each.events.at(-1)).toMatchObject({ type: 'message.new' }));
    }
    expect((await as('alice').get(`/chat/rooms/${room}`)).body).toMatchObject({ members_count: 1 });
    const answer = await connect('alice').emitWithAck('room.join', { room_id: room });
    expect(answer.data).toMatchObject({ online: ['alice'], online_count: 1 });
  });

  it('make who may write a member of the public room that is joined', async () => {
    const room = await createRoom(as('alice'), { name: 'Come in', type: 'public' });
    const log = new ClientLog();
    const socket = await follow('bob', room, log);
    await eventually(() =>
      expect(log.events.at(-1)).toMatchObject({ type: 'member.added', data: { member: 'bob' } }),
    );
    expect(await socket.emitWithAck('message.send', { room_id: room, text: 'Here I am' })).toMatchObject({
      data: { author: 'bob', text: 'Here I am', room_id: room },
    });
    await socket.emitWithAck('room.join', { room_id: room });
    expect((await as('alice').get(`/chat/rooms/${room}`)).body).toMatchObject({ members_count: 2 });
  });

  it('end at once for a member who is removed, and for nobody else', async () => {
    const room = await createRoom(as('alice'), {
      name: 'Not for bob',
      type: 'private',
      members: ['bob', 'client:demo'],
    });
    const logs = { bob: new ClientLog(), stream: new ClientLog(), demo: new ClientLog() };
    const bob = await follow('bob', room, logs.bob);
    await follow('demo', room, logs.demo);
    const statuses: (number | undefined)[] = [];
    stream('bob', room, logs.stream, 0).addEventListener('error', ({ code }) => statuses.push(code));
    await eventually(() => expect(Object.values(logs).map(({ sequence }) => sequence)).toEqual([3, 3, 3]));
    expect(await as('alice').delete(`/chat/rooms/${room}/members/bob`)).toMatchObject({ status: 204 });
    await send('alice', room, 'Bob is gone');
    await eventually(() => expect(logs.demo.events.at(-1)).toMatchObject({ type: 'message.new' }));
    for (const log of [logs.bob, logs.stream]) {
      expect(log.events.at(-1)).toMatchObject({ type: 'member.removed', data: { member: 'bob' } });
    }
    expect(await bob.emitWithAck('room.join', { room_id: room })).toMatchObject({
      error: { code: 'not_found' },
    });
    // The stream reconnects by itself, and gets 404 for the room.
    await eventually(() => expect(statuses).toContain(404));
    expect(logs.stream.events.at(-1)).toMatchObject({ type: 'member.removed' });
  });

  it('tell who types, once when it begins and once when it ends', async () => {
    const room = await createRoom(as('alice'), { name: 'Typing', type: 'private', members: ['bob'] });
    const told: Json[] = [];
    const streamed: Json[] = [];
    const [alice, bob] = [connect('alice'), connect('bob')];
    for (const type of ['typing.start', 'typing.stop']) bob.on(type, (event) => told.push(event));
    await Promise.all([alice, bob].map((socket) => socket.emitWithAck('room.join', { room_id: room })));
    connections.stream(tokens.bob, `/chat/rooms/${room}/stream`, (event) => streamed.push(event));
    await eventually(() => expect(streamed.length).toBeGreaterThan(0));
    const reference = { room_id: room };
    expect(await alice.emitWithAck('typing.stop', reference)).toEqual({ data: null });
    for (let count = 0; count < 3; count++) {
      expect(await alice.emitWithAck('typing.start', reference)).toEqual({ data: null });
    }
    await alice.emitWithAck('message.send', { room_id: room, text: 'Written' });
    await alice.emitWithAck('typing.start', reference);
    alice.disconnect();
    const types = ['typing.start', 'typing.stop', 'typing.start', 'typing.stop'];
    await eventually(() => expect(told.map(({ type }) => type)).toEqual(types));
    await eventually(() =>
      expect(streamed.map(({ type }) => type).filter((type) => type.startsWith('typing'))).toEqual(types),
    );
    expect(told[0]).toEqual({
      type: 'typing.start',
      room_id: room,
      created_at: expect.any(String),
      data: { member: 'alice' },
    });
  });

  it('tell who comes and goes, many at once', async () => {
    const room = await createRoom(as('alice'), {
      name: 'Presence',
      type: 'private',
      members: ['bob', 'client:demo', 'client:maker'],
    });
    const told: Json[] = [];
    const alice = connect('alice');
    alice.on('presence.changed', (event) => told.push(event));
    await alice.emitWithAck('room.join', { room_id: room });
    await eventually(() =>
      expect(told.at(-1)?.data).toEqual({ online: ['alice'], offline: [], online_count: 1 }),
    );
    const others = ['bob', 'bob', 'demo', 'maker'].map((name) => connect(name));
    const answers = await Promise.all(
      others.map((socket) => socket.emitWithAck('room.join', { room_id: room })),
    );
    expect(Math.max(...answers.map(({ data }) => data.online_count))).toBe(4);
    await eventually(() => expect(told.at(-1).data.online_count).toBe(4));
    expect(new Set(told.flatMap(({ data }) => data.online))).toEqual(
      new Set(['alice', 'bob', 'client:demo', 'client:maker']),
    );
    expect(told.length).toBeLessThan(5);
    others[0]!.disconnect();
    others[2]!.disconnect();
    await others[3]!.emitWithAck('room.leave', { room_id: room });
    // Bob is still online by another connection.
    await eventually(() => expect(told.at(-1).data.online_count).toBe(2));
    expect(told.flatMap(({ data }) => data.offline).toSorted()).toEqual(['client:demo', 'client:maker']);
  });

  it.each<[string, string, Json, string]>([
    ['a join of nothing', 'room.join', undefined, 'validation_failed'],
    ['a room that is no text', 'room.join', { room_id: 7 }, 'validation_failed'],
    ['a room that was never one', 'room.join', { room_id: 'hall' }, 'not_found'],
    ['an offset that is text', 'room.join', { room_id: 'HALL', offset: '1' }, 'validation_failed'],
    ['an offset below zero', 'room.join', { room_id: 'HALL', offset: -1 }, 'validation_failed'],
    ['half an offset', 'room.join', { room_id: 'HALL', offset: 0.5 }, 'validation_failed'],
    ['an offset ahead of the room', 'room.join', { room_id: 'HALL', offset: 1_000_000 }, 'unprocessable'],
    ['an unknown field', 'room.join', { room_id: 'HALL', since: 1 }, 'validation_failed'],
    ['a message without text', 'message.send', { room_id: 'HALL' }, 'validation_failed'],
    ['a blank message', 'message.send', { room_id: 'HALL', text: ' ' }, 'validation_failed'],
    ['too long a message', 'message.send', { room_id: 'HALL', text: 'x'.repeat(4_001) }, 'validation_failed'],
    ['a NUL', 'message.send', { room_id: 'HALL', text: 'a\0b' }, 'malformed_request'],
    ['a text for a message', 'message.send', 'hello', 'malformed_request'],
    [
      'an emoji that is none',
      'reaction.add',
      { room_id: 'HALL', message_id: 'msg_00000000001', emoji: 'like' },
      'validation_failed',
    ],
    ['reading what is not there', 'message.read', { room_id: 'HALL', sequence: 1_000_000 }, 'unprocessable'],
  ])('refuse %s in the envelope', async (_name, type, message, code) => {
    const room = await hall();
    const told = JSON.parse(JSON.stringify(message ?? null).replace('HALL', room)) ?? undefined;
    const socket = connect('bob');
    await socket.emitWithAck('room.join', { room_id: room });
    expect(await socket.emitWithAck(type, told)).toMatchObject({
      error: { code, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(socket.connected).toBe(true);
  });

  it.each([
    ['?offset=-1', {}, 400, 'validation_failed'],
    ['?offset=x', {}, 400, 'validation_failed'],
    ['?offset=1000000', {}, 422, 'unprocessable'],
    ['', { 'last-event-id': 'x' }, 400, 'validation_failed'],
    ['', { 'last-event-id': '1000000' }, 422, 'unprocessable'],
    ['?token=x', {}, 400, 'validation_failed'],
  ])('refuse a stream with %s %j before the first event', async (query, headers, status, code) => {
    const path = `/chat/rooms/${await hall()}/stream${query}`;
    expect(await as('alice').send('GET', path, undefined, headers as Record<string, string>)).toMatchObject({
      status,
      body: { error: { code } },
    });
  });

  it('wait for a client that stops reading, and then tell all that it missed', async () => {
    const room = await createRoom(as('alice'), { name: 'Slow', type: 'private', members: ['bob'] });
    const text = 'x'.repeat(4_000);
    const log = new ClientLog();
    const streamed: number[] = [];
    const openStream = (offset: number): Promise<IncomingMessage> =>
      new Promise((resolve) => {
        httpRequest(
          `${app.url}/chat/rooms/${room}/stream?offset=${offset}`,
          { headers: { authorization: `Bearer ${tokens.bob}` } },
          resolve,
        ).end();
      });
    /** `known` is the id of the greeting of a resumed stream. */
    const collect = (response: IncomingMessage, known?: number): void => {
      let rest = '';
      let isGreeting = known !== undefined;
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          if (!line.startsWith('id: ')) continue;
          if (!isGreeting) streamed.push(Number(line.slice(4)));
          isGreeting = false;
        }
      });
    };
    let bob = await follow('bob', room, log);
    const engine = bob.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } };
    let response = await openStream(0);
    engine.ws.pause();
    response.pause();
    const alice = connect('alice');
    const before = await memoryInUse();
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        Array.from({ length: 200 }, () => alice.emitWithAck('message.send', { room_id: room, text })),
      );
    }
    // Sixteen megabytes were sent to each of the two; whatever exceeds the kernel's buffers stays in the log, not in
    // memory.
    expect((await memoryInUse()) - before).toBeLessThan(16 * 1024 * 1024);
    collect(response);
    response.resume();
    engine.ws.resume();
    // On a slow machine the pause is so long that the service disconnects both, and they reconnect.
    await eventually(async () => {
      if (!bob.connected) bob = await follow('bob', room, log);
      expect(log.sequence).toBe(4_002);
    });
    await eventually(async () => {
      if (response.closed) {
        const last = streamed.at(-1)!;
        response = await openStream(last);
        collect(response, last);
      }
      expect(streamed).toHaveLength(4_003);
    });
    expect(streamed).toEqual(Array.from({ length: 4_003 }, (_, sequence) => sequence));
    response.destroy();
  });
});

describe('chat streams of a service that stops', () => {
  it('end at once, and go on with the next one where they were', async () => {
    const database = await createTestDatabase();
    try {
      const first = await startTestApp({ databaseUrl: database.url });
      const token = await clientToken(first.url, 'demo');
      const caller = new Caller(first.url, token);
      const room = await createRoom(caller, { name: 'Survivor', type: 'private' });
      await caller.post(`/chat/rooms/${room}/messages`, { text: 'Before' });
      const log = new ClientLog();
      const join = async (connections: ChatConnections): Promise<Socket> => {
        const socket = connections.socket({ token }, { reconnection: false });
        for (const type of ROOM_EVENTS) socket.on(type, (event) => log.add(event));
        await socket.emitWithAck('room.join', { room_id: room, offset: log.sequence });
        return socket;
      };
      const socket = await join(new ChatConnections(first.url));
      await eventually(() => expect(log.sequence).toBe(2));
      const response = await fetch(`${first.url}/chat/rooms/${room}/stream`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const disconnected = new Promise((resolve) => socket.on('disconnect', resolve));
      await Promise.all([first.close(), disconnected, response.text()]);

      const second = await startTestApp({ databaseUrl: database.url });
      const connections = new ChatConnections(second.url);
      try {
        await new Caller(second.url, token).post(`/chat/rooms/${room}/messages`, { text: 'Meanwhile' });
        await join(connections);
        await new Caller(second.url, token).post(`/chat/rooms/${room}/messages`, { text: 'After' });
        await eventually(() => expect(log.sequence).toBe(4));
        expect(log.events).toEqual(await roomLog(new Caller(second.url, token), room));
      } finally {
        connections.endAll();
        await second.close();
      }
    } finally {
      await database.drop();
    }
  });
});

/** The process' memory in bytes after garbage collection. */
async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    collect();
    // Buffers are released in the background.
    await delay(50);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}
