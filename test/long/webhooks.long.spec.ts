import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NEWS_PUBLISHED } from '../../src/modules/news/items/news-events.js';
import { Webhooks } from '../../src/kit/webhooks/webhooks.js';
import { callerFor } from '../support/caller.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';
import { startTestApp, type TestApp } from '../support/app.js';

const EVENTS = Number(process.env.EVENTS ?? 1_000);
const ANSWERING = Number(process.env.ANSWERING ?? 45);
const HANGING = Number(process.env.HANGING ?? 5);
const EVENTS_A_TRANSACTION = 50;

describe('many events to many webhooks, some of which hang', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    service = await startTestApp({ webhookAllowPrivate: true });
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  it(`brings ${EVENTS} events to ${ANSWERING} webhooks while ${HANGING} never answer`, async () => {
    const demo = await callerFor(service.url, 'demo');
    const secrets = new Map<string, string>();
    const register = async (path: string): Promise<void> => {
      const { body } = await demo.post('/news/webhooks', { url: receiver.url(path) });
      secrets.set(path, body.secret as string);
    };
    const hanging = Array.from({ length: HANGING }, (_, place) => `/hanging-${place}`);
    const answering = Array.from({ length: ANSWERING }, (_, place) => `/answering-${place}`);
    // Hanging receivers come first wherever endpoints take turns.
    for (const path of [...hanging, ...answering]) await register(path);
    receiver.answer = ({ path }) => (path.startsWith('/hanging') ? 'hang' : { status: 204 });

    const webhooks = service.app.nest.get(Webhooks);
    const dataSource = service.app.nest.get<DataSource>(getDataSourceToken());
    const { body: example } = await demo.get('/news?limit=1');
    for (let first = 0; first < EVENTS; first += EVENTS_A_TRANSACTION) {
      const count = Math.min(EVENTS_A_TRANSACTION, EVENTS - first);
      const events = Array.from({ length: count }, (_, place) => ({
        type: NEWS_PUBLISHED,
        audience: 'everyone' as const,
        data: { ...example.data[0], headline: `Event ${first + place}` },
      }));
      await dataSource.transaction((manager) => webhooks.publish(manager, ...events));
    }

    await vi.waitFor(
      () => {
        expect(receiver.arrivals.length).toBeGreaterThanOrEqual(EVENTS * ANSWERING);
        for (const path of answering) {
          const headlines = new Set(receiver.at(path).map(({ event }) => event.data.headline as string));
          expect(headlines.size, path).toBe(EVENTS);
        }
      },
      { timeout: 1_800_000, interval: 500 },
    );
    for (const path of answering) {
      const ids = receiver.at(path).map(({ id }) => id);
      // None fails, so none is sent twice.
      expect(ids.length, path).toBe(new Set(ids).size);
      verified(receiver.at(path).at(-1)!, secrets.get(path)!);
    }
    // Each hanging receiver holds only one attempt at a time, for as long as an attempt may take.
    for (const path of hanging) expect(receiver.at(path).length, path).toBeGreaterThan(0);
    const { data } = (await demo.get('/news/webhooks?limit=200')).body;
    for (const { disabled } of data) expect(disabled).toBe(false);
  });
});
