import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APPLICATION_NAME } from '../../../src/kit/database/pg-pool.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { createRoom, logOf, put, say } from '../../support/clients/chat-client.js';
import { callerFor, loggedIn, type Caller, type Json } from '../../support/caller.js';

describe('messages of the chat', () => {
  let app: TestApp;
  let alice: Caller;
  let bob: Caller;
  let demo: Caller;
  /** A room of alice and bob; a new one for each test. */
  let roomId: string;
  let messages: string;
  beforeAll(async () => {
    app = await startTestApp();
    [alice, bob] = await Promise.all([loggedIn(app.url, 'alice'), loggedIn(app.url, 'bob')]);
    demo = await callerFor(app.url, 'demo');
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    roomId = (await createRoom(alice, { members: ['bob'] })).room_id;
    messages = `/chat/rooms/${roomId}/messages`;
  });

  const codeOf = async (reply: ReturnType<Caller['get']>): Promise<string> => {
    const { status, body } = await reply;
    return `${status} ${body?.error?.code}`;
  };
  const textsOf = (found: readonly Json[]): string[] => found.map(({ text }) => text);
  const sayAll = async (author: Caller, texts: readonly string[]): Promise<Json[]> => {
    const said: Json[] = [];
    for (const text of texts) said.push(await say(author, roomId, text));
    return said;
  };

  describe('a message', () => {
    it('is answered with all that it has, plain as it was written', async () => {
      const text = '<b>bold</b> & \u{1F600}\n\tקריאה **not Markdown**';
      const message = await say(alice, roomId, text);
      expect(message).toEqual({
        message_id: expect.stringMatching(/^msg_[0-9A-Z]{11}$/),
        room_id: roomId,
        sequence: 3,
        author: 'alice',
        text,
        client_message_id: null,
        parent_id: null,
        reply_count: 0,
        reactions: [],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        edited_at: null,
        deleted_at: null,
      });
      expect((await bob.get(`${messages}/${message.message_id}`)).body).toEqual(message);
      expect((await logOf(bob, roomId)).at(-1)).toEqual({
        type: 'message.new',
        room_id: roomId,
        sequence: 3,
        created_at: message.created_at,
        data: message,
      });
    });

    it.each([
      [{ text: '' }, 'text'],
      [{ text: ' \n ' }, 'text'],
      [{ text: 'x'.repeat(4_001) }, 'text'],
      [{ text: 'a\u0007b' }, 'text'],
      [{ text: 7 }, 'text'],
      [{}, 'text'],
      [{ text: 'a', client_message_id: '' }, 'client_message_id'],
      [{ text: 'a', author: 'bob' }, 'author'],
    ])('is refused as %j', async (body, field) => {
      const reply = await alice.post(messages, body);
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
      expect(reply.body.error.details.map((detail: Json) => detail.field)).toContain(field);
    });

    it('speaks for the owner of an API key', async () => {
      const made = await alice.post('/auth/api-keys', { name: 'Bot', scopes: ['chat:write'] });
      const reply = await fetch(app.url + messages, {
        method: 'POST',
        body: JSON.stringify({ text: 'by key' }),
        headers: { api_key: made.body.api_key, 'content-type': 'application/json' },
      });
      expect(await reply.json()).toMatchObject({ author: 'alice', text: 'by key' });
    });

    it('is sent once under its client_message_id', async () => {
      const body = { text: 'once', client_message_id: 'mine-1' };
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => alice.post(messages, body)));
      expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
      expect(new Set(all.map(({ body: { message_id } }) => message_id)).size).toBe(1);
      expect(await codeOf(alice.post(messages, { ...body, text: 'twice' }))).toBe('409 conflict');
      const other = await bob.post(messages, { ...body, text: 'another author' });
      expect(other.status).toBe(201);
      // A repeat returns the message sent under that id, even if it has changed since.
      await alice.patch(`${messages}/${all[0]!.body.message_id}`, { text: 'changed' });
      expect(await alice.post(messages, body)).toMatchObject({ status: 200, body: { text: 'changed' } });
      await alice.delete(`${messages}/${all[0]!.body.message_id}`);
      expect(await alice.post(messages, body)).toMatchObject({ status: 200, body: { text: null } });
      const news = (await logOf(bob, roomId)).filter(({ type }: Json) => type === 'message.new');
      expect(news).toHaveLength(2);
    });

    it('is sent once under its Idempotency-Key', async () => {
      const send = () => alice.post(messages, { text: 'keyed' }, { 'idempotency-key': `key of ${roomId}` });
      const [first, second] = [await send(), await send()];
      expect(first.status).toBe(201);
      expect(second).toMatchObject({ status: 201, body: first.body });
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect((await alice.get(messages)).body.data).toHaveLength(1);
    });
  });

  describe('the log of a room', () => {
    it('has neither gaps nor repeats, whoever writes at the same time, and refusals leave none', async () => {
      const target = (await say(alice, roomId, 'target')).message_id;
      const work = Array.from({ length: 120 }, async (_, i) => {
        const author = i % 2 === 0 ? alice : bob;
        if (i % 5 === 0) return demo.post(messages, { text: 'let me in' });
        if (i % 7 === 0) return alice.post(messages, { text: 'x', parent_id: 'msg_7ZZZZZZZZZZ' });
        if (i % 11 === 0) return put(author, `${messages}/${target}/reactions/${i % 3 === 0 ? '👍' : '🎉'}`);
        if (i % 13 === 0) return put(author, `/chat/rooms/${roomId}/read`, { sequence: i % 3 });
        if (i % 17 === 0) return alice.patch(`${messages}/${target}`, { text: `edit ${i}` });
        return author.post(messages, { text: `message ${i}` });
      });
      const replies = await Promise.all(work);
      expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
      const log = await logOf(bob, roomId);
      expect(log.map(({ sequence }: Json) => sequence)).toEqual(log.map((_, place) => place + 1));
      const told = log.filter(({ type }: Json) => type === 'message.new');
      expect(told).toHaveLength(1 + replies.filter(({ status }) => status === 201).length);
      const listed = await bob.walk(messages, 50);
      expect(listed.map(({ sequence }: Json) => sequence).reverse()).toEqual(
        told.map(({ sequence }: Json) => sequence),
      );
      expect((await alice.get(`/chat/rooms/${roomId}`)).body.sequence).toBe(log.length);
    });

    it('has each message once, whatever happens to the connections', async () => {
      const send = async (i: number): Promise<void> => {
        const body = { text: `message ${i}`, client_message_id: `cut-${i}` };
        let reply = await alice.post(messages, body);
        // A client that got no answer sends the message again.
        while (reply.status === 503) reply = await alice.post(messages, body);
        expect([200, 201]).toContain(reply.status);
      };
      const numbersOf = (sender: number): number[] => Array.from({ length: 10 }, (_, i) => sender * 10 + i);
      const sending = Promise.all(
        [0, 1, 2, 3, 4, 5].map(async (sender) => {
          for (const i of numbersOf(sender)) await send(i);
        }),
      );
      let cut = 0;
      for (let i = 0; i < 5; i++) {
        const ended = await queryOnce(
          app.config.databaseUrl!,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = $1`,
          [APPLICATION_NAME],
        );
        cut += ended.length;
      }
      expect(cut).toBeGreaterThan(0);
      await sending;
      const log = await logOf(bob, roomId);
      expect(log.map(({ sequence }: Json) => sequence)).toEqual(log.map((_, place) => place + 1));
      const texts = log.filter(({ type }: Json) => type === 'message.new').map(({ data }: Json) => data.text);
      expect(texts.sort()).toEqual(Array.from({ length: 60 }, (_, i) => `message ${i}`).sort());
      expect(textsOf(await bob.walk(messages, 50)).sort()).toEqual(texts);
    });

    it('is read from any sequence on', async () => {
      await sayAll(alice, ['one', 'two', 'three']);
      const { body } = await bob.get(`/chat/rooms/${roomId}/events?after=3&limit=1`);
      expect(body.data.map(({ data }: Json) => data.text)).toEqual(['two']);
      const rest = await bob.get(`/chat/rooms/${roomId}/events?after=3&cursor=${body.next_cursor}`);
      expect(rest.body).toMatchObject({ data: [{ sequence: 5 }], next_cursor: null });
      expect((await bob.get(`/chat/rooms/${roomId}/events?after=999`)).body.data).toEqual([]);
      for (const after of ['-1', '1.5', 'x', '9007199254740992']) {
        expect(await codeOf(bob.get(`/chat/rooms/${roomId}/events?after=${after}`))).toBe(
          '400 validation_failed',
        );
      }
    });
  });

  describe('lists', () => {
    const numbers = Array.from({ length: 9 }, (_, i) => `${i + 1}`);

    it('begin at the end, before, after or around a message', async () => {
      const said = await sayAll(bob, numbers);
      const at = (text: string): string => said.find((message) => message.text === text).message_id;
      const list = async (query: string): Promise<string[]> =>
        textsOf((await alice.get(`${messages}?${query}`)).body.data);

      expect(await list('limit=3')).toEqual(['9', '8', '7']);
      expect(await list(`limit=3&before=${at('5')}`)).toEqual(['4', '3', '2']);
      expect(await list(`limit=3&after=${at('5')}`)).toEqual(['8', '7', '6']);
      expect(await list(`limit=5&around=${at('5')}`)).toEqual(['7', '6', '5', '4', '3']);
      expect(await list(`limit=5&around=${at('9')}`)).toEqual(['9', '8', '7', '6', '5']);
      expect(await list(`limit=5&around=${at('1')}`)).toEqual(['3', '2', '1']);
      expect(await list(`limit=1&around=${at('4')}`)).toEqual(['4']);
      expect(await list(`before=${at('1')}`)).toEqual([]);
      expect(await list(`after=${at('9')}`)).toEqual([]);

      const walk = async (query: string): Promise<string[]> =>
        textsOf(await alice.walk(`${messages}?${query}`, 2));
      expect(await walk('')).toEqual([...numbers].reverse());
      expect(await walk(`before=${at('6')}`)).toEqual(['5', '4', '3', '2', '1']);
      // Pages go on to newer messages, and each has its newest first.
      expect(await walk(`after=${at('4')}`)).toEqual(['6', '5', '8', '7', '9']);
      expect(await walk(`around=${at('4')}`)).toEqual(['5', '4', '3', '2', '1']);
    });

    it('refuse what makes no sense', async () => {
      const { message_id } = await say(bob, roomId, 'here');
      const elsewhere = await createRoom(alice);
      const { message_id: foreign } = await say(alice, elsewhere.room_id, 'there');
      expect(await codeOf(alice.get(`${messages}?before=${message_id}&after=${message_id}`))).toBe(
        '400 validation_failed',
      );
      for (const place of ['before', 'after', 'around', 'parent_id']) {
        for (const id of [foreign, 'msg_7ZZZZZZZZZZ', 'nonsense', `rom_${message_id.slice(4)}`]) {
          expect(await codeOf(alice.get(`${messages}?${place}=${id}`)), `${place}=${id}`).toBe(
            '404 not_found',
          );
        }
      }
      const sideways = Buffer.from('["sideways",1]').toString('base64url');
      for (const cursor of ['x', sideways]) {
        expect(await codeOf(alice.get(`${messages}?cursor=${cursor}`))).toBe('400 invalid_cursor');
      }
    });
  });

  describe('a thread', () => {
    it('is what replies to one message', async () => {
      const root = await say(alice, roomId, 'question');
      const replies = [
        await say(bob, roomId, 'answer', { parent_id: root.message_id }),
        await say(alice, roomId, 'thanks', { parent_id: root.message_id }),
      ];
      await say(bob, roomId, 'beside');
      const thread = await alice.walk(`${messages}?parent_id=${root.message_id}`, 1);
      expect(thread).toEqual([...replies].reverse());
      expect((await alice.get(`${messages}/${root.message_id}`)).body.reply_count).toBe(2);
      expect((await alice.get(messages)).body.data).toHaveLength(4);
      const nested = { text: 'deeper', parent_id: replies[0].message_id };
      expect(await codeOf(alice.post(messages, nested))).toBe('422 unprocessable');
      for (const parent_id of ['msg_7ZZZZZZZZZZ', 'nonsense']) {
        expect(await codeOf(alice.post(messages, { text: 'lost', parent_id }))).toBe('404 not_found');
      }
      await alice.delete(`${messages}/${root.message_id}`);
      expect(await codeOf(bob.post(messages, { text: 'too late', parent_id: root.message_id }))).toBe(
        '409 conflict',
      );
      expect(await alice.walk(`${messages}?parent_id=${root.message_id}`, 50)).toHaveLength(2);
    });
  });

  describe('changing one', () => {
    it('is for its author', async () => {
      const { message_id, created_at } = await say(alice, roomId, 'first');
      const path = `${messages}/${message_id}`;
      const edited = await alice.patch(path, { text: 'second' });
      expect(edited).toMatchObject({
        status: 200,
        body: { message_id, text: 'second', created_at, edited_at: expect.any(String) },
      });
      // No change, so no event.
      expect((await alice.patch(path, { text: 'second' })).body).toEqual(edited.body);
      expect(await codeOf(bob.patch(path, { text: 'mine' }))).toBe('403 forbidden');
      expect(await codeOf(alice.patch(`${messages}/msg_7ZZZZZZZZZZ`, { text: 'x' }))).toBe('404 not_found');
      const log = (await logOf(bob, roomId)).filter(({ type }: Json) => type.startsWith('message.'));
      expect(log.map(({ type, data }: Json) => `${type} ${data.text}`)).toEqual([
        'message.new first',
        'message.updated second',
      ]);
      await Promise.all(Array.from({ length: 99 }, (_, i) => alice.patch(path, { text: `edit ${i}` })));
      expect(await codeOf(alice.patch(path, { text: 'once more' }))).toBe('422 limit_exceeded');
    });
  });

  describe('deleting one', () => {
    it('leaves its place, and nothing of what it said', async () => {
      const secret = `secret${roomId.slice(4)}`;
      const { message_id, sequence } = await say(alice, roomId, `${secret} one`);
      const path = `${messages}/${message_id}`;
      await alice.patch(path, { text: `${secret} two` });
      await put(bob, `${path}/reactions/👍`);
      expect((await alice.get(`/chat/messages?q=${secret}`)).body.data).toHaveLength(1);
      expect(await codeOf(bob.delete(path))).toBe('403 forbidden');
      expect((await alice.delete(path)).status).toBe(204);
      expect((await alice.delete(path)).status).toBe(204);
      const [left] = (await bob.get(messages)).body.data;
      expect(left).toMatchObject({ message_id, sequence, text: null, reactions: [] });
      expect(left.deleted_at).toEqual(expect.any(String));
      const log = await logOf(bob, roomId);
      expect(log.map(({ type }: Json) => type)).toEqual([
        'member.added',
        'member.added',
        'message.new',
        'message.updated',
        'reaction.new',
        'message.deleted',
      ]);
      expect(JSON.stringify(log)).not.toContain(secret);
      expect((await alice.get(`/chat/messages?q=${secret}`)).body.data).toEqual([]);
      const rows = await queryOnce(app.config.databaseUrl!, `SELECT * FROM chat_messages, chat_events`);
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(await codeOf(alice.patch(path, { text: 'back' }))).toBe('409 conflict');
      expect(await codeOf(put(bob, `${path}/reactions/👍`))).toBe('409 conflict');
    });

    it('is for moderators, too', async () => {
      const { message_id } = await say(bob, roomId, 'rude');
      expect((await alice.delete(`${messages}/${message_id}`)).status).toBe(204);
      expect((await bob.get(`${messages}/${message_id}`)).body).toMatchObject({ author: 'bob', text: null });
    });
  });

  describe('a reaction', () => {
    it('stands once for each member and emoji', async () => {
      const { message_id } = await say(alice, roomId, 'good news');
      const path = `${messages}/${message_id}`;
      for (const [member, emoji] of [
        [bob, '👍'],
        [bob, '👍'],
        [alice, '👍'],
        [bob, '❤'],
        [bob, '👩🏽‍🚀'],
      ] as const) {
        expect((await put(member, `${path}/reactions/${encodeURIComponent(emoji)}`)).status).toBe(204);
      }
      expect((await alice.get(path)).body.reactions).toEqual([
        { emoji: '👍', count: 2, mine: true },
        // As an emoji, not as a text character.
        { emoji: '❤️', count: 1, mine: false },
        { emoji: '👩🏽‍🚀', count: 1, mine: false },
      ]);
      expect((await bob.get(messages)).body.data[0].reactions[1]).toMatchObject({ mine: true });
      for (let i = 0; i < 2; i++) {
        expect((await bob.delete(`${path}/reactions/${encodeURIComponent('❤️')}`)).status).toBe(204);
      }
      expect((await alice.get(path)).body.reactions.map(({ emoji }: Json) => emoji)).toEqual(['👍', '👩🏽‍🚀']);
      const log = (await logOf(bob, roomId)).filter(({ type }: Json) => type.startsWith('reaction.'));
      expect(log.map(({ type, data }: Json) => `${type} ${data.member} ${data.emoji}`)).toEqual([
        'reaction.new bob 👍',
        'reaction.new alice 👍',
        'reaction.new bob ❤️',
        'reaction.new bob 👩🏽‍🚀',
        'reaction.deleted bob ❤️',
      ]);
      expect(log[0].data.message_id).toBe(message_id);
    });

    it.each(['a', ':+1:', '👍👍', '7', '%20', '<b>'])('is refused as %s', async (emoji) => {
      const { message_id } = await say(alice, roomId, 'news');
      expect(await codeOf(put(bob, `${messages}/${message_id}/reactions/${encodeURIComponent(emoji)}`))).toBe(
        '400 validation_failed',
      );
    });

    it('is of at most 20 kinds', async () => {
      const { message_id } = await say(alice, roomId, 'popular');
      const react = (place: number) =>
        put(
          bob,
          `${messages}/${message_id}/reactions/${encodeURIComponent(String.fromCodePoint(0x1f400 + place))}`,
        );
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => react(i)));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await codeOf(react(20))).toBe('422 limit_exceeded');
      expect((await bob.get(`${messages}/${message_id}`)).body.reactions).toHaveLength(20);
    });
  });

  describe('search', () => {
    it('finds words in what one may read, the newest first', async () => {
      const word = `word${roomId.slice(4).toLowerCase()}`;
      const open = (await createRoom(bob, { type: 'public' })).room_id;
      await say(alice, roomId, `${word} in private`);
      await say(bob, open, `${word} in public: <script>alert(1)</script>`);
      await say(alice, roomId, `another ${word.toUpperCase()}`);
      const find = async (caller: Caller, q: string, more = ''): Promise<string[]> =>
        textsOf(await caller.walk(`/chat/messages?q=${encodeURIComponent(q)}${more}`, 1));
      expect(await find(alice, word)).toHaveLength(3);
      expect((await find(alice, word))[0]).toBe(`another ${word.toUpperCase()}`);
      expect(await find(demo, word)).toEqual([`${word} in public: <script>alert(1)</script>`]);
      expect(await find(alice, `${word} -private`)).toHaveLength(2);
      expect(await find(alice, `"${word} in private"`)).toEqual([`${word} in private`]);
      expect(await find(alice, word, `&room_id=${roomId}`)).toHaveLength(2);
      expect(await find(alice, `${word}x`)).toEqual([]);
      for (const odd of ["'", '"', '((', ':*', '&|!', '\\', '-', '%']) {
        expect(await find(alice, odd)).toEqual([]);
      }
      expect(await codeOf(alice.get('/chat/messages'))).toBe('400 validation_failed');
      expect(await codeOf(demo.get(`/chat/messages?q=a&room_id=${roomId}`))).toBe('404 not_found');
    });
  });
});
