import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../../scripts/support/api-client.js';
import { PgCluster } from '../../scripts/support/pg-cluster.js';
import { isRedisInstalled, RedisServer } from '../../scripts/support/redis-server.js';
import type { ServiceProcess } from '../../src/testing/service-process.js';
import { percentile } from '../../scripts/support/statistics.js';
import { askOnce, BenchService, startBench } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate, ratioFigure } from '../support/figures.js';
import { ordersOneByOne } from '../support/order-load.js';
import { type Measured, ratioOf, runInTurns } from '../support/rounds.js';

const MARKET = 'BENCH-CLUSTER';
/** Beside two, which say nothing more. */
const PROCESSES = [1, 3];
const PROCESSES_MAX = Math.max(...PROCESSES);
const ORDERS_RATIO_LEAST = 0.9;
const FAILOVER_SECONDS_MAX = 1;
const HAND_OVER_SECONDS_MAX = 0.3;
const ANSWER_MS_MAX = 2_000;
const FAILOVER_MS_MAX = 60_000;
const READY_MS_MAX = 60_000;

/**
 * Several processes on one database and one Redis, against one without Redis; what waiting for a standby costs; and how
 * long nobody leads after a kill.
 */
export async function benchCluster(context: BenchContext): Promise<Figure[]> {
  if (!isRedisInstalled) {
    process.stderr.write('cluster: left out, as there is no redis-server on this machine\n');
    return [];
  }
  const redis = await RedisServer.start();
  try {
    return [
      ...(await throughput(context, redis.url)),
      ...(await syncStandby(context)),
      ...(await failover(context, redis.url)),
    ];
  } finally {
    await redis.stop();
  }
}

async function throughput(context: BenchContext, redisUrl: string): Promise<Figure[]> {
  const { load, rounds } = context;
  const alone = await BenchService.start(await context.createDatabase('bench_alone'));
  const databaseUrl = await context.createDatabase('bench_cluster');
  const leader = await BenchService.start(databaseUrl, { redisUrl });
  const replicas: ServiceProcess[] = [];
  try {
    for (const service of [alone, leader]) await service.createMarket(MARKET);
    const figures: Figure[] = [];
    for (const processes of PROCESSES) {
      while (replicas.length < processes - 1) replicas.push(await startReplica(databaseUrl, redisUrl));
      const otherUrls = replicas.map(({ url }) => url);
      const measured = await runInTurns(
        load,
        { alone: orders(alone), cluster: { ...orders(leader), otherUrls } },
        rounds,
      );
      figures.push(figureOf(processes, measured));
    }
    return figures;
  } finally {
    for (const replica of replicas) await replica.stop();
    await leader.stop();
    await alone.stop();
  }
}

const orders = (service: BenchService) => ordersOneByOne(service, [MARKET]);

function figureOf(
  processes: number,
  { alone, cluster }: Readonly<Record<'alone' | 'cluster', Measured>>,
): Figure {
  return ratioFigure(
    `orders/s with ${processes} process${processes > 1 ? 'es' : ''} / one without Redis`,
    ratioOf(cluster, alone),
    ORDERS_RATIO_LEAST,
    `${rate(cluster.perSecond)} (p50 ${fixed(cluster.p50Ms)} ms) / ${rate(alone.perSecond)}`,
  );
}

/** The same service on a primary whose commits wait for a standby on the same machine, and wait for nobody. */
async function syncStandby({ load, rounds }: BenchContext): Promise<Figure[]> {
  const servers = await PgCluster.start();
  let service: BenchService | undefined;
  try {
    service = await BenchService.start(servers.primary.url);
    await service.createMarket(MARKET);
    const contender = orders(service);
    const { connections } = contender;
    const { confirmed, local } = await runInTurns(
      load,
      {
        confirmed: { ...contender, connections: () => servers.requireStandby().then(() => connections) },
        local: { ...contender, connections: () => servers.requireNobody().then(() => connections) },
      },
      rounds,
    );
    return [
      {
        what: 'orders/s with a synchronous standby / with the same one asynchronous',
        measured: fixed(ratioOf(confirmed, local)),
        goal: '',
        basis: `${rate(confirmed.perSecond)} (p50 ${fixed(confirmed.p50Ms)} ms) / ${rate(local.perSecond)} (p50 ${fixed(local.p50Ms)} ms)`,
      },
    ];
  } finally {
    await service?.stop();
    await servers.stop();
  }
}

