import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebhookTiming } from '../../../src/modules/webhooks/delivery/webhook-timing.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { logIn } from '../../support/clients/users-client.js';
import { eventually } from '../../support/core.js';
import { openPool } from '../../support/pool.js';
import { type Arrival, WebhookReceiver } from '../../support/webhook-receiver.js';

const ATTEMPTS = 3;
const PAUSE_MS = 30;

/** The order of events, for who wants one at a time, and for who pulls. */
describe('webhooks', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  let demo: Caller;
  let operator: Caller;
  let next = 0;
  beforeAll(async () => {
    service = await startTestApp({ webhookAllowPrivate: true });
    receiver = await WebhookReceiver.start();
    [demo, operator] = await Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'admin')]);
    const timing = service.app.nest.get(WebhookTiming, { strict: false });
    vi.spyOn(timing, 'pauseMs').mockImplementation((step) => (step < ATTEMPTS ? PAUSE_MS : null));
  });
  beforeEach(() => {
    receiver.answer = () => ({ status: 204 });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.close();
    await receiver.close();
  });

  async function register(more: Json = {}): Promise<Json> {
    const path = `/hook-${next++}`;
    const body = { url: receiver.url(path), event_types: ['news.published'], ...more };
    const reply = await demo.post('/news/webhooks', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return { ...reply.body, path };
  }

  /** Their ids, the first one first. */
  async function publish(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const { body } = await operator.post('/admin/news', { headline: `Fees fall, part ${next++}` });
      ids.push(body.news_id);
    }
    return ids;
  }

  const newsOf = ({ event }: Arrival): string => event.data.news_id;

  /** All events from a cursor on, page after page, until so many are there. */
  async function pull(webhookId: string, count: number, cursor: string | null = null): Promise<Json> {
    const events: Json[] = [];
    let at = cursor;
    await eventually(async () => {
      const query = new URLSearchParams({ limit: '2', ...(at !== null && { cursor: at }) });
      const { status, body } = await demo.get(`/news/webhooks/${webhookId}/events?${query.toString()}`);
      expect(status).toBe(200);
      events.push(...body.data);
      at = body.next_cursor;
      expect(events.length).toBeGreaterThanOrEqual(count);
    });
    return { events, cursor: at };
  }

  describe('an ordered one', () => {
    it('gets one event at a time, and what comes after a failure waits for it', async () => {
      const { path, ordered } = await register({ ordered: true });
      expect(ordered).toBe(true);
      let running = 0;
      let most = 0;
      receiver.answer = ({ path: to }) => {
        if (to !== path) return { status: 204 };
        most = Math.max(most, ++running);
        running--;
        // Each event fails once.
        const arrived = receiver.at(path);
        return { status: arrived.filter(({ id }) => id === arrived.at(-1)!.id).length < 2 ? 500 : 204 };
      };
      const ids = await publish(6);
      await eventually(() => receiver.at(path).length === 12, 'each arrives twice');
      expect(receiver.at(path).map(newsOf)).toEqual(ids.flatMap((id) => [id, id]));
      expect(most).toBe(1);
    });

    it('goes on with the next event once one is given up', async () => {
      const { path } = await register({ ordered: true });
      const [first, ...others] = await (async () => {
        receiver.answer = (arrival) =>
          arrival.path === path && newsOf(arrival) === newsOf(receiver.at(path)[0]!)
            ? 'cut'
            : { status: 204 };
        return publish(3);
      })();
      await eventually(() => receiver.at(path).length === ATTEMPTS + 2, 'all arrive');
      expect(receiver.at(path).map(newsOf)).toEqual([first, first, first, ...others]);
    });

    it('gets what was made before it was ordered, and what is made while it changes, each once', async () => {
      const { path, webhook_id } = await register();
      const before = await publish(3);
      await demo.patch(`/news/webhooks/${webhook_id}`, { ordered: true });
      const after = await publish(3);
      await eventually(() => receiver.at(path).length === 6, 'all arrive');
      const arrived = receiver.at(path).map(newsOf);
      expect(arrived.slice(0, 3).sort()).toEqual([...before].sort());
      expect(arrived.slice(3)).toEqual(after);
    });

    it('waits for a transaction that may still publish something earlier', async () => {
      const { path, webhook_id } = await register({ ordered: true });
      const pool = openPool(service.config.databaseUrl!);
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      const ids = await publish(2);
      await eventually(async () => {
        const { body } = await demo.get(`/news/webhooks/${webhook_id}/deliveries`);
        expect(body.data).toHaveLength(2);
      });
      expect((await demo.get(`/news/webhooks/${webhook_id}/events`)).body).toEqual({
        data: [],
        next_cursor: null,
        has_more: false,
      });
      expect(receiver.at(path)).toEqual([]);
      await client.query('COMMIT');
      client.release();
      await pool.end();
      await eventually(() => receiver.at(path).length === 2, 'all arrive');
      expect(receiver.at(path).map(newsOf)).toEqual(ids);
    });
  });

  describe('pulling', () => {
    it('answers each event once and in order, page after page, delivered or not', async () => {
      const { path, webhook_id } = await register();
      receiver.answer = ({ path: to }) => (to === path ? 'cut' : { status: 204 });
      const ids = await publish(5);
      const first = await pull(webhook_id, 5);
      expect(first.events.map(({ data }: Json) => data.news_id)).toEqual(ids);
      expect(first.events[0]).toMatchObject({
        event_id: expect.stringMatching(/^evt_/),
        type: 'news.published',
        timestamp: expect.any(String),
      });
      // Where there is nothing new, the cursor stays good.
      const again = await demo.get(`/news/webhooks/${webhook_id}/events?cursor=${first.cursor}`);
      expect(again.body).toEqual({ data: [], next_cursor: first.cursor, has_more: false });
      const later = await publish(2);
      const { events } = await pull(webhook_id, 2, first.cursor);
      expect(events.map(({ data }: Json) => data.news_id)).toEqual(later);
    });

    it('needs no address: then nothing is sent', async () => {
      const { webhook_id, url } = await register({ url: undefined });
      expect(url).toBeNull();
      const ids = await publish(2);
      const { body: test } = await demo.post(`/news/webhooks/${webhook_id}/test`, undefined);
      expect(test).toMatchObject({ status: 'stored', next_attempt_at: null, attempts_made: 0 });
      const { events } = await pull(webhook_id, 3);
      expect(events.map(({ type }: Json) => type)).toEqual([
        'news.published',
        'news.published',
        'webhook.test',
      ]);
      expect(events.slice(0, 2).map(({ data }: Json) => data.news_id)).toEqual(ids);
      const conflict = { status: 409, body: { error: { code: 'conflict' } } };
      const address = `/news/webhooks/${webhook_id}`;
      expect(await demo.post(`${address}/deliveries/${test.delivery_id}/resend`, undefined)).toMatchObject(
        conflict,
      );
      expect(await demo.post(`${address}/recover`, { since: '2026-01-01T00:00:00Z' })).toMatchObject(
        conflict,
      );
      expect((await demo.get(`${address}/deliveries?status=stored`)).body.data).toHaveLength(3);
    });

    it('is nobody else’s business, and takes no cursor that was made up', async () => {
      const { webhook_id } = await register();
      const stranger = await logIn(service, 'alice');
      for (const route of ['events', 'deliveries'])
        expect((await stranger.get(`/news/webhooks/${webhook_id}/${route}`)).status).toBe(404);
      expect(
        (await stranger.post(`/news/webhooks/${webhook_id}/recover`, { since: '2026-01-01T00:00:00Z' }))
          .status,
      ).toBe(404);
      for (const cursor of [
        'x',
        Buffer.from('[1]').toString('base64url'),
        Buffer.from('["1",2]').toString('base64url'),
      ])
        expect(await demo.get(`/news/webhooks/${webhook_id}/events?cursor=${cursor}`)).toMatchObject({
          status: 400,
          body: { error: { code: 'invalid_cursor' } },
        });
    });
  });

  describe('recovering', () => {
    it('sends again what has failed since a time, and nothing else', async () => {
      const { path, webhook_id } = await register({ ordered: true });
      receiver.answer = ({ path: to }) => (to === path ? 'cut' : { status: 204 });
      const lost = await publish(3);
      const failed = await eventually(async () => {
        const { body } = await demo.get(`/news/webhooks/${webhook_id}/deliveries?status=failed`);
        expect(body.data).toHaveLength(3);
        return body.data;
      });
      receiver.answer = () => ({ status: 204 });
      const [arrived] = await publish(1);
      await eventually(() => newsOf(receiver.at(path).at(-1)!) === arrived, 'one arrives');
      const address = `/news/webhooks/${webhook_id}`;
      const later = new Date(Date.parse(failed[0].created_at) + 1).toISOString();
      expect((await demo.get(`${address}/deliveries?from=${later}`)).body.data).toHaveLength(1);
      expect((await demo.post(`${address}/recover`, { since: later })).body).toEqual({ recovered: 0 });
      const count = receiver.at(path).length;
      const since = failed[2].created_at;
      expect(await demo.post(`${address}/recover`, { since })).toMatchObject({
        status: 200,
        body: { recovered: 3 },
      });
      await eventually(() => receiver.at(path).length === count + 3, 'they arrive');
      expect(receiver.at(path).slice(count).map(newsOf)).toEqual(lost);
      expect((await demo.post(`${address}/recover`, { since })).body).toEqual({ recovered: 0 });
      for (const body of [{}, { since: 'yesterday' }, { since, all: true }])
        expect((await demo.post(`${address}/recover`, body)).status).toBe(400);
      await demo.patch(address, { disabled: true });
      expect((await demo.post(`${address}/recover`, { since })).status).toBe(409);
    });
  });
});
