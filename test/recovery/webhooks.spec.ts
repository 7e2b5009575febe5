import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, callerFor, type Json } from '../support/caller.js';
import { createMarket, limit } from '../support/clients/markets-client.js';
import { verified, WebhookReceiver } from '../support/webhook-receiver.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, Site } from './service-under-fire.js';
import { eventually } from '../support/eventually.js';

const ROUNDS = rounds('CRASH_ROUNDS', 2, 20);
const CHANGES_A_ROUND = 30;
const LISTENED_TO = [
  'news.published',
  'order.accepted',
  'order.filled',
  'fill.created',
  'transfer.completed',
];

describe('kill -9 between a change and the webhook that tells of it', () => {
  let site: Site;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    site = await Site.open({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  });
  afterEach(() => site.close(), 180_000);

  it(
    'loses no event, and a repeated one keeps its id and its body',
    async () => {
      let service = await site.start();
      let [demo, maker, operator] = await callers(service);
      const market = await createMarket(operator, 'CRASH-USD');
      const { wallet_id: wallet } = (await demo.post('/wallets', { name: 'Savings' })).body;
      const { secret } = (
        await demo.post('/news/webhooks', { url: receiver.url(), event_types: LISTENED_TO })
      ).body;
      // Some are answered too late, some not at all, so that one is always in flight at a kill.
      receiver.answer = ({ id }) =>
        id.charCodeAt(id.length - 1) % 3 === 0 ? { status: 503 } : { status: 204 };

      const done: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const hammering = Promise.allSettled(
          Array.from({ length: CHANGES_A_ROUND }, async (_, place) => {
            await delay(place * 15);
            await makeChanges(`${round}-${place}`);
          }),
        );
        await delay(200 + Math.random() * 400);
        await service.kill();
        await hammering;
        service = await site.start();
        [demo, maker, operator] = await callers(service);
      }
      receiver.answer = () => ({ status: 204 });
      await eventually(async () => {
        // The pauses after failures are minutes, too long for a test.
        await site.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending'`);
        const told = new Set(receiver.arrivals.flatMap(({ event }) => [nameOf(event), subjectOf(event)]));
        expect(done.filter((name) => !told.has(name))).toEqual([]);
      });

      const bodies = new Map<string, string>();
      for (const { id, body } of receiver.arrivals) {
        expect(bodies.get(id) ?? body).toBe(body);
        bodies.set(id, body);
      }
      for (const arrival of receiver.arrivals) verified(arrival, secret as string);
      // One event, one id: no event is sent under two.
      const names = [...bodies.values()].map((body) => nameOf(JSON.parse(body)));
      expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
      expect(await service.stop()).toBe(0);

      /** Makes one change of each kind, and records the events expected for each acknowledged change. */
      async function makeChanges(name: string): Promise<void> {
        const news = await operator.post('/admin/news', { headline: name });
        done.push(`news.published:${news.body.news_id}`);
        const order = await demo.post('/orders', limit(market, 'buy', '100', '1', { client_order_id: name }));
        done.push(`order:${order.body.order_id}`);
        const sale = await maker.post('/orders', limit(market, 'sell', '100', '1'));
        done.push(...sale.body.fills.map(({ trade_id }: Json) => `fill.created:${trade_id}`));
        const { body } = await demo.post('/accounts/me/transfers', {
          asset: 'USD',
          amount: '1',
          destination: { type: 'wallet', wallet_id: wallet },
          client_transfer_id: name,
        });
        done.push(`transfer.completed:out:${body.transfer_id}`, `transfer.completed:in:${body.transfer_id}`);
      }
    },
    180_000 + ROUNDS * 40_000,
  );

  function callers(service: ServiceProcess): Promise<[demo: Caller, maker: Caller, operator: Caller]> {
    return Promise.all([
      callerFor(service.url, 'demo'),
      callerFor(service.url, 'maker'),
      callerFor(service.url, 'admin'),
    ]);
  }
});

/** A name that identifies the event's subject. */
function nameOf({ type, data }: Json): string {
  switch (type) {
    case 'news.published':
      return `${type}:${data.news_id}`;
    case 'fill.created':
      return `${type}:${data.trade_id}`;
    case 'transfer.completed':
      return `${type}:${data.direction}:${data.transfer_id}`;
    default:
      return `${type}:${data.order_id}`;
  }
}

/** An order filled at once is published as filled only: it must be published, one way or the other. */
function subjectOf({ data }: Json): string {
  return `order:${data.order_id}`;
}
