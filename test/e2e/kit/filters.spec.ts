import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorCode, Filter, TradepostPlugin, type FilterVerdict } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { newUser } from '../../support/clients/accounts-client.js';
import { put } from '../../support/clients/blog-client.js';
import { createRoom, say } from '../../support/clients/chat-client.js';
import { sessionOf } from '../../support/clients/chat-streams-client.js';
import { logIn, type UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { FeedServer, rssOf } from '../../support/feed-server.js';

const NO_CASINO = new ErrorCode('strict_no_casino', 422);

/** What the filters were asked; and what the strict one does to a text with the word "break". */
const desk = { asked: [] as [string, Json][], breaks: (): unknown => undefined };

/** Of any kind: refuses what names a casino. */
function strict(kind: string, what: Json): FilterVerdict<Json> | Promise<FilterVerdict<Json>> {
  desk.asked.push([kind, what]);
  const words = JSON.stringify(what);
  if (/casino/i.test(words))
    return { accepted: false, code: NO_CASINO.code, message: 'Nothing about casinos.' };
  if (words.includes('break')) return desk.breaks() as FilterVerdict<Json>;
  return { accepted: true };
}

/** Changes the word "slots" to "games", and "bets" to "a casino". */
async function mild(what: Json): Promise<FilterVerdict<Json>> {
  await delay(1);
  const changed = Object.entries(what as Record<string, unknown>).flatMap(([name, value]) => {
    if (['author', 'room', 'username', 'kind', 'feed'].includes(name)) return [];
    const text = JSON.stringify(value).replaceAll('slots', 'games').replaceAll('bets', 'a casino');
    return text === JSON.stringify(value) ? [] : [[name, JSON.parse(text)]];
  });
  return { accepted: true, ...Object.fromEntries(changed) };
}

@Injectable()
class Mild extends Filter {
  override rooms(room: Json): Promise<FilterVerdict<Json>> {
    return mild(room);
  }
  override posts(post: Json): Promise<FilterVerdict<Json>> {
    return mild(post);
  }
  override news(item: Json): Promise<FilterVerdict<Json>> {
    return mild(item);
  }
  override profiles(profile: Json): Promise<FilterVerdict<Json>> {
    return mild(profile);
  }
}

class MildMessages extends Filter {
  override messages(message: Json): Promise<FilterVerdict<Json>> {
    return mild(message);
  }
}

class Strict extends Filter {
  override messages(message: Json): Json {
    return strict('messages', message);
  }
  override rooms(room: Json): Json {
    return strict('rooms', room);
  }
  override posts(post: Json): Json {
    return strict('posts', post);
  }
  override news(item: Json): Json {
    return strict('news', item);
  }
  override profiles(profile: Json): Json {
    return strict('profiles', profile);
  }
}

@TradepostPlugin({ name: 'mild', compatibility: '>=0.1.0', filters: [MildMessages, Mild] })
class MildPlugin {}

@TradepostPlugin({ name: 'strict', compatibility: '>=0.1.0', filters: [Strict], errorCodes: [NO_CASINO] })
class StrictPlugin {}

interface Way {
  /** Writes a text by this way. */
  readonly write: (text: string) => Promise<Json>;
  /** All such texts that are stored, as one text. */
  readonly stored: () => Promise<string>;
}

describe('filters', () => {
  let app: TestApp;
  let host: FeedServer;
  let operator: Caller;
  let alice: UserCaller;
  let socket: Socket;
  let room: string;
  let users = 0;

  beforeAll(async () => {
    host = await FeedServer.start();
    host.answer('/feed.xml', { body: rssOf('<title>The first story</title>') });
    app = await startTestApp({
      plugins: [MildPlugin, StrictPlugin],
      rateLimits: 'off',
      environment: { NEWS_FEEDS: host.url('/feed.xml') },
      webhookAllowPrivate: true,
    });
    operator = await callerFor(app.url, 'admin');
    alice = await logIn(app, 'alice');
    room = (await createRoom(alice)).room_id;
    socket = io(`${app.url}/chat`, {
      transports: ['websocket'],
      forceNew: true,
      auth: { token: await sessionOf(app.url, 'alice') },
    });
    expect((await socket.timeout(30_000).emitWithAck('room.join', { room_id: room })).error).toBeUndefined();
  });
  beforeEach(() => {
    Object.assign(desk, { asked: [], breaks: () => undefined });
    vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    socket.close();
    await app.close();
    await host.close();
  });

  const rowsOf = (statement: string) => async (): Promise<string> =>
    JSON.stringify(await queryOnce(app.config.databaseUrl!, statement));
  const messages = rowsOf('SELECT text FROM chat_messages UNION ALL SELECT data::text FROM chat_events');
  const rooms = rowsOf('SELECT name FROM chat_rooms');
  const blog = rowsOf('SELECT * FROM blog_entries');
  const news = rowsOf('SELECT * FROM news_items');
  const profiles = rowsOf('SELECT username, first_name, last_name, email, phone FROM users');

  const replyOf = async (reply: Promise<Reply>): Promise<Json> => {
    const { status, body } = await reply;
    return { status, body };
  };
  const post = (path: string, body: Json, caller: Caller = operator): Promise<Json> =>
    replyOf(caller.post(path, body));
  const user = (text: string): Json => ({
    username: `user-${++users}`,
    password: 'some-password',
    firstName: text,
  });
  const entry = (text: string): Json => ({ title: text, markdown: 'Words.', status: 'published' });
  const written = async (path: string): Promise<string> => {
    const { body } = await operator.post(path, entry('An entry'));
    return body.post_id ?? body.page_id;
  };
  const pollFeed = async (title: string): Promise<Json> => {
    host.answer('/feed.xml', { body: rssOf(`<title>${title}</title><guid>${++users}</guid>`) });
    const [before] = (await operator.get('/admin/news/feeds')).body.data;
    expect((await operator.post(`/admin/news/feeds/${before.feed_id}/poll`, {})).status).toBe(202);
    return eventually(async () => {
      const [feed] = (await operator.get('/admin/news/feeds')).body.data;
      expect(feed.polled_at > before.polled_at).toBe(true);
      return feed;
    });
  };

  const WAYS: Record<string, Way> = {
    'POST /chat/rooms/{room_id}/messages': {
      write: (text) => post(`/chat/rooms/${room}/messages`, { text }, alice),
      stored: messages,
    },
    'POST /chat/rooms/{room_id}/messages with an Idempotency-Key': {
      write: (text) =>
        replyOf(
          alice.post(`/chat/rooms/${room}/messages`, { text }, { 'Idempotency-Key': `key-${++users}` }),
        ),
      stored: messages,
    },
    'message.send': {
      write: async (text) => {
        const answer = await socket.timeout(30_000).emitWithAck('message.send', { room_id: room, text });
        return {
          status: answer.error === undefined ? 201 : null,
          body: answer.error === undefined ? answer.data : answer,
        };
      },
      stored: messages,
    },
    'PATCH /chat/rooms/{room_id}/messages/{message_id}': {
      write: async (text) => {
        const { message_id } = await say(alice, room, 'Something');
        return replyOf(alice.patch(`/chat/rooms/${room}/messages/${message_id}`, { text }));
      },
      stored: messages,
    },
    'POST /chat/rooms': {
      write: (name) => post('/chat/rooms', { type: 'public', name }, alice),
      stored: rooms,
    },
    'PATCH /chat/rooms/{room_id}': {
      write: async (name) =>
        replyOf(alice.patch(`/chat/rooms/${(await createRoom(alice)).room_id}`, { name })),
      stored: rooms,
    },
    'POST /admin/blog/posts': { write: (text) => post('/admin/blog/posts', entry(text)), stored: blog },
    'PUT /admin/blog/posts/{post_id}': {
      write: async (text) =>
        replyOf(put(operator, `/admin/blog/posts/${await written('/admin/blog/posts')}`, entry(text))),
      stored: blog,
    },
    'POST /admin/blog/pages': { write: (text) => post('/admin/blog/pages', entry(text)), stored: blog },
    'PUT /admin/blog/pages/{page_id}': {
      write: async (text) =>
        replyOf(put(operator, `/admin/blog/pages/${await written('/admin/blog/pages')}`, entry(text))),
      stored: blog,
    },
    'POST /admin/news': { write: (headline) => post('/admin/news', { headline }), stored: news },
    'PATCH /admin/news/{news_id}': {
      write: async (summary) => {
        const { body } = await operator.post('/admin/news', { headline: 'A story' });
        return replyOf(operator.patch(`/admin/news/${body.news_id}`, { summary }));
      },
      stored: news,
    },
    'POST /user': { write: (text) => post('/user', user(text), alice), stored: profiles },
    'POST /user/createWithArray': {
      write: (text) => post('/user/createWithArray', [user('Someone'), user(text)], alice),
      stored: profiles,
    },
    'POST /user/createWithList': {
      write: (text) => post('/user/createWithList', [user(text), user('Someone')], alice),
      stored: profiles,
    },
    'PUT /user/{username}': {
      write: (lastName) => replyOf(put(alice, '/user/alice', { lastName })),
      stored: profiles,
    },
  };

  describe.each(Object.entries(WAYS))('of %s', (_way, { write, stored }) => {
    it('refuse, and nothing is stored', async () => {
      const word = `casino-${++users}`;
      const before = await stored();
      const { status, body } = await write(`A ${word}`);
      expect([422, null]).toContain(status);
      expect(body.error).toMatchObject({ code: 'strict_no_casino', message: 'Nothing about casinos.' });
      expect(await stored()).not.toContain(word);
      // A new room, message or entry that is changed is made before.
      expect((await stored()).length).toBeLessThan(before.length + 4_000);
    });

    it('change what is stored and answered', async () => {
      const number = ++users;
      const { status, body } = await write(`Nice slots-${number}`);
      expect([200, 201], JSON.stringify(body)).toContain(status);
      expect(await stored()).toContain(`Nice games-${number}`);
      expect(await stored()).not.toContain(`slots-${number}`);
      if (body.message_id !== undefined) expect(body.text).toBe(`Nice games-${number}`);
    });

    it('see what the one before has left', async () => {
      const { body } = await write('Some bets');
      expect(body.error).toMatchObject({ code: 'strict_no_casino' });
      expect(JSON.stringify(desk.asked)).toContain('a casino');
    });

    it('store nothing where one breaks', async () => {
      const word = `break-${++users}`;
      desk.breaks = () => {
        throw new Error('out of order');
      };
      const { status, body } = await write(word);
      expect([503, null]).toContain(status);
      expect(body.error).toMatchObject({ code: 'temporarily_unavailable' });
      expect(await stored()).not.toContain(word);
    });
  });

  it('see imports of feeds: refused entries are left out, changed ones are stored so', async () => {
    expect(await pollFeed('A casino opens')).toMatchObject({
      status: 'ok',
      problem: 'Entries that a filter has refused: 1.',
    });
    expect(await pollFeed('All slots are taken: giraffe')).toMatchObject({ status: 'ok', problem: null });
    expect(await news()).toContain('All games are taken: giraffe');
    expect(await news()).not.toContain('casino');
    expect(desk.asked.at(-1)).toEqual([
      'news',
      expect.objectContaining({ headline: 'All games are taken: giraffe', feed: host.url('/feed.xml') }),
    ]);
  });

  it('are asked again about what they could not judge of a feed', async () => {
    desk.breaks = () => {
      throw new Error('out of order');
    };
    const broken = await pollFeed('They break records');
    expect(broken).toMatchObject({ failures: 1, problem: expect.stringContaining('filter of news') });
    expect(await news()).not.toContain('break');
    desk.breaks = () => ({ accepted: true });
    const [feed] = (await operator.get('/admin/news/feeds')).body.data;
    expect((await operator.post(`/admin/news/feeds/${feed.feed_id}/poll`, {})).status).toBe(202);
    await eventually(async () => expect(await news()).toContain('They break records'));
  });

  it('make of a feed what is safe to show, and not longer than others', async () => {
    desk.breaks = () => ({
      accepted: true,
      headline: `break\0${' long'.repeat(200)}`,
      content: '<script>alert(1)</script><p onclick="x()">break <a href="/more">more</a></p>',
      summary: '',
      author: `A\ud800${'a'.repeat(500)}`,
      source: '',
      category: '!!!',
    });
    await pollFeed('To break: hippo');
    const [item] = (await operator.get('/news?q=break&limit=1')).body.data;
    expect(item.headline.length).toBeLessThanOrEqual(301);
    expect(item).toMatchObject({
      content: expect.not.stringContaining('script'),
      source: '127.0.0.1',
      category: null,
    });
    expect(item.author).toHaveLength(100);
  });

  it('know who writes, where, and what is written', async () => {
    await say(alice, room, 'Hello');
    expect(desk.asked).toEqual([['messages', { text: 'Hello', author: 'alice', room }]]);
    desk.asked.length = 0;
    await post('/admin/blog/posts', {
      ...entry('Title'),
      slug: 'a-slug',
      tags: ['One'],
      category: 'Some',
      custom_excerpt: 'Short',
      author: 'Ada',
    });
    await post('/admin/blog/pages', entry('Page'));
    await post('/user', { username: 'seen', password: 'secret-password', email: 'seen@example.com' }, alice);
    expect(desk.asked).toEqual([
      [
        'posts',
        {
          title: 'Title',
          markdown: 'Words.',
          slug: 'a-slug',
          category: 'Some',
          tags: ['One'],
          author: 'Ada',
          custom_excerpt: 'Short',
          kind: 'post',
        },
      ],
      ['posts', { title: 'Page', markdown: 'Words.', kind: 'page' }],
      ['profiles', { email: 'seen@example.com', username: 'seen' }],
    ]);
    expect(JSON.stringify(desk.asked)).not.toContain('secret');
  });

  it('refuse a name of a user, which they cannot change', async () => {
    const named = { username: 'casino-king', password: 'some-password' };
    expect(await post('/user', named, alice)).toMatchObject({
      status: 422,
      body: { error: { code: 'strict_no_casino' } },
    });
    desk.breaks = () => ({ accepted: true, username: 'else' });
    const broken = await post('/user', { username: 'break-me', password: 'some-password' }, alice);
    expect(broken).toMatchObject({ status: 503 });
    expect(await profiles()).not.toMatch(/casino-king|break-me/);
  });

  it('are not asked about a password alone, nor about a room without a name', async () => {
    await newUser(app, 'quiet');
    desk.asked.length = 0;
    const quiet = await logIn(app, 'quiet');
    expect((await put(quiet, '/user/quiet', { password: 'another-password' })).status).toBe(200);
    expect((await alice.post('/chat/rooms', { type: 'direct', members: ['bob'] })).status).toBeLessThan(300);
    expect(desk.asked).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    [
      'an error',
      () => {
        throw new Error('broken');
      },
    ],
    ['a refusal of a promise', () => Promise.reject(new Error('broken'))],
    ['nothing', () => undefined],
    ['a text', () => 'no'],
    ['neither yes nor no', () => ({ accepted: 'yes' })],
    ['a code of the service', () => ({ accepted: false, code: 'forbidden', message: 'No.' })],
    ['no code', () => ({ accepted: false, message: 'No.' })],
    ['no message', () => ({ accepted: false, code: 'strict_no_casino' })],
    ['what is no text', () => ({ accepted: true, text: 7 })],
    ['another field', () => ({ accepted: true, txt: 'Hello' })],
    ['another author', () => ({ accepted: true, author: 'bob' })],
    ['nothing in time', () => new Promise(() => undefined)],
  ])('answer 503 where one gives %s, with a line about whose it is', async (_what, breaks) => {
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    desk.breaks = breaks;
    const before = await messages();
    const reply = await alice.post(`/chat/rooms/${room}/messages`, { text: 'break' });
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'temporarily_unavailable' } } });
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(error.mock.calls[0]![0]).toMatchObject({ plugin: 'strict', filter: 'Strict', kind: 'messages' });
    expect(await messages()).toBe(before);
  });

  it.each<[string, string, string]>([
    ['too long', 'é'.repeat(4_001), 'text'],
    ['blank', ' ', 'text'],
    ['empty', '', 'text'],
    ['with control characters', 'a\0b', 'text'],
  ])('are held to the limits of the route where they leave a text that is %s', async (_what, text, field) => {
    desk.breaks = () => ({ accepted: true, text });
    const before = await messages();
    expect(await post(`/chat/rooms/${room}/messages`, { text: 'break' }, alice)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field }] } },
    });
    expect(await messages()).toBe(before);
  });

  it('are held to them for posts, news and profiles, too', async () => {
    desk.breaks = () => ({ accepted: true, title: 'x'.repeat(201) });
    expect((await post('/admin/blog/posts', entry('break'))).body.error.details[0].field).toBe('title');
    desk.breaks = () => ({ accepted: true, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) });
    expect((await post('/admin/blog/posts', entry('break'))).body.error.details[0].field).toBe('tags');
    desk.breaks = () => ({ accepted: true, headline: 'x'.repeat(301) });
    expect((await post('/admin/news', { headline: 'break' })).body.error.details[0].field).toBe('headline');
    desk.breaks = () => ({ accepted: true, firstName: 'x'.repeat(101) });
    expect((await post('/user', user('break'), alice)).body.error.details[0].field).toBe('firstName');
    desk.breaks = () => ({ accepted: true, name: 'x'.repeat(500) });
    expect(
      (await post('/chat/rooms', { type: 'public', name: 'break' }, alice)).body.error.details[0].field,
    ).toBe('name');
  });

  it('do not hold up others while one takes its time', async () => {
    let release: (verdict: unknown) => void = () => undefined;
    desk.breaks = () => new Promise((resolve) => (release = resolve));
    const slow = alice.post(`/chat/rooms/${room}/messages`, { text: 'break slowly' });
    await eventually(() => expect(desk.asked.at(-1)?.[1].text).toBe('break slowly'));
    const quick = await say(alice, room, 'quick');
    release({ accepted: true });
    expect((await slow).body.sequence).toBeGreaterThan(quick.sequence);
  });

  it('give a repeat of a message what the first got', async () => {
    const message = { text: 'Nice slots', client_message_id: 'once' };
    const first = await alice.post(`/chat/rooms/${room}/messages`, message);
    const again = await alice.post(`/chat/rooms/${room}/messages`, message);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
  });
});
