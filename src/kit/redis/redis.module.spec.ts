import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '../../../test/support/database.js';
import { isRedisMissing, TestRedis } from '../../../test/support/redis.js';
import { CONFIG } from '../config/config.js';
import { createPgPool, PG_POOL } from '../database/pg-pool.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { NO_NAMESPACE, REDIS_LINK, type RedisLink } from './redis-link.js';
import { RedisModule } from './redis.module.js';

describe('RedisModule', () => {
  const databases: TestDatabase[] = [];
  const pools: Pool[] = [];

  beforeAll(async () => {
    databases.push(await createTestDatabase(), await createTestDatabase());
    pools.push(...databases.map(({ url }) => createPgPool(url)));
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    for (const database of databases) await database.drop();
  });

  function start(pool: Pool, redisUrl: string | undefined): Promise<TestingModule> {
    @Global()
    @Module({
      imports: [MetricsModule],
      providers: [
        { provide: CONFIG, useValue: { redisUrl } },
        { provide: PG_POOL, useValue: pool },
      ],
      exports: [CONFIG, PG_POOL, MetricsModule],
    })
    class Surroundings {}
    return Test.createTestingModule({ imports: [Surroundings, RedisModule] }).compile();
  }

  it('gives null where no Redis is set', async () => {
    const nest = await start(pools[0]!, undefined);
    expect(nest.get(REDIS_LINK)).toBeNull();
    await nest.close();
  });

  it.skipIf(isRedisMissing('the module of Redis'))(
    'joins the processes of one database, and ends the link when the service stops',
    async () => {
      const redis = await TestRedis.start();
      const services = await Promise.all(
        [pools[0]!, pools[0]!, pools[1]!].map((pool) => start(pool, redis.url)),
      );
      try {
        const [ann, bob, other] = services.map((nest) => nest.get<RedisLink>(REDIS_LINK));
        await Promise.all([ann!, bob!, other!].map((link) => link.moveTo('of one leader')));
        await bob!.subscribe('news', () => undefined);
        await other!.subscribe('news', () => undefined);
        expect(await ann!.publish('news', '')).toBe(1);
        expect(ann!.nameOf('news', NO_NAMESPACE)).toMatch(/^tradepost:[0-9a-f]{12}:news$/);
        expect(await services[0]!.get(MetricsRegistry).render()).toContain('tradepost_redis_up 1');
        await services[0]!.close();
        await expect(ann!.publish('news', '')).rejects.toThrow();
      } finally {
        for (const nest of services) await nest.close();
        await redis.stop();
      }
    },
  );
});
