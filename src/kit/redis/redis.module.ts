import { createHash, createHmac } from 'node:crypto';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { CONFIG, type Config } from '../config/config.js';
import { PG_POOL } from '../database/pg-pool.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { REDIS_LINK, RedisLink } from './redis-link.js';

/** Redis for every module, as `REDIS_LINK`: null where `REDIS_URL` is unset. It closes after the core has stopped. */
@Module({
  providers: [{ provide: REDIS_LINK, inject: [CONFIG, PG_POOL, MetricsRegistry], useFactory: openLink }],
  exports: [REDIS_LINK],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS_LINK) private readonly link: RedisLink | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.link?.close();
  }
}

async function openLink(
  { redisUrl }: Config,
  pool: Pool,
  metrics: MetricsRegistry,
): Promise<RedisLink | null> {
  if (redisUrl === undefined) return null;
  const [prefix, key] = await Promise.all([prefixOf(pool), keyOf(pool)]);
  const link = await RedisLink.open({ url: redisUrl, prefix, key });
  metrics.gauge({
    name: 'redis_up',
    help: '1 while Redis can be reached.',
    collect: (gauge) => gauge.set(link.isUp ? 1 : 0),
  });
  return link;
}

/** The processes of one exchange use one database of one PostgreSQL, including its standbys. */
async function prefixOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ exchange: string }>(
    `SELECT system_identifier || '/' || current_database() AS exchange FROM pg_control_system()`,
  );
  const digest = createHash('sha256').update(rows[0]!.exchange).digest('hex');
  return `tradepost:${digest.slice(0, 12)}:`;
}

async function keyOf(pool: Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ secret: Buffer }>('SELECT secret FROM exchange_secret');
  return createHmac('sha256', rows[0]!.secret).update('messages over Redis').digest();
}
