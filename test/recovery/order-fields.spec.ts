import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerFor, type Json } from '../support/caller.js';
import { eventually } from '../support/eventually.js';
import { isRedisMissing, TestRedis } from '../support/redis.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ROUNDS = rounds('CRASH_ROUNDS', 2, 20);
const WITH_FIELDS = {
  PLUGINS: fileURLToPath(new URL('../../dist/examples/order-desks/order-desks.plugin.js', import.meta.url)),
};
const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '100', size: '0.01' };

describe('fields of orders', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close(), 180_000);

  const expectVerified = async (service: ServiceProcess): Promise<void> => {
    expect(await service.stop()).toBe(0);
    expect(await site.verify()).toMatchObject({ code: 0 });
  };

  it('are there after kill -9, with every order that was answered, and by the journal alone', async () => {
    const answered = new Map<string, Json>();
    for (let round = 0; round < ROUNDS; round++) {
      const service = await site.start(WITH_FIELDS);
      const demo = await callerFor(service.url, 'demo');
      const place = async (writer: number): Promise<void> => {
        for (let ticket = 0; ; ticket++) {
          const fields = {
            order_desks_desk: `desk ${writer} “\u{1f600}”`,
            order_desks_ticket: round * 10_000 + ticket,
          };
          const placed = await demo.place({ ...ORDER, ...fields });
          answered.set(placed.order_id, fields);
          if (ticket % 3 !== 0) continue;
          const amended = { order_desks_ticket: null, order_desks_desk: 'moved' };
          const reply = await demo.patch(`/orders/${placed.order_id}`, amended);
          if (reply.status === 200) answered.set(placed.order_id, amended);
        }
      };
      const before = answered.size;
      const writing = [1, 2, 3].map((writer) => place(writer).catch(() => undefined));
      await eventually(() => answered.size > before + 20, 'orders are answered');
      await delay(Math.random() * 50);
      await service.kill();
      await Promise.all(writing);
    }
    const service = await site.start(WITH_FIELDS);
    const demo = await callerFor(service.url, 'demo');
    const orders = new Map((await demo.walk('/orders', 200)).map((order) => [order.order_id, order]));
    for (const [id, fields] of answered) {
      const order = orders.get(id);
      // An amendment that was cut off may have been made all the same.
      if (order.order_desks_desk !== 'moved') expect(order).toMatchObject(fields);
      else expect(order.order_desks_ticket).toBeNull();
    }
    expect([...orders.values()].some((order) => order.order_desks_desk === 'moved')).toBe(true);
    expect(await service.stop()).toBe(0);
    const { code, said } = await site.rebuild();
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(await site.verify()).toMatchObject({ code: 0 });
  });

  it.skipIf(isRedisMissing('two versions of fields'))(
    'outlive a process that knows nothing of them, whoever leads',
    async () => {
      const redis = await TestRedis.start();
      try {
        const REDIS_URL = redis.url;
        const older = await site.start({ REDIS_URL });
        const newer = await site.start({ ...WITH_FIELDS, REDIS_URL });
        const demo = await callerFor(newer.url, 'demo');
        const fields = { order_desks_desk: 'fx', order_desks_ticket: 7 };
        // The older one leads, and writes what it does not know.
        const { order_id: id } = await demo.place({ ...ORDER, ...fields });
        const path = `/orders/${id}`;
        const there = demo.at(older.url);
        expect((await there.get(path)).body).not.toHaveProperty('order_desks_desk');
        expect((await there.patch(path, { order_desks_desk: 'mine' })).body.error.code).toBe(
          'validation_failed',
        );
        expect((await there.patch(path, { price: '101' })).status).toBe(200);
        expect((await demo.get(path)).body).toMatchObject({ price: '101', ...fields });

        await older.kill();
        await newer.ready();
        await eventually(async () =>
          expect((await demo.patch(path, { order_desks_ticket: 8 })).status).toBe(200),
        );
        const again = await site.start({ REDIS_URL });
        expect((await demo.at(again.url).patch(path, { price: '102' })).status).toBe(200);
        await newer.kill();
        await again.ready();
        await eventually(async () =>
          expect((await demo.at(again.url).patch(path, { price: '103' })).status).toBe(200),
        );
        await again.kill();
        const last = await site.start({ ...WITH_FIELDS, REDIS_URL });
        await last.ready();
        expect((await demo.at(last.url).get(path)).body).toMatchObject({
          price: '103',
          order_desks_desk: 'fx',
          order_desks_ticket: 8,
        });
        await expectVerified(last);
      } finally {
        await redis.stop();
      }
    },
  );
});
