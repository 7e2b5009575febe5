import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { integer, text, TradepostPlugin } from '../../../src/index.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Caller, loggedIn } from '../../support/caller.js';
import type { TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { isRedisMissing, TestRedis } from '../../support/redis.js';

@TradepostPlugin({
  name: 'acme',
  compatibility: '>=0.1.0',
  fields: [
    { on: 'orders', name: 'acme_desk', type: text(20), filterable: true },
    { on: 'orders', name: 'acme_rank', type: integer },
    { on: 'users', name: 'acme_desk', type: text(20) },
  ],
})
class AcmePlugin {}

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '40000', size: '0.01' };

describe.skipIf(isRedisMissing('fields over several processes'))(
  'fields of a plugin that one of two processes lacks',
  () => {
    let database: TestDatabase;
    let redis: TestRedis;
    let leader: TestApp;
    let other: TestApp;
    let without: Caller;
    let having: Caller;
    beforeAll(async () => {
      [database, redis] = await Promise.all([createDemoDatabase(), TestRedis.start()]);
      const settings = { databaseUrl: database.url, redisUrl: redis.url };
      // The writer of the journal does not know the fields that it writes.
      leader = await startTestApp({ ...settings, plugins: [] });
      other = await startTestApp({ ...settings, plugins: [AcmePlugin] });
      without = await callerFor(leader.url, 'demo');
      having = without.at(other.url);
    });
    afterAll(async () => {
      await other.close();
      await leader.close();
      await redis.stop();
      await database.drop();
    });

    it('are written by the one that leads without it, and shown by the other', async () => {
      const placed = await having.place({ ...ORDER, acme_desk: 'fx', acme_rank: 7 });
      expect(placed).toMatchObject({ acme_desk: 'fx', acme_rank: 7 });
      const path = `/orders/${placed.order_id}`;
      expect((await without.get(path)).body).not.toHaveProperty('acme_desk');
      expect((await without.patch(path, { size: '0.009' })).status).toBe(200);
      expect((await without.patch(path, { acme_desk: 'x' })).status).toBe(400);
      expect((await having.get(path)).body).toMatchObject({ acme_desk: 'fx', acme_rank: 7, size: '0.009' });
      expect((await having.patch(path, { acme_rank: null })).body).toMatchObject({
        acme_desk: 'fx',
        acme_rank: null,
      });
      expect((await having.get('/orders?acme_desk=fx')).body.data).toMatchObject([
        { order_id: placed.order_id },
      ]);
    });

    it('stay on users that the other one changes', async () => {
      const alice = await loggedIn(other.url, 'alice');
      expect((await alice.send('PUT', '/user/alice', JSON.stringify({ acme_desk: 'fx' }))).status).toBe(200);
      const there = alice.at(leader.url);
      expect((await there.send('PUT', '/user/alice', JSON.stringify({ firstName: 'Anna' }))).status).toBe(
        200,
      );
      expect((await alice.get('/user/alice')).body).toMatchObject({ firstName: 'Anna', acme_desk: 'fx' });
    });

    it('are there when the other one takes over', async () => {
      const placed = await having.place({ ...ORDER, acme_desk: 'late' });
      await leader.close();
      await eventually(async () => {
        const amended = await having.patch(`/orders/${placed.order_id}`, { size: '0.008' });
        expect(amended).toMatchObject({ status: 200, body: { acme_desk: 'late', size: '0.008' } });
      });
      leader = await startTestApp({ databaseUrl: database.url, redisUrl: redis.url, plugins: [] });
    });
  },
);
