import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { WebhookUpkeep } from '../../../src/modules/webhooks/delivery/webhook-upkeep.js';
import { NewsRetention } from '../../../src/modules/news/items/news-retention.js';
import { IdleRooms } from '../../../src/modules/chat/rooms/idle-rooms.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { eventually, queryOnce } from '../../support/core.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { clientOf, logIn, refusalOf, type UserCaller } from '../../support/clients/users-client.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const environment = {
  RETENTION_NEWS_DAYS: '10',
  RETENTION_DELIVERIES_DAYS: '5',
  RETENTION_LOGS_DAYS: '30',
  RETENTION_IDLE_ROOMS_DAYS: '20',
};

let app: TestApp;
let receiver: WebhookReceiver;
let operator: UserCaller;
let alice: UserCaller;

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await startTestApp({ rateLimits: 'off', webhookAllowPrivate: true, environment });
  operator = await clientOf(app, 'admin');
  alice = await logIn(app, 'alice');
});
afterAll(async () => {
  await expectBalancedBooks(operator);
  await app?.close();
  await receiver?.close();
});

describe('news', () => {
  it('goes after its days, without a word, and lists go on', async () => {
    const hook = { url: receiver.url('/news'), event_types: ['news.removed'] };
    expect((await alice.post('/news/webhooks', hook)).status).toBe(201);
    const publish = async (headline: string, days: number): Promise<string> => {
      const item = {
        headline,
        content: `<p>${headline}</p>`,
        symbols: ['BTC-USD'],
        published_at: daysAgo(days),
      };
      const reply = await operator.post('/admin/news', item);
      expect(reply.status, JSON.stringify(reply.body)).toBe(201);
      return reply.body.news_id as string;
    };
    const old = [await publish('Aged zorblatt', 11), await publish('Older zorblatt', 400)];
    const young = [await publish('Young one', 9), await publish('Youngest', 0)];
    const first = await alice.get('/news?limit=1');
    await app.app.nest
      .get(NewsRetention, { strict: false })
      .removeNext(Number(environment.RETENTION_NEWS_DAYS));
    for (const id of old) expect(refusalOf(await alice.get(`/news/${id}`))).toBe('404 not_found');
    for (const id of young) expect((await alice.get(`/news/${id}`)).status).toBe(200);
    // A cursor from before goes on.
    const rest = await alice.get(`/news?limit=200&cursor=${first.body.next_cursor}`);
    expect(rest.status).toBe(200);
    const listed = (await alice.walk('/news', 2)).map(({ news_id }) => news_id as string);
    expect(listed).toEqual(expect.arrayContaining(young));
    for (const id of old) expect(listed).not.toContain(id);
    expect((await alice.get('/news?symbol=BTC-USD&limit=200')).status).toBe(200);
    expect(
      await query(`SELECT FROM news_items WHERE headline ILIKE '%zorblatt%' OR content ILIKE '%zorblatt%'`),
    ).toEqual([]);
    expect(await query(`SELECT FROM webhook_events WHERE type = 'news.removed'`)).toEqual([]);
  });
});

describe('deliveries of webhooks', () => {
  it('go after their days with their events and attempts', async () => {
    const trader = await clientOf(app, 'demo');
    const hook = { url: receiver.url('/orders'), event_types: ['order.accepted'] };
    const { body: webhook } = await trader.post('/news/webhooks', hook);
    for (const price of ['10', '11']) {
      await trader.place({ market_id: 'BTC-USD', side: 'buy', type: 'limit', price, size: '0.1' });
    }
    const path = `/news/webhooks/${webhook.webhook_id}/deliveries`;
    await eventually(async () => {
      const { data } = (await trader.get(path)).body;
      expect(data.map(({ status }: Json) => status)).toEqual(['delivered', 'delivered']);
    });
    await query(
      `UPDATE webhook_events SET created_at = now() - interval '6 days'
       WHERE event_id = (SELECT min(event_id) FROM webhook_events WHERE type = 'order.accepted')`,
    );
    await app.app.nest.get(WebhookUpkeep, { strict: false }).removeOld();
    expect((await trader.get(path)).body.data).toHaveLength(1);
    expect(
      await query(
        'SELECT FROM webhook_attempts WHERE delivery_id NOT IN (SELECT delivery_id FROM webhook_deliveries)',
      ),
    ).toEqual([]);
  });
});