/** Ends whoever leads, by a kill and by a request to stop in turn, while the others are asked for orders. */
async function failover(context: BenchContext, redisUrl: string): Promise<Figure[]> {
  const { failovers } = context.sizes;
  const databaseUrl = await context.createDatabase('bench_failover');
  const processes: ServiceProcess[] = [];
  const tookMs = { SIGKILL: [] as number[], SIGTERM: [] as number[] };
  try {
    while (processes.length < PROCESSES_MAX) processes.push(await startReplica(databaseUrl, redisUrl));
    const api = new ApiClient(processes[0]!.url);
    const token = await api.authorize('demo:demo-secret');
    api.close();
    for (let round = 0; round < 2 * failovers; round++) {
      const leader = await leaderOf(databaseUrl, processes);
      const [ended] = processes.splice(leader, 1) as [ServiceProcess];
      const signal = round % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
      tookMs[signal].push(await longestWait(ended.end(signal), processes, token));
      await ended.stop();
      processes.push(await startReplica(databaseUrl, redisUrl));
    }
  } finally {
    for (const one of processes) await one.stop();
  }
  const figure = (what: string, ms: readonly number[], secondsMax: number): Figure => {
    const seconds = (share: number): number => percentile(ms, share) / 1_000;
    const basis = `p99 of ${failovers} leaders; p50 ${fixed(seconds(0.5))} s`;
    return limitFigure(what, seconds(0.99), secondsMax, ' s', basis);
  };
  return [
    figure('kill -9 of the leader, to the next answered order', tookMs.SIGKILL, FAILOVER_SECONDS_MAX),
    figure('SIGTERM of the leader, longest wait for an order', tookMs.SIGTERM, HAND_OVER_SECONDS_MAX),
  ];
}

/** Sends one order after another until the leader has ended; answers how long the slowest of them took. */
async function longestWait(
  ending: Promise<void>,
  others: readonly ServiceProcess[],
  token: string,
): Promise<number> {
  const hasEnded = ending.then(() => true);
  let longestMs = 0;
  do {
    const sentAtMs = performance.now();
    await nextOrder(others, token);
    longestMs = Math.max(longestMs, performance.now() - sentAtMs);
  } while (!(await Promise.race([hasEnded, Promise.resolve(false)])));
  return longestMs;
}

async function startReplica(databaseUrl: string, redisUrl: string): Promise<ServiceProcess> {
  const replica = await startBench(databaseUrl, [], redisUrl);
  const deadlineMs = performance.now() + READY_MS_MAX;
  const api = new ApiClient(replica.url);
  try {
    while ((await api.call('GET', '/health/ready')).status !== 200) {
      if (performance.now() > deadlineMs) throw new Error('A replica does not become ready.');
      await delay(20);
    }
    return replica;
  } finally {
    api.close();
  }
}

/** The place of the process that leads. */
async function leaderOf(databaseUrl: string, processes: readonly ServiceProcess[]): Promise<number> {
  const deadlineMs = performance.now() + FAILOVER_MS_MAX;
  for (;;) {
    const [row] = await askOnce<{ holder: string }>(databaseUrl, 'SELECT holder FROM core_leader');
    // Host, process and a name of its own, separated by colons.
    const pid = Number(row!.holder.split(':').at(-2));
    const place = processes.findIndex((one) => one.pid === pid);
    if (place >= 0) return place;
    if (performance.now() > deadlineMs) throw new Error('Nobody leads.');
    await delay(20);
  }
}

/** Sends an order to one process after another until it is answered. */
async function nextOrder(processes: readonly ServiceProcess[], token: string): Promise<void> {
  const deadlineMs = performance.now() + FAILOVER_MS_MAX;
  const clients = processes.map(({ url }) => new ApiClient(url));
  const json = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '0.01' };
  try {
    for (let attempt = 0; ; attempt++) {
      const answer = await clients[attempt % clients.length]!.call('POST', '/orders', {
        token,
        json,
        timeoutMs: ANSWER_MS_MAX,
      }).catch(() => undefined);
      if (answer?.status === 201) return;
      if (performance.now() > deadlineMs) throw new Error('No order is answered after a kill.');
      await delay(2);
    }
  } finally {
    for (const client of clients) client.close();
  }
}
