import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, loggedIn, type Reply } from '../../support/caller.js';
import { createRoom, join, logOf, put, say } from '../../support/clients/chat-client.js';
import { ChatConnections, sessionOf } from '../../support/clients/chat-streams-client.js';
import { eventually } from '../../support/eventually.js';

const FOR_GOOD = '2999-01-01T00:00:00.000Z';

describe('bans', () => {
  let app: TestApp;
  let operator: Caller;
  let alice: Caller;
  let bob: Caller;
  let demo: Caller;
  let connections: ChatConnections;
  /** Public, of alice, bob and client:demo. */
  let room: string;
  let bans: string;
  beforeAll(async () => {
    app = await startTestApp();
    [operator, demo] = await Promise.all([callerFor(app.url, 'admin'), callerFor(app.url, 'demo')]);
    [alice, bob] = await Promise.all([loggedIn(app.url, 'alice'), loggedIn(app.url, 'bob')]);
    connections = new ChatConnections(app.url);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ room_id: room } = await createRoom(alice, { type: 'public', members: ['bob', 'client:demo'] }));
    bans = `/admin/chat/rooms/${room}/bans`;
  });
  afterEach(() => connections.endAll());

  const ban = (member: string, more: Json = {}): Promise<Reply> =>
    operator.post(bans, { member, until: FOR_GOOD, reason: 'Shouts', ...more });
  const codeOf = async (reply: Promise<Reply>): Promise<string> => {
    const { status, body } = await reply;
    return status < 400 ? String(status) : `${status} ${body.error.code}`;
  };

  it('keep a member from writing, reacting and joining, until they end', async () => {
    const message = await say(alice, room, 'hello');
    const messages = `/chat/rooms/${room}/messages`;
    const reaction = `${messages}/${message.message_id}/reactions/${encodeURIComponent('👍')}`;
    await say(bob, room, 'before', { client_message_id: 'b' });
    expect((await put(bob, reaction)).status).toBe(204);

    const reply = await ban('BOB');
    expect(reply).toMatchObject({
      status: 201,
      body: {
        room_id: room,
        member: 'bob',
        until: FOR_GOOD,
        reason: 'Shouts',
        banned_by: 'client:admin',
        banned_at: expect.stringMatching(/Z$/),
      },
    });
    expect((await operator.get(bans)).body).toEqual({ data: [reply.body], next_cursor: null });
    expect((await logOf(alice, room)).at(-1)).toMatchObject({
      type: 'member.removed',
      data: { member: 'bob' },
    });
    expect((await alice.get(`/chat/rooms/${room}`)).body.members_count).toBe(2);
    for (const attempt of [
      bob.post(messages, { text: 'x' }),
      bob.post(messages, { text: 'before', client_message_id: 'b' }),
      put(bob, reaction),
      bob.delete(reaction),
      bob.post(`/chat/rooms/${room}/members`, {}),
      alice.post(`/chat/rooms/${room}/members`, { member: 'bob' }),
    ]) {
      expect(await codeOf(attempt)).toBe('403 member_banned');
    }
    expect(await codeOf(demo.post(messages, { text: 'not me' }))).toBe('201');
    // The room is public, and so is reading it.
    expect(await codeOf(bob.get(messages))).toBe('200');

    expect(await codeOf(operator.delete(`${bans}/bob`))).toBe('204');
    expect(await codeOf(operator.delete(`${bans}/bob`))).toBe('404 not_found');
    expect(await codeOf(bob.post(messages, { text: 'x' }))).toBe('403 forbidden');
    await join(bob, room);
    expect(await codeOf(bob.post(messages, { text: 'x' }))).toBe('201');
  });

  it('end by themselves, are replaced, and can come before a member does', async () => {
    expect((await ban('client:maker', { until: new Date(Date.now() + 60_000).toISOString() })).status).toBe(
      201,
    );
    const maker = await callerFor(app.url, 'maker');
    expect(await codeOf(maker.post(`/chat/rooms/${room}/members`, {}))).toBe('403 member_banned');
    await ban('client:maker', { until: new Date(Date.now() + 700).toISOString(), reason: 'Less' });
    await eventually(async () =>
      expect(await codeOf(maker.post(`/chat/rooms/${room}/members`, {}))).toBe('201'),
    );
    expect((await operator.get(bans)).body.data).toEqual([]);
    expect(await codeOf(operator.delete(`${bans}/client:maker`))).toBe('404 not_found');
  });

  it('tell sockets and streams of the room, which end', async () => {
    const token = await sessionOf(app.url, 'bob');
    const socket = connections.socket({ token });
    const events: Json[] = [];
    for (const type of ['member.removed', 'message.new']) socket.on(type, (event) => events.push(event));
    expect(await socket.emitWithAck('room.join', { room_id: room })).toMatchObject({
      data: { room_id: room },
    });
    const streamed: Json[] = [];
    connections.stream(token, `/chat/rooms/${room}/stream?offset=0`, (event) => streamed.push(event));
    await eventually(() => expect(streamed.length).toBeGreaterThan(2));
    await ban('bob');
    await eventually(() => expect(events.at(-1)).toMatchObject({ type: 'member.removed' }));
    await eventually(() => expect(streamed.at(-1)).toMatchObject({ type: 'member.removed' }));
    await say(alice, room, 'after');
    for (const [event, body] of [
      ['message.send', { room_id: room, text: 'x' }],
      ['room.join', { room_id: room }],
    ] as const) {
      const answer = await socket.emitWithAck(event, body);
      expect(answer, event).toMatchObject({ error: { code: 'member_banned' } });
    }
    expect(events.filter(({ type }) => type === 'message.new')).toEqual([]);
  });

  it('come with mutes and deletions by operators, in rooms that they are not in', async () => {
    const mutes = `/admin/chat/rooms/${room}/mutes`;
    const messages = `/chat/rooms/${room}/messages`;
    const mute = { member: 'bob', until: FOR_GOOD, reason: 'Shouts' };
    expect(await codeOf(operator.post(mutes, mute))).toBe('204');
    expect(await codeOf(bob.post(messages, { text: 'x' }))).toBe('403 forbidden');
    expect((await alice.get(`/chat/rooms/${room}/members`)).body.data).toContainEqual(
      expect.objectContaining({ member: 'bob', muted_until: FOR_GOOD }),
    );
    expect(await codeOf(operator.delete(`${mutes}/bob`))).toBe('204');
    const said = await say(bob, room, 'What nobody should read');

    const address = `/admin/chat/rooms/${room}/messages/${said.message_id}`;
    expect(await codeOf(alice.delete(address))).toBe('403 insufficient_scope');
    expect(await codeOf(operator.delete(address))).toBe('204');
    expect(await codeOf(operator.delete(address))).toBe('204');
    expect((await alice.get(`${messages}/${said.message_id}`)).body).toMatchObject({ text: null });
    const log = await logOf(alice, room);
    expect(log.filter(({ type }) => type === 'message.deleted')).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('nobody should read');

    const direct = await createRoom(bob, { type: 'direct', name: undefined, members: ['client:demo'] });
    const private_ = await say(bob, direct.room_id, 'Between us');
    for (const [attempt, code] of [
      [operator.post(`/admin/chat/rooms/${direct.room_id}/mutes`, mute), '409 conflict'],
      [
        operator.delete(`/admin/chat/rooms/${direct.room_id}/messages/${private_.message_id}`),
        '409 conflict',
      ],
      [operator.post(mutes, { ...mute, until: '2001-01-01T00:00:00Z' }), '400 validation_failed'],
      [operator.post(mutes, { ...mute, member: 'nobody-at-all' }), '404 not_found'],
      [operator.post('/admin/chat/rooms/rom_99999999999/mutes', mute), '404 not_found'],
      [operator.delete(`/admin/chat/rooms/${room}/messages/msg_99999999999`), '404 not_found'],
      [operator.delete(`/admin/chat/rooms/${room}/messages/${private_.message_id}`), '404 not_found'],
      [bob.post(mutes, mute), '403 insufficient_scope'],
    ] as const) {
      expect(await codeOf(attempt)).toBe(code);
    }
  });

  it('pass the room on where its owner is banned', async () => {
    expect((await ban('alice')).status).toBe(201);
    expect((await bob.get(`/chat/rooms/${room}`)).body.membership.role).toBe('owner');
  });

  it('are of one room, in pages', async () => {
    const other = await createRoom(alice, { type: 'private', members: ['bob'] });
    for (const member of ['bob', 'client:demo', 'client:maker']) await ban(member);
    expect((await operator.walk(bans, 1)).map(({ member }: Json) => member).sort()).toEqual([
      'bob',
      'client:demo',
      'client:maker',
    ]);
    expect(await operator.walk(`/admin/chat/rooms/${other.room_id}/bans`, 1)).toEqual([]);
    await say(bob, other.room_id, 'here I may');
  });

  it('win against messages that are on their way, so that none comes after', async () => {
    const sending = Array.from({ length: 10 }, (_, i) =>
      bob.post(`/chat/rooms/${room}/messages`, { text: `${i}` }),
    );
    const [replies] = await Promise.all([Promise.all(sending), ban('bob')]);
    for (const { status } of replies) expect([201, 403]).toContain(status);
    const log = await logOf(alice, room);
    const removed = log.findIndex(({ type }: Json) => type === 'member.removed');
    expect(removed).toBeGreaterThan(0);
    expect(log.slice(removed).filter(({ type }: Json) => type === 'message.new')).toEqual([]);
  });

  it('are for operators alone, and refuse what makes no sense', async () => {
    for (const caller of [alice, demo, new Caller(app.url)]) {
      const expected = caller === alice || caller === demo ? 403 : 401;
      expect((await caller.post(bans, { member: 'bob', until: FOR_GOOD, reason: 'x' })).status).toBe(
        expected,
      );
      expect((await caller.get(bans)).status).toBe(expected);
      expect((await caller.delete(`${bans}/bob`)).status).toBe(expected);
    }
    for (const [more, code] of [
      [{ until: '2020-01-01T00:00:00Z' }, '400 validation_failed'],
      [{ until: 'soon' }, '400 validation_failed'],
      [{ until: null }, '400 validation_failed'],
      [{ reason: '' }, '400 validation_failed'],
      [{ reason: 'x'.repeat(501) }, '400 validation_failed'],
      [{ member: 'x'.repeat(101) }, '400 validation_failed'],
      [{ member: 'nobody' }, '404 not_found'],
      [{ extra: 1 }, '400 validation_failed'],
    ] as const) {
      expect(await codeOf(ban('bob', more)), JSON.stringify(more)).toBe(code);
    }
    for (const id of ['rom_00000000ZZZ', 'x']) {
      const body = { member: 'bob', until: FOR_GOOD, reason: 'x' };
      expect(await codeOf(operator.post(`/admin/chat/rooms/${id}/bans`, body))).toBe('404 not_found');
      expect(await codeOf(operator.get(`/admin/chat/rooms/${id}/bans`))).toBe('404 not_found');
      expect(await codeOf(operator.delete(`/admin/chat/rooms/${id}/bans/bob`))).toBe('404 not_found');
    }
    expect(await codeOf(operator.get(`${bans}?cursor=x`))).toBe('400 invalid_cursor');
    const direct = await createRoom(alice, { type: 'direct', name: undefined, members: ['bob'] });
    const path = `/admin/chat/rooms/${direct.room_id}/bans`;
    const body = { member: 'bob', until: FOR_GOOD, reason: 'x' };
    expect(await codeOf(operator.post(path, body))).toBe('409 conflict');
  });
});
