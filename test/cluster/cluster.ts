import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ApiClient } from '../../scripts/support/api-client.js';
import { queryOnce } from '../support/core.js';
import { TestRedis } from '../support/redis.js';
import { checkBooks } from '../recovery/order-load.js';
import { type ServiceProcess, Site } from '../recovery/service-under-fire.js';
import { type Backend, ClusterClient } from './cluster-client.js';

const READY_MS_MAX = 120_000;

export interface ClusterOptions {
  /** The settings of the processes. */
  readonly databaseUrl: string;
  /** Queries the current primary; without it, `databaseUrl` is queried. */
  readonly query?: Query;
  readonly processes?: number;
  readonly settings?: NodeJS.ProcessEnv;
}

type Query = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>;

/** One process of the cluster, or its slot while it is down. */
export class Member implements Backend {
  service: ServiceProcess | undefined;

  constructor(
    readonly index: number,
    readonly dataDir: string,
  ) {}

  get url(): string | undefined {
    return this.service?.url;
  }

  /** Throws while it is down. */
  get running(): ServiceProcess {
    if (this.service === undefined) throw new Error(`process ${this.index} is down`);
    return this.service;
  }

  client(): ApiClient {
    return this.running.client();
  }
}

/** Several processes of the built service, each with its own folder, on one PostgreSQL and one Redis. */
export class Cluster {
  private readonly clients: ClusterClient[] = [];
  private isRedisAway = false;

  private constructor(
    private readonly site: Site,
    readonly redis: TestRedis,
    private readonly query: Query,
    private readonly folder: string,
    readonly members: readonly Member[],
  ) {}

  /** Resolves once all of them are ready. */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const { databaseUrl, processes = 3, settings = {} } = options;
    const query: Query = options.query ?? ((text) => queryOnce(databaseUrl, text));
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-cluster-'));
    const redis = await TestRedis.start();
    const site = await Site.empty({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SEED_DEMO: 'true',
      // One address and one passphrase, as for all processes of one exchange.
      PUBLIC_URL: 'http://exchange.example',
      KEYSTORE_PASSPHRASE: 'the passphrase of a test cluster',
      ...settings,
    });
    const members = Array.from(
      { length: processes },
      (_, index) => new Member(index, join(folder, String(index))),
    );
    const cluster = new Cluster(site, redis, query, folder, members);
    try {
      // The first makes the demo data; the others find it.
      for (const { index } of members) await cluster.start(index);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** Starts a process that is down, from another program if `entry` names one; resolves once it is ready. */
  async start(index: number, entry?: string): Promise<void> {
    const member = this.members[index]!;
    member.service = await this.site.start({ DATA_DIR: member.dataDir }, entry);
    await this.untilReady(index);
  }

  async killRedis(): Promise<void> {
    this.isRedisAway = true;
    await this.redis.kill();
  }

  /** Restarts it, empty, if it was killed. */
  async reviveRedis(): Promise<void> {
    if (this.isRedisAway) await this.redis.revive();
    this.isRedisAway = false;
  }

  /** Restores everything that an earlier test killed, froze or left behind. */
  async restore(): Promise<void> {
    await this.reviveRedis();
    for (const { index, service } of this.members) {
      if (service?.isRunning !== true) await this.start(index);
      this.thaw(index);
      await this.untilReady(index);
    }
  }

  async kill(index: number): Promise<void> {
    const { running } = this.members[index]!;
    this.members[index]!.service = undefined;
    await running.kill();
  }

  /** Sends SIGTERM; resolves with the exit code. The process stays listed until it has ended. */
  async stop(index: number): Promise<number | null> {
    const member = this.members[index]!;
    const code = await member.running.stop();
    member.service = undefined;
    return code;
  }

  /** Suspends the process without its noticing. */
  freeze(index: number): void {
    this.members[index]!.running.signal('SIGSTOP');
  }

  thaw(index: number): void {
    this.members[index]!.running.signal('SIGCONT');
  }

  /** Restarts one process after another, each time waiting until it is ready; returns their exit codes. */
  async rollingRestart(): Promise<(number | null)[]> {
    const codes: (number | null)[] = [];
    for (const { index } of this.members) {
      codes.push(await this.stop(index));
      await this.start(index);
    }
    return codes;
  }

  /** The number of the leading process; waits until a running one leads. */
  async leader(): Promise<number> {
    const deadlineMs = performance.now() + READY_MS_MAX;
    while (performance.now() < deadlineMs) {
      const [row] = await this.query<{ holder: string | null }>(
        'SELECT holder FROM core_leader JOIN pg_stat_activity ON pid = backend_pid WHERE lease_until > now()',
      ).catch(() => []);
      const pid = Number(row?.holder?.split(':').at(-2));
      const leader = this.members.find(({ service }) => service?.pid === pid);
      if (leader !== undefined) return leader.index;
      await delay(20);
    }
    throw new Error('nobody leads');
  }

  /** All that run and do not lead. */
  async replicas(): Promise<number[]> {
    const leader = await this.leader();
    return this.members.flatMap(({ index, service }) =>
      service === undefined || index === leader ? [] : [index],
    );
  }

  /** A client that balances over all processes, as a careful client does. It ends with the cluster. */
  client(answerMsMax?: number): ClusterClient {
    const client = new ClusterClient(this.members, answerMsMax);
    this.clients.push(client);
    return client;
  }

  async untilReady(index: number): Promise<void> {
    const { running } = this.members[index]!;
    const api = running.client();
    const deadlineMs = performance.now() + READY_MS_MAX;
    try {
      for (;;) {
        const answer = await api.call('GET', '/health/ready', { timeoutMs: 2_000 }).catch(() => undefined);
        if (answer?.status === 200) return;
        if (!running.isRunning || performance.now() > deadlineMs)
          throw new Error(`process ${index} is not ready: ${await whyNot(api)}\n${running.lastWords}`);
        await delay(50);
      }
    } finally {
      api.close();
    }
  }

  /** The books balance, and every running process and a replay of the journal give the same state hash. */
  async checkOneState(): Promise<void> {
    const told = [];
    for (const member of this.members) {
      if (member.service === undefined) continue;
      const api = member.client();
      const { state_hash, sequence } = await checkBooks(api);
      told.push({ state_hash, sequence });
      api.close();
    }
    for (const one of told) expect(one).toEqual(told[0]);
    const { code, said } = await this.site.verify();
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining(told[0]!.state_hash) as string,
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.closed()));
    await this.site.close();
    await this.redis.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The process' health as an operator sees it. */
async function whyNot(api: ApiClient): Promise<string> {
  try {
    const token = await api.authorize('admin:admin-secret');
    return JSON.stringify((await api.call('GET', '/health', { token, timeoutMs: 2_000 })).body);
  } catch (error) {
    return String(error);
  }
}
