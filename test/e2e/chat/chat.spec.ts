import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createRoom, logOf, put, say } from '../../support/clients/chat-client.js';
import { callerFor, loggedIn, tokenFor, type Caller, type Json } from '../../support/caller.js';

describe('the chat', () => {
  let app: TestApp;
  let alice: Caller;
  let bob: Caller;
  let demo: Caller;
  let maker: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    [alice, bob] = await Promise.all([loggedIn(app.url, 'alice'), loggedIn(app.url, 'bob')]);
    [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
  });
  afterAll(() => app.close());

  const codeOf = async (reply: ReturnType<Caller['get']>): Promise<string> => {
    const { status, body } = await reply;
    return `${status} ${body?.error?.code}`;
  };

  it('has a lobby from the start, with something to read', async () => {
    const [lobby] = (await demo.get('/chat/rooms?type=public')).body.data;
    expect(lobby).toMatchObject({ name: 'lobby', type: 'public', members_count: 3 });
    const said = await maker.walk(`/chat/rooms/${lobby.room_id}/messages`, 50);
    expect(said.length).toBeGreaterThan(3);
    expect(new Set(said.map(({ author }: Json) => author))).toEqual(new Set(['client:demo', 'alice', 'bob']));
  });

  describe('a room', () => {
    it('is answered with all that it has', async () => {
      const room = await createRoom(alice, { name: 'Fees', members: ['bob', 'client:demo', 'BOB', 'me'] });
      expect(room).toEqual({
        room_id: expect.stringMatching(/^rom_[0-9A-Z]{11}$/),
        name: 'Fees',
        type: 'private',
        sequence: 3,
        members_count: 3,
        last_message: null,
        unread_count: 0,
        membership: {
          member: 'alice',
          role: 'owner',
          muted_until: null,
          read_sequence: 1,
          joined_at: expect.any(String),
          notifications_muted: false,
        },
        created_at: expect.any(String),
      });
      expect((await alice.get(`/chat/rooms/${room.room_id}`)).body).toEqual(room);
      const members = await alice.walk(`/chat/rooms/${room.room_id}/members`, 2);
      expect(members.map(({ member, role }: Json) => `${member} ${role}`)).toEqual([
        'client:demo member',
        'bob member',
        'alice owner',
      ]);
      expect(
        (await logOf(bob, room.room_id)).map(({ type, data }: Json) => `${type} ${data.member}`),
      ).toEqual(['member.added alice', 'member.added bob', 'member.added client:demo']);
    });

    it('says how much is unread, and what came last', async () => {
      const { room_id } = await createRoom(alice, { members: ['bob'] });
      await say(alice, room_id, 'one');
      const last = await say(alice, room_id, 'two');
      const seenByBob = (await bob.get(`/chat/rooms/${room_id}`)).body;
      expect(seenByBob).toMatchObject({ unread_count: 2, last_message: { text: 'two', author: 'alice' } });
      // A message marks earlier ones as read by its author.
      expect((await alice.get(`/chat/rooms/${room_id}`)).body.unread_count).toBe(0);
      const read = await put(bob, `/chat/rooms/${room_id}/read`, { sequence: last.sequence - 1 });
      expect(read).toMatchObject({
        status: 200,
        body: { room_id, read_sequence: last.sequence - 1, unread_count: 1 },
      });
      await put(bob, `/chat/rooms/${room_id}/read`, { sequence: last.sequence });
      // A read position never moves back.
      expect((await put(bob, `/chat/rooms/${room_id}/read`, { sequence: 1 })).body).toEqual({
        room_id,
        read_sequence: last.sequence,
        unread_count: 0,
      });
      const { sequence } = (await bob.get(`/chat/rooms/${room_id}`)).body;
      expect(await codeOf(put(bob, `/chat/rooms/${room_id}/read`, { sequence: sequence + 1 }))).toBe(
        '422 unprocessable',
      );
      const reads = (await logOf(bob, room_id)).filter(({ type }: Json) => type === 'message.read');
      expect(reads.map(({ data }: Json) => data)).toEqual([
        { member: 'bob', read_sequence: last.sequence - 1 },
        { member: 'bob', read_sequence: last.sequence },
      ]);
      await Promise.all(Array.from({ length: 101 }, (_, i) => say(alice, room_id, `more ${i}`)));
      expect((await bob.get(`/chat/rooms/${room_id}`)).body.unread_count).toBe(100);
    });

    it('is one for each two that talk directly, whoever begins', async () => {
      const both = await Promise.all([
        demo.post('/chat/rooms', { type: 'direct', members: ['client:maker'] }),
        maker.post('/chat/rooms', { type: 'direct', members: ['client:demo'] }),
        demo.post('/chat/rooms', { type: 'direct', members: ['client:maker'] }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
      expect(new Set(both.map(({ body }) => body.room_id)).size).toBe(1);
      expect(both.map(({ body }) => body.name)).toEqual(['client:maker', 'client:demo', 'client:maker']);
      const path = `/chat/rooms/${both[0].body.room_id}`;
      expect(await codeOf(demo.delete(`${path}/members/me`))).toBe('409 conflict');
      expect(await codeOf(demo.post(`${path}/members`, { member: 'alice' }))).toBe('403 forbidden');
      expect(await codeOf(demo.patch(path, { name: 'Ours' }))).toBe('403 forbidden');
    });

    it.each([
      [{ type: 'private' }, 'name'],
      [{ type: 'private', name: ' ' }, 'name'],
      [{ type: 'private', name: 'x'.repeat(101) }, 'name'],
      [{ type: 'secret', name: 'Room' }, 'type'],
      [{ type: 'direct', members: ['bob'], name: 'Two' }, 'name'],
      [{ type: 'direct' }, 'members'],
      [{ type: 'direct', members: ['me'] }, 'members'],
      [{ type: 'direct', members: ['bob', 'client:demo'] }, 'members'],
      [{ type: 'private', name: 'Room', members: 'bob' }, 'members'],
      [{ type: 'private', name: 'Room', members: [7] }, 'members'],
      [{ type: 'private', name: 'Room', owner: 'bob' }, 'owner'],
    ])('is refused as %j', async (body, field) => {
      const reply = await alice.post('/chat/rooms', body);
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
      expect(reply.body.error.details.map((detail: Json) => detail.field)).toContain(field);
    });

    it('knows nobody who is not there', async () => {
      for (const member of ['nobody', 'client:nobody', 'api_key:key_demo', 'user:1']) {
        expect(
          await codeOf(alice.post('/chat/rooms', { type: 'private', name: 'Room', members: [member] })),
        ).toBe('404 not_found');
      }
    });

    it('is made once per Idempotency-Key', async () => {
      const body = { type: 'private', name: 'Once' };
      const replies = [
        await alice.post('/chat/rooms', body, { 'idempotency-key': 'once' }),
        await alice.post('/chat/rooms', body, { 'idempotency-key': 'once' }),
      ];
      expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      expect(replies[1]!.body).toEqual(replies[0]!.body);
    });

    it('is renamed by who looks after it', async () => {
      const { room_id } = await createRoom(alice, { members: ['bob'] });
      expect((await alice.patch(`/chat/rooms/${room_id}`, { name: 'Renamed' })).body.name).toBe('Renamed');
      expect(await codeOf(bob.patch(`/chat/rooms/${room_id}`, { name: 'Mine' }))).toBe('403 forbidden');
    });
  });

  describe('lists of rooms', () => {
    it('show one’s own and the public ones, and of others what one may see', async () => {
      const open = await createRoom(alice, { type: 'public' });
      const shared = await createRoom(alice, { members: ['client:demo'] });
      const hidden = await createRoom(alice, { members: ['bob'] });
      const ids = async (caller: Caller, query: string): Promise<string[]> =>
        (await caller.walk(`/chat/rooms?${query}`, 3)).map(({ room_id }: Json) => room_id);
      const known = (listed: string[]): string[] =>
        listed.filter((id) => [open, shared, hidden].some(({ room_id }: Json) => room_id === id));

      expect(known(await ids(demo, ''))).toEqual([shared.room_id, open.room_id]);
      expect(known(await ids(demo, 'type=public'))).toEqual([open.room_id]);
      expect(known(await ids(demo, 'type=private'))).toEqual([shared.room_id]);
      expect(known(await ids(demo, 'member=me'))).toEqual([shared.room_id]);
      expect(known(await ids(demo, 'member=Alice'))).toEqual([shared.room_id, open.room_id]);
      expect(known(await ids(demo, 'member=bob'))).toEqual([]);
      expect(known(await ids(alice, 'member=me'))).toEqual([hidden.room_id, shared.room_id, open.room_id]);
      expect(known(await ids(alice, 'member=client:demo'))).toEqual([shared.room_id]);
      expect(await ids(alice, 'member=nobody')).toEqual([]);
      const [seen] = (await alice.walk('/chat/rooms?member=me', 50)).filter(
        ({ room_id }: Json) => room_id === hidden.room_id,
      );
      expect(seen).toEqual((await alice.get(`/chat/rooms/${hidden.room_id}`)).body);
    });
  });

  describe('a private room', () => {
    it('is not there for who is not in it', async () => {
      const { room_id } = await createRoom(alice, { members: ['bob'] });
      const { message_id } = await say(bob, room_id, 'between us');
      const path = `/chat/rooms/${room_id}`;
      const attempts = [
        demo.get(path),
        demo.patch(path, { name: 'Mine' }),
        demo.get(`${path}/events`),
        demo.get(`${path}/members`),
        demo.post(`${path}/members`, {}),
        demo.post(`${path}/members`, { member: 'client:maker' }),
        demo.patch(`${path}/members/bob`, { role: 'owner' }),
        demo.delete(`${path}/members/bob`),
        demo.get(`${path}/messages`),
        demo.post(`${path}/messages`, { text: 'let me in' }),
        demo.get(`${path}/messages/${message_id}`),
        demo.patch(`${path}/messages/${message_id}`, { text: 'mine' }),
        demo.delete(`${path}/messages/${message_id}`),
        put(demo, `${path}/messages/${message_id}/reactions/👍`),
        demo.delete(`${path}/messages/${message_id}/reactions/👍`),
        put(demo, `${path}/read`, { sequence: 1 }),
        demo.get(`/chat/messages?q=between&room_id=${room_id}`),
      ];
      for (const attempt of attempts) expect(await codeOf(attempt)).toBe('404 not_found');
      expect((await demo.get('/chat/messages?q=between')).body.data).toEqual([]);
      expect(await logOf(alice, room_id)).toHaveLength(3);
    });
  });

  it('is measured', async () => {
    const { room_id } = await createRoom(alice);
    await say(alice, room_id, 'count me');
    const operator = await tokenFor(app.url, 'admin');
    const metrics = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${operator}` } });
    const text = await metrics.text();
    expect(text).toMatch(/^tradepost_chat_events_total\{type="message.new"\} [1-9]/m);
    expect(text).toMatch(/^tradepost_chat_change_duration_seconds_count [1-9]/m);
  });

  it('takes hostile input for what it is', async () => {
    const { room_id } = await createRoom(alice, { members: ['bob'] });
    const { message_id } = await say(alice, room_id, 'here');
    const path = `/chat/rooms/${room_id}`;
    const odd = [
      '%00',
      'client:%00',
      'client:',
      '%F0%9F%98',
      "'%20OR%201=1--",
      'x'.repeat(2_000),
      '..',
      '%2E%2E',
    ];
    for (const text of odd) {
      const replies = [
        await alice.get(`/chat/rooms/${text}`),
        await alice.get(`/chat/rooms?member=${text}`),
        await alice.get(`/chat/messages?q=${text}`),
        await alice.get(`${path}/messages/${text}`),
        await alice.get(`${path}/messages?before=${text}`),
        await alice.delete(`${path}/members/${text}`),
        await alice.patch(`${path}/members/${text}`, { role: 'member' }),
        await put(alice, `${path}/messages/${message_id}/reactions/${text}`),
      ];
      for (const { status } of replies) expect([200, 204, 400, 404, 405, 409], text).toContain(status);
    }
    for (const text of ['\\u0000', '\\ud800', '\\udc00x']) {
      for (const [method, to, body] of [
        ['POST', `${path}/messages`, `{"text":"${text}"}`],
        ['POST', `${path}/messages`, `{"text":"a","client_message_id":"${text}"}`],
        ['POST', `${path}/messages`, `{"text":"a","parent_id":"${text}"}`],
        ['PATCH', `${path}/messages/${message_id}`, `{"text":"${text}"}`],
        ['POST', `${path}/members`, `{"member":"client:${text}"}`],
        ['POST', '/chat/rooms', `{"type":"private","name":"${text}"}`],
        ['POST', '/chat/rooms', `{"type":"direct","members":["client:${text}"]}`],
      ] as const) {
        expect((await alice.send(method, to, body)).status, `${method} ${to} ${body}`).toBe(400);
      }
    }
    expect(await logOf(bob, room_id)).toHaveLength(3);
  });

  describe('a public room', () => {
    it('is read by everyone, and written by who has joined', async () => {
      const { room_id } = await createRoom(alice, { type: 'public' });
      await say(alice, room_id, 'welcome');
      expect((await demo.get(`/chat/rooms/${room_id}`)).body).toMatchObject({
        membership: null,
        unread_count: 0,
        members_count: 1,
      });
      expect((await demo.get(`/chat/rooms/${room_id}/messages`)).body.data).toHaveLength(1);
      expect(await codeOf(demo.post(`/chat/rooms/${room_id}/messages`, { text: 'hi' }))).toBe(
        '403 forbidden',
      );
      const joined = await demo.post(`/chat/rooms/${room_id}/members`, {});
      expect(joined).toMatchObject({ status: 201, body: { member: 'client:demo', role: 'member' } });
      expect(await demo.post(`/chat/rooms/${room_id}/members`, { member: 'client:demo' })).toMatchObject({
        status: 200,
        body: joined.body,
      });
      await say(demo, room_id, 'hi');
      expect((await alice.get(`/chat/rooms/${room_id}`)).body.members_count).toBe(2);
    });
  });
});
