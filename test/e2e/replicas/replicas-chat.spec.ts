import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import {
  ChatConnections,
  ClientLog,
  createRoom,
  ROOM_EVENTS,
  sessionOf,
} from '../../support/clients/chat-streams-client.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';

describe.skipIf(isRedisMissing('chat over several processes'))('chat over two processes', () => {
  let replicas: Replicas;
  let connections: Record<'leader' | 'other', ChatConnections>;
  let tokens: Record<'alice' | 'bob', string>;
  let alice: Caller;
  let bob: Caller;

  beforeAll(async () => {
    replicas = await Replicas.start({ rateLimits: 'off' });
    const { leader, other } = replicas;
    connections = { leader: new ChatConnections(leader.url), other: new ChatConnections(other.url) };
    tokens = { alice: await sessionOf(leader.url, 'alice'), bob: await sessionOf(other.url, 'bob') };
    alice = new Caller(leader.url, tokens.alice);
    bob = new Caller(other.url, tokens.bob);
  });
  afterEach(() => {
    for (const each of Object.values(connections)) each.endAll();
  });
  afterAll(() => replicas.stop());

  /** A socket that has joined, with its events beside the log. */
  async function join(
    at: 'leader' | 'other',
    token: string,
    room: string,
    log = new ClientLog(),
  ): Promise<{ socket: Socket; passing: Json[]; joined: Json }> {
    const socket = connections[at].socket({ token });
    const passing: Json[] = [];
    for (const type of ROOM_EVENTS) socket.on(type, (event) => log.add(event));
    for (const type of ['typing.start', 'typing.stop', 'presence.changed'])
      socket.on(type, (event) => passing.push(event));
    const { data } = await socket.emitWithAck('room.join', { room_id: room, offset: log.position });
    return { socket, passing, joined: data };
  }

  const room = (): Promise<string> =>
    createRoom(alice, { name: 'Two houses', type: 'private', members: ['bob'] });

  it('tells each event once and in order to the sockets and streams of both', async () => {
    const id = await room();
    const logs = [new ClientLog(), new ClientLog(), new ClientLog()] as const;
    await join('leader', tokens.alice, id, logs[0]);
    await join('other', tokens.bob, id, logs[1]);
    connections.other.stream(tokens.bob, `/chat/rooms/${id}/stream?offset=0`, (event) => {
      if (event.sequence !== undefined) logs[2].add(event);
    });
    const send = (caller: Caller, text: string): Promise<unknown> =>
      caller.post(`/chat/rooms/${id}/messages`, { text });
    for (let i = 0; i < 20; i++) await Promise.all([send(alice, `a${i}`), send(bob, `b${i}`)]);
    const { body } = await alice.get(`/chat/rooms/${id}`);
    await eventually(() => logs.every(({ sequence }) => sequence >= body.sequence), 'everybody has all');
    expect(logs[1].events).toEqual(logs[0].events);
    expect(logs[2].events).toEqual(logs[0].events);
  });

  it('ends what a banned member follows in whichever process, and refuses it in both', async () => {
    const id = await room();
    const log = new ClientLog();
    const { socket } = await join('other', tokens.bob, id, log);
    const operator = await callerFor(replicas.leader.url, 'admin');
    const body = { member: 'bob', until: '2999-01-01T00:00:00Z', reason: 'Shouts' };
    expect((await operator.post(`/admin/chat/rooms/${id}/bans`, body)).status).toBe(201);
    await eventually(() => log.events.at(-1)?.type === 'member.removed', 'bob is told');
    for (const { url } of [replicas.leader, replicas.other]) {
      const caller = new Caller(url, tokens.bob);
      expect(await caller.post(`/chat/rooms/${id}/messages`, { text: 'x' })).toMatchObject({
        status: 403,
        body: { error: { code: 'member_banned' } },
      });
    }
    expect(await socket.emitWithAck('message.send', { room_id: id, text: 'x' })).toMatchObject({
      error: { code: 'member_banned' },
    });
    await alice.post(`/chat/rooms/${id}/messages`, { text: 'after' });
    await eventually(async () => (await alice.get(`/chat/rooms/${id}`)).body.members_count === 1, 'gone');
    expect(log.events.at(-1)?.type).toBe('member.removed');
  });

  it('goes on while Redis is away, and hurries again when it is back', async () => {
    const id = await room();
    const log = new ClientLog();
    await join('other', tokens.bob, id, log);
    await replicas.redis.kill();
    await alice.post(`/chat/rooms/${id}/messages`, { text: 'without' });
    await eventually(() => log.events.at(-1)?.data.text === 'without', 'the log was compared');
    await replicas.redis.revive();
    await alice.post(`/chat/rooms/${id}/messages`, { text: 'with' });
    await eventually(() => log.events.at(-1)?.data.text === 'with', 'told again');
  });

  it('knows who is there and who types, wherever they are connected, until their process is gone', async () => {
    const id = await room();
    const here = await join('leader', tokens.alice, id);
    const there = await join('other', tokens.bob, id);
    await eventually(
      () => here.passing.some(({ data }) => data.online?.includes('bob')),
      'alice is told of bob',
    );
    const again = await join('other', tokens.bob, id);
    expect(again.joined).toMatchObject({ online_count: 2, online: expect.arrayContaining(['alice', 'bob']) });

    expect(await there.socket.emitWithAck('typing.start', { room_id: id })).toEqual({ data: null });
    await eventually(() => here.passing.at(-1)?.type === 'typing.start', 'alice is told that bob types');
    there.socket.disconnect();
    await eventually(() => here.passing.at(-1)?.type === 'typing.stop', 'and that he types no more');
    expect(here.passing.filter(({ type }) => type.startsWith('typing'))).toMatchObject([
      { type: 'typing.start', room_id: id, data: { member: 'bob' } },
      { type: 'typing.stop', room_id: id, data: { member: 'bob' } },
    ]);
    again.socket.disconnect();
    await eventually(
      () => here.passing.some(({ data }) => data.offline?.includes('bob')),
      'alice is told that bob is gone',
    );
  });

  it('ends for who is removed, wherever that was done', async () => {
    const id = await room();
    const log = new ClientLog();
    const { socket } = await join('other', tokens.bob, id, log);
    expect((await alice.delete(`/chat/rooms/${id}/members/bob`)).status).toBeLessThan(300);
    await eventually(() => log.events.at(-1)?.type === 'member.removed', 'bob is told');
    expect(await socket.emitWithAck('room.join', { room_id: id })).toMatchObject({
      error: { code: 'not_found' },
    });
  });
});
