import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Counter } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { databaseHosts } from '../../kit/config/database-hosts.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { databaseIdentityOf, readMark } from './read-mark.js';
import { ReadStandby } from './read-standby.js';

const PROBE_EVERY_MS = 1_000;

/**
 * Where history is read: in the first usable standby of `DATABASE_READ_URL`, otherwise in the primary. A standby is
 * read only once it has reached the primary's position at the call, so no reader sees older data than before. Readers
 * of projected tables await `CoreService.projected` first, as usual.
 */
@Injectable()
export class ReadPool implements OnModuleInit, OnApplicationShutdown {
  private readonly standbys: readonly ReadStandby[];
  private readonly marks: CoalescedWork<Awaited<ReturnType<typeof readMark>>>;
  private readonly reads: Counter<'server'> | undefined;
  private prober: NodeJS.Timeout | undefined;
  private probing: Promise<unknown> | null = null;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) { databaseReadUrl }: Pick<Config, 'databaseReadUrl'>,
    metrics: MetricsRegistry,
  ) {
    const hosts = databaseReadUrl === undefined ? [] : (databaseHosts(databaseReadUrl) ?? []);
    this.standbys = hosts.map((host) => new ReadStandby(host, dataSource));
    this.marks = new CoalescedWork(() => readMark(pool));
    if (hosts.length === 0) return;
    this.reads = metrics.counter({
      name: 'database_reads_total',
      help: 'Lists of the past that were read, by the server that served them: standby or primary.',
      labels: ['server'],
    });
    metrics.gauge({
      name: 'database_read_standbys',
      help: 'Standbys of DATABASE_READ_URL that serve reads; at 0 the primary serves them all.',
      collect: (gauge) => gauge.set(this.standbys.filter(({ isServing }) => isServing).length),
    });
  }

  /** Standbys may connect later; the start does not wait for them. */
  onModuleInit(): void {
    if (this.standbys.length === 0) return;
    this.probe();
    this.prober = setInterval(() => this.probe(), PROBE_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.prober);
    await this.probing;
    await Promise.all(this.standbys.map((standby) => standby.end()));
  }

  /**
   * Runs the work, which only reads, and only by the manager that it is given: one query after another, since it may
   * be a single connection. Where a standby fails in the middle, it is run again on the primary.
   */
  async read<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const standby = this.standbys.find(({ isServing }) => isServing);
    const read = standby && (await standby.read(await this.marks.take(), work));
    this.reads?.inc({ server: read ? 'standby' : 'primary' });
    return read ? read.result : work(this.dataSource.manager);
  }

  private probe(): void {
    const away = this.standbys.filter(({ isServing }) => !isServing);
    if (away.length === 0 || this.probing !== null) return;
    this.probing = this.probeAll(away)
      // The primary is down; queries to it report that.
      .catch(() => undefined)
      .finally(() => {
        this.probing = null;
      });
  }

  private async probeAll(standbys: readonly ReadStandby[]): Promise<void> {
    const identity = await databaseIdentityOf(this.pool);
    const mark = await this.marks.take();
    await Promise.all(standbys.map((standby) => standby.probe(mark, identity)));
  }
}