describe('logs', () => {
  it('go after their days: jobs that were given up, and notes of reset passwords', async () => {
    await query(
      `SELECT graphile_worker.add_job('nobody.does_this', max_attempts => 1),
         graphile_worker.add_job('nobody.does_that', max_attempts => 1)`,
    );
    await query('UPDATE graphile_worker._private_jobs SET attempts = 1 WHERE max_attempts = 1');
    await query(
      `UPDATE graphile_worker._private_jobs SET updated_at = now() - interval '31 days'
       WHERE id = (SELECT min(id) FROM graphile_worker._private_jobs WHERE max_attempts = 1)`,
    );
    await query(
      `INSERT INTO password_resets (user_id, reset_by, reset_at)
       SELECT min(user_id), 'user:1', now() - days * interval '1 day' FROM users, (VALUES (29), (31)) AS v (days)
       GROUP BY days`,
    );
    await app.app.nest.get(Purges, { strict: false }).purgeNext();
    expect(await query('SELECT FROM graphile_worker._private_jobs WHERE max_attempts = 1')).toHaveLength(1);
    const resets = await query(
      `SELECT reset_at > now() - interval '30 days' AS is_young FROM password_resets`,
    );
    expect(resets).toEqual([{ is_young: true }]);
  });
});

describe('rooms', () => {
  async function makeRoom(name: string): Promise<string> {
    const { body: room } = await alice.post('/chat/rooms', { type: 'public', name });
    const messages = `/chat/rooms/${room.room_id}/messages`;
    const { body: parent } = await alice.post(messages, { text: `First in ${name}` });
    await alice.post(messages, { text: `Reply in ${name}`, parent_id: parent.message_id });
    return room.room_id as string;
  }
  const numberOf = async (name: string): Promise<string> =>
    (await query('SELECT room_id FROM chat_rooms WHERE name = $1', [name]))[0]!.room_id as string;
  const age = async (name: string, days: number): Promise<unknown> =>
    query(`UPDATE chat_events SET created_at = now() - $2 * interval '1 day' WHERE room_id = $1`, [
      await numberOf(name),
      days,
    ]);

  it('go once they are idle, with all that is in them; streams of theirs end', async () => {
    const idle = await makeRoom('Idle quixmoor');
    const busy = await makeRoom('Busy');
    const nearly = await makeRoom('Nearly');
    await age('Idle quixmoor', 21);
    await age('Busy', 21);
    await age('Nearly', 19);
    await alice.post(`/chat/rooms/${busy}/messages`, { text: 'Still here' });
    const { body: ticket } = await alice.post('/auth/stream-tickets', { path: `/chat/rooms/${idle}/stream` });
    const stream = new EventSource(`${app.url}/chat/rooms/${idle}/stream?ticket=${ticket.ticket}`);
    const failures: number[] = [];
    stream.addEventListener('error', ({ code }) => failures.push(code ?? 0));
    try {
      await eventually(() => stream.readyState === EventSource.OPEN, 'the stream is open');
      const roomNumber = await numberOf('Idle quixmoor');
      await app.app.nest
        .get(IdleRooms, { strict: false })
        .deleteNext(Number(environment.RETENTION_IDLE_ROOMS_DAYS));
      for (const path of [
        `/chat/rooms/${idle}`,
        `/chat/rooms/${idle}/messages`,
        `/chat/rooms/${idle}/events`,
      ]) {
        expect(refusalOf(await alice.get(path))).toBe('404 not_found');
      }
      expect(refusalOf(await alice.post(`/chat/rooms/${idle}/messages`, { text: 'Too late' }))).toBe(
        '404 not_found',
      );
      for (const table of ['chat_rooms', 'chat_messages', 'chat_events', 'chat_members']) {
        expect(await query(`SELECT FROM ${table} WHERE room_id = $1`, [roomNumber]), table).toEqual([]);
      }
      for (const kept of [busy, nearly]) {
        expect((await alice.get(`/chat/rooms/${kept}/messages`)).body.data.length).toBeGreaterThan(1);
      }
      // The end comes with an error or a closed connection, and the next try is told that there is no such room.
      await eventually(() => failures.length > 0, 'the stream ends');
      await eventually(() => stream.readyState === EventSource.CLOSED, 'the client gives up');
      expect(failures.every((status) => status < 500)).toBe(true);
    } finally {
      stream.close();
    }
  });
});
