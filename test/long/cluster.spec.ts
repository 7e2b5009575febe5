import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { showProgress } from '../../src/kit/progress.js';
import { AccountClients } from '../cluster/account-clients.js';
import { Cluster } from '../cluster/cluster.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { ClusterStreams } from '../cluster/cluster-streams.js';
import { Caller } from '../support/caller.js';
import { OrderLoad } from '../recovery/order-load.js';
import { queryOnce } from '../support/core.js';
import { eventually } from '../support/eventually.js';
import { randomsFrom } from '../support/hostile-values.js';
import { type PgCluster, startPgCluster } from '../support/pg-cluster.js';
import { isRedisMissing } from '../support/redis.js';

const rounds = (name: string, usual: number): number => Number(process.env[name] ?? usual);

const KILLS = rounds('CLUSTER_KILLS', 100);
const REDIS_KILLS = rounds('CLUSTER_REDIS_KILLS', 20);
const PROMOTIONS = rounds('CLUSTER_PROMOTIONS', 20);
const ROLLING_RESTARTS = rounds('CLUSTER_ROLLING_RESTARTS', 20);
const SEED = rounds('CLUSTER_SEED', Date.now() % 1_000_000);

const MARKET = 'BTC-USD';
/** A history of concurrent clients starts every so many kills, and the following kills interrupt it. */
const HISTORY_EVERY = 5;
/** Longer than the service keeps any request waiting: a request unanswered by then is lost. */
const PATIENT_MS = 30_000;

describe.skipIf(isRedisMissing('the long suite of a cluster'))('three processes under load', () => {
  let servers: PgCluster;
  let cluster: Cluster;
  const randoms = randomsFrom(SEED);
  const random = (bound: number): number => Math.floor(randoms() * bound);
  beforeAll(async () => {
    process.stderr.write(
      `cluster: seed ${SEED}, ${KILLS} kills, ${REDIS_KILLS} of Redis, ${PROMOTIONS} promotions, ${ROLLING_RESTARTS} rolling restarts\n`,
    );
    servers = await startPgCluster();
    cluster = await Cluster.open({
      databaseUrl: servers.url,
      query: (text) => queryOnce(servers.primary.url, text),
      // Unfilled orders stay for the whole suite.
      settings: { DATABASE_SYNC_STANDBY: 'required', OPEN_ORDERS_MAX: '1000000' },
    });
  }, 300_000);
  afterAll(async () => {
    await cluster?.close();
    await servers?.stop();
  }, 120_000);

  // A failed part must not fail the others.
  beforeEach(() => cluster.restore(), 300_000);

  /** Strikes repeatedly under load and streams, each time until orders are answered again, then compares everything. */
  const strike = async (
    name: string,
    times: number,
    blow: (round: number) => Promise<void>,
    client = cluster.client(),
  ): Promise<{ load: OrderLoad; client: ClusterClient }> => {
    const load = new OrderLoad(`${name}${SEED}`);
    const token = await client.authorize('demo:demo-secret');
    const streams = await ClusterStreams.open(cluster.members, 0, MARKET, token);
    await load.turnTo(client);
    load.start();
    const progress = showProgress(name, times);
    for (let round = 0; round < times; round++) {
      await delay(200 + random(800));
      const before = load.acknowledged.size;
      await blow(round);
      await eventually(
        () => load.acknowledged.size > before + 20,
        `${name} ${round}: orders are answered again`,
      );
      progress.update(round + 1);
    }
    progress.stop();
    await load.finish();

    const { url } = cluster.members[await cluster.leader()]!.running;
    await load.check(url);
    await load.checkRepeats(40);
    await streams.check(new Caller(url, token));
    streams.close();
    await cluster.checkOneState();
    expect(client.tally).toMatchObject({ failed: 0, refused: 0 });
    process.stderr.write(
      `${name}: ${times} rounds, ${load.acknowledged.size} orders acknowledged, 0 lost, 0 doubled; ` +
        `streams opened again ${streams.reopened} times; ${JSON.stringify(client.tally)}\n`,
    );
    return { load, client };
  };

  it('survive kills of any of them', async () => {
    const failoversMs: number[] = [];
    const histories: Promise<AccountClients>[] = [];
    const other = cluster.client();
    await strike('kills', KILLS, async (round) => {
      if (round % HISTORY_EVERY === 0)
        histories.push(runHistory(other, `KILLS-${SEED}-${round}`, random(1e9)));
      const index = random(cluster.members.length);
      const isLeader = index === (await cluster.leader());
      const token = await other.authorize('demo:demo-secret');
      await cluster.kill(index);
      const killedAtMs = Date.now();
      const json = { market_id: MARKET, side: 'buy', type: 'limit', price: '1', size: '0.01' };
      const next = { ...json, client_order_id: `after${SEED}-${round}` };
      await other.callUntilAnswered('POST', '/orders', { token, json: next });
      if (isLeader) failoversMs.push(Date.now() - killedAtMs);
      await cluster.start(index);
    });
    let operations = 0;
    for (const clients of await Promise.all(histories)) operations += clients.check().operations;
    failoversMs.sort((one, other) => one - other);
    const at = (share: number): number | undefined => failoversMs[Math.floor(share * failoversMs.length)];
    process.stderr.write(
      `kills: ${failoversMs.length} of leaders, to the next order p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ` +
        `${operations} operations in ${histories.length} histories are linearizable\n`,
    );
  });

  it('survive Redis killed, emptied and frozen', async () => {
    await strike('redis', REDIS_KILLS, async (round) => {
      if (round % 3 === 1) await cluster.redis.flush();
      else if (round % 3 === 2) {
        cluster.redis.pause();
        await delay(random(3_000));
        cluster.redis.resume();
      } else {
        await cluster.killRedis();
        await delay(random(3_000));
        await cluster.reviveRedis();
      }
    });
  });

  it('survive the loss of the primary and its disk', async () => {
    await strike('promotions', PROMOTIONS, async () => {
      await servers.destroyPrimary();
      await delay(random(1_000));
      await servers.promote();
      await servers.attachStandby();
    });
  });

  it('restart one after another without a request that fails', async () => {
    const codes: (number | null)[] = [];
    const restart = async (): Promise<void> => {
      codes.push(...(await cluster.rollingRestart()));
    };
    // With a shorter timeout, a slow machine would look like a failure of the service.
    const patient = cluster.client(PATIENT_MS);
    const { load, client } = await strike('rolling', ROLLING_RESTARTS, restart, patient);
    expect(codes.filter((code) => code !== 0)).toEqual([]);
    expect(load.broken).toEqual([]);
    // A refused connection has sent nothing: a balancer goes to the next process.
    expect(client.tally).toMatchObject({ unavailable: 0, broken: 0, timedOut: 0, withoutTarget: 0 });
  });
});

async function runHistory(client: ClusterClient, name: string, seed: number): Promise<AccountClients> {
  const clients = await AccountClients.open(client, name, seed);
  await clients.run(4, 40);
  return clients;
}
