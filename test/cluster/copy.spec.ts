import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetricsRegistry } from '../../src/kit/metrics/metrics-registry.js';
import { REDIS_LINK, type RedisLink } from '../../src/kit/redis/redis-link.js';
import { limit } from '../support/clients/markets-client.js';
import { type Caller, callerFor } from '../support/caller.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/core.js';
import { PgCluster, type PgServer } from '../support/pg-cluster.js';
import { isRedisMissing, TestRedis } from '../support/redis.js';
import { recordStandardOutput } from '../support/standard-output.js';

const MARKET = 'BTC-USD';
const ORDERS = 20;
const nameOf = (link: RedisLink): string => link.nameOf('counter');
const lastingNameOf = (link: RedisLink): string => link.lastingNameOf('counter');
const MISMATCH = 'another installation uses this REDIS_URL';

describe.skipIf(isRedisMissing('a copy of the exchange'))(
  'a restored copy with all settings of production',
  () => {
    let cluster: PgCluster;
    let redis: TestRedis;
    let leader: TestApp;
    let replica: TestApp;
    let copyServer: PgServer;
    let copy: TestApp | null = null;
    let trader: Caller;
    let placed = 0;

    const start = (databaseUrl: string): Promise<TestApp> =>
      startTestApp({
        databaseUrl,
        redisUrl: redis.url,
        seedDemo: true,
        rateLimits: 'off',
        logLevel: 'error',
      });

    beforeAll(async () => {
      [cluster, redis] = await Promise.all([PgCluster.start(), TestRedis.start()]);
      await cluster.requireNobody();
      leader = await start(cluster.primary.url);
      replica = await start(cluster.primary.url);
      trader = await callerFor(replica.url, 'demo');
      copyServer = await cluster.startCopy();
    }, 120_000);

    afterAll(async () => {
      for (const app of [copy, replica, leader]) await app?.close();
      await redis?.stop();
      await cluster?.stop();
    });

    /** By their own ids, in the order in which they were acknowledged. */
    async function placeAll(here: Caller, count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) {
        const id = `order-${++placed}`;
        await here.place({ ...limit(MARKET, 'buy', '10', '0.01'), client_order_id: id });
        ids.push(id);
      }
      return ids;
    }

    /** Those of the ids that are in the database of a process. */
    async function knownTo({ url }: TestApp, ids: readonly string[]): Promise<string[]> {
      const orders = await trader.at(url).walk('/orders', 100);
      const known = new Set(orders.map(({ client_order_id }) => client_order_id as string));
      return ids.filter((id) => known.has(id));
    }

    const healthOf = async ({ url }: TestApp): Promise<{ status: string; text: string }> => {
      const { body } = await (await callerFor(url, 'admin')).get('/health');
      return { status: body.status, text: JSON.stringify(body) };
    };

    it('takes none of the orders of a replica of production, and tells nothing of its own to it', async () => {
      const log = recordStandardOutput();
      try {
        copy = await start(copyServer.url);
        const apps = [leader, replica, copy];
        const ids = await placeAll(trader, ORDERS);
        const ofTheCopy = await placeAll(trader.at(copy.url), 5);
        expect(await knownTo(leader, [...ids, ...ofTheCopy])).toEqual(ids);
        expect(await knownTo(replica, [...ids, ...ofTheCopy])).toEqual(ids);
        expect(await knownTo(copy, [...ids, ...ofTheCopy])).toEqual(ofTheCopy);

        for (const app of apps) {
          await eventually(async () => {
            expect((await healthOf(app)).text).toContain(MISMATCH);
          });
          expect((await healthOf(app)).status).toBe('degraded');
          expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
          expect(await app.app.nest.get(MetricsRegistry).render()).toContain(
            'tradepost_core_other_installation 1',
          );
        }
        expect(log.text().split(MISMATCH)).toHaveLength(1 + apps.length);
        const links = apps.map(({ app }) => app.nest.get<RedisLink>(REDIS_LINK));
        for (const nameIn of [nameOf, lastingNameOf]) {
          const [one, same, another] = links.map(nameIn);
          expect(same).toBe(one);
          expect(another).not.toBe(one);
        }
        const later = await placeAll(trader, 5);
        expect(await knownTo(leader, later)).toEqual(later);
      } finally {
        log.stop();
      }
    });

    it('has ended, and the replica serves on at once', async () => {
      await copy!.close();
      copy = null;
      const ids = await placeAll(trader, 5);
      expect(await knownTo(leader, ids)).toEqual(ids);
      for (const app of [leader, replica]) {
        await eventually(async () => (await healthOf(app)).status === 'ok', 'the health is good again');
      }
    });
  },
);
