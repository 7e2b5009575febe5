import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databaseIdentityOf, readMark } from '../../src/core/reads/read-mark.js';
import { ReadStandby } from '../../src/core/reads/read-standby.js';
import { PG_POOL } from '../../src/kit/database/pg-pool.js';
import { READS_APPLICATION_NAME } from '../../src/kit/database/standby-connections.js';
import { MetricsRegistry } from '../../src/kit/metrics/metrics-registry.js';
import { accept, createEvent, openAccount, quote } from '../support/clients/exchange-client.js';
import { type Caller, callerFor, type Json } from '../support/caller.js';
import { limit } from '../support/clients/markets-client.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { eventually, queryOnce } from '../support/core.js';
import { PgCluster } from '../support/pg-cluster.js';
import { isRedisMissing, TestRedis } from '../support/redis.js';

const MARKET = 'READ-STANDBY';
const ELSEWHERE = 'elsewhere';
const ROUNDS = 5;

describe.skipIf(isRedisMissing('reads of a standby'))('reads of a standby', () => {
  let cluster: PgCluster;
  let redis: TestRedis;
  /** The first one leads. */
  let apps: TestApp[] = [];
  let operator: Caller;
  let maker: Caller;
  let demo: Caller;
  let bets = 0;

  beforeAll(async () => {
    [cluster, redis] = await Promise.all([PgCluster.start(), TestRedis.start()]);
    // Its standby is stopped in these tests, while orders must continue.
    await cluster.requireNobody();
    await makeElsewhere();
    const settings = {
      databaseUrl: cluster.primary.url,
      databaseReadUrl: cluster.standby!.url,
      redisUrl: redis.url,
      rateLimits: 'off',
      seedDemo: true,
    } as const;
    apps = [await startTestApp(settings)];
    apps.push(await startTestApp(settings));
    const { url } = apps[0]!;
    [operator, maker, demo] = await Promise.all([
      callerFor(url, 'admin'),
      callerFor(url, 'maker'),
      callerFor(url, 'demo'),
    ]);
    await createEvent(operator, MARKET);
  }, 120_000);

  afterAll(async () => {
    for (const app of apps.reverse()) await app.close();
    await redis?.stop();
    await cluster?.stop();
  });

  afterEach(async () => {
    await cluster.standby!.thaw();
    await cluster.standby!.query('SELECT pg_wal_replay_resume()');
    await serveFromStandby();
  });

  /** Makes another database on the same servers, which is far ahead of this one. */
  async function makeElsewhere(): Promise<void> {
    await cluster.primary.query(`CREATE DATABASE ${ELSEWHERE}`);
    await queryOnce(
      cluster.primary.url.replace(/[^/]+$/, ELSEWHERE),
      `CREATE TABLE core_leader AS SELECT 1000000 AS epoch;
       CREATE TABLE core_projection AS SELECT 1000000 AS sequence`,
    );
  }

  /** The number of lists that a process has read from the standby. */
  async function readsOf({ app }: TestApp): Promise<number> {
    const text = await app.nest.get(MetricsRegistry).render();
    return Number(/database_reads_total{server="standby"} (\d+)/.exec(text)?.[1] ?? 0);
  }

  async function readsOfAll(): Promise<number> {
    let sum = 0;
    for (const app of apps) sum += await readsOf(app);
    return sum;
  }

  async function first(by: Caller, path: string): Promise<Json> {
    const reply = await by.get(path);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body.data[0];
  }

  async function servesFromStandby(app: TestApp): Promise<void> {
    await eventually(async () => {
      const before = await readsOf(app);
      await first(demo.at(app.url), '/orders');
      return (await readsOf(app)) > before;
    }, 'a list is read from the standby');
  }

  async function serveFromStandby(): Promise<void> {
    for (const app of apps) await servesFromStandby(app);
  }

  /** Bets through one process after the other; both must then show the bet in each list. */
  async function seeOwnWrites(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const here = demo.at(apps[round % 2]!.url);
      await maker.place(limit(MARKET, 'sell', '0.40', '1'));
      const bet = await accept(here, await quote(here, { market_id: MARKET, side: 'buy', size: '1' }));
      bets++;
      const tradeId: string = bet.fills[0].trade_id;
      for (const { url } of apps) {
        const there = demo.at(url);
        expect((await first(there, '/orders')).order_id).toBe(bet.order_id);
        expect((await first(there, '/matched-bets')).matched_bet_id).toBe(bet.matched_bet_id);
        expect((await first(there, `/markets/${MARKET}/trades`)).trade_id).toBe(tradeId);
        expect((await first(there, `/markets/${MARKET}/fills`)).trade_id).toBe(tradeId);
        const { body } = await there.get('/accounts/me/entries?limit=10');
        expect(body.data.map(({ reference }: Json) => reference)).toContain(tradeId);
        const candles = (await there.get(`/markets/${MARKET}/candles?interval=1d`)).body.data;
        expect(candles.reduce((sum: number, { volume }: Json) => sum + Number(volume), 0)).toBe(bets);
      }
      const accountId = await openAccount(operator, 'demo');
      for (const { url } of apps) {
        const act = await first(operator.at(url), '/admin/audit');
        expect(act.target).toEqual({ type: 'account', id: accountId });
      }
    }
  }

  it('serve lists of the past, each with all that its caller has seen', async () => {
    await serveFromStandby();
    const [row] = await cluster.standby!.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = $1`,
      [READS_APPLICATION_NAME],
    );
    expect(row!.count).toBeGreaterThanOrEqual(2);
    await seeOwnWrites();
  });

  it('leave a standby that does not replay, and come back once it does', async () => {
    await serveFromStandby();
    await cluster.standby!.query('SELECT pg_wal_replay_pause()');
    const before = await readsOfAll();
    await seeOwnWrites();
    expect(await readsOfAll()).toBe(before);
    await cluster.standby!.query('SELECT pg_wal_replay_resume()');
    await serveFromStandby();
    await seeOwnWrites();
  });

  it('leave a standby that is stopped, and come back once it runs', async () => {
    await serveFromStandby();
    await cluster.standby!.kill();
    const before = await readsOfAll();
    await seeOwnWrites();
    expect(await readsOfAll()).toBe(before);
    await cluster.standby!.start();
    await serveFromStandby();
    await seeOwnWrites();
  });

  it('leave a standby that hangs', async () => {
    await serveFromStandby();
    await cluster.standby!.freeze();
    const before = await readsOfAll();
    await seeOwnWrites();
    expect(await readsOfAll()).toBe(before);
  });

  it('are not asked of another server, nor of one that is behind', async () => {
    const { nest } = apps[0]!.app;
    const pool = nest.get<Pool>(PG_POOL);
    const [mark, identity] = await Promise.all([readMark(pool), databaseIdentityOf(pool)]);
    const serves = async (url: string, wanted = mark): Promise<boolean> => {
      const standby = new ReadStandby({ name: 'standby', url }, nest.get(DataSource));
      await standby.probe(wanted, identity);
      const { isServing } = standby;
      await standby.end();
      return isServing;
    };
    const { url } = cluster.standby!;
    await eventually(() => serves(url), 'the standby has replayed all');
    expect(await serves(cluster.primary.url)).toBe(false);
    expect(await serves(url.replace(/[^/]+$/, ELSEWHERE))).toBe(false);
    expect(await serves(url, { ...mark, epoch: String(Number(mark.epoch) + 1) })).toBe(false);
    expect(await serves(url, { ...mark, sequence: String(Number(mark.sequence) + 1) })).toBe(false);
    expect(await serves(url, { ...mark, lsn: 'FF/0' })).toBe(false);
  });

  it('come from the next standby where the first is away', async () => {
    const settings = apps[0]!.config;
    const port = `127.0.0.1:${cluster.standby!.port}`;
    const several = cluster.standby!.url.replace(port, `127.0.0.1:1,${port}`);
    const app = await startTestApp({ ...settings, port: 0, databaseReadUrl: several });
    try {
      await servesFromStandby(app);
    } finally {
      await app.close();
    }
  });
});
