import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { StartRefusal } from '../config/start-refusal.js';
import { DatabaseConnection } from '../database/database-connection.js';
import { lendTransaction } from '../database/lent-transaction.js';
import { createPgPool } from '../database/pg-pool.js';
import type { Statements } from '../database/transaction.js';
import { BackgroundLoop } from '../jobs/background-loop.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { Boundary } from '../tracing/boundary.js';
import { WebhookCatalogue } from '../webhooks/webhook-catalogue.js';
import type { NamedConsumer } from './consumer-loop.js';
import { ConsumerRecords, type FailingConsumer } from './consumer-records.js';
import { DurableConsumer } from './durable-consumer.js';
import { DurableListener } from './durable-listener.js';
import { LedgerConsumer } from './ledger-consumer.js';

/** Far more often than what is kept for a consumer is given up. */
const SEEN_EVERY_MS = 10 * 60_000;

/** Answers for consumers of one kind how old the oldest thing is that waits for each; 0 where nothing waits. */
export type LagsOf = (consumers: readonly NamedConsumer[]) => Promise<ReadonlyMap<NamedConsumer, number>>;

const calls = new Boundary();

/** All consumers of the plugins that are loaded. */
@Injectable()
export class Consumers implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly all: NamedConsumer[] = [];
  private readonly lagsOf: LagsOf[] = [];
  private ownPool: Pool | undefined;
  private readonly seen = new BackgroundLoop(
    { name: 'Consumers', everyMs: SEEN_EVERY_MS, isFirstLater: true },
    async () => {
      await this.register();
      return false;
    },
  );

  constructor(
    private readonly connection: DatabaseConnection,
    private readonly records: ConsumerRecords,
    @Inject(WebhookCatalogue) private readonly events: Pick<WebhookCatalogue, 'find'>,
    metrics: MetricsRegistry,
  ) {
    metrics.gauge({
      name: 'plugin_consumer_lag_seconds',
      help: 'How long the oldest thing has waited that a consumer of a plugin has not taken up.',
      labels: ['plugin', 'consumer'],
      collect: async (gauge) => {
        gauge.reset();
        const lags = await Promise.all(this.lagsOf.map((lagsOf) => lagsOf(this.all)));
        for (const [{ plugin, consumer }, seconds] of lags.flatMap((each) => [...each]))
          gauge.set({ plugin, consumer: consumer.name }, seconds);
      },
    });
    metrics.gauge({
      name: 'plugin_consumer_failed_attempts',
      help: 'How often in a row a consumer of a plugin has failed; 0 where it works.',
      labels: ['plugin', 'consumer'],
      collect: async (gauge) => {
        const failing = new Map((await this.failing()).map(({ name, attempts }) => [name, attempts]));
        for (const { plugin, consumer, fullName } of this.all)
          gauge.set({ plugin, consumer: consumer.name }, failing.get(fullName) ?? 0);
      },
    });
  }

  /** For what plugins declare in `consumers`, before the service has started. */
  add(plugin: string, consumer: DurableConsumer): void {
    const refuse = (problem: string): never => {
      throw new StartRefusal(`Plugin "${plugin}": the consumer ${consumer.constructor.name} ${problem}`);
    };
    const { name } = consumer;
    if (!(consumer instanceof LedgerConsumer || consumer instanceof DurableListener))
      refuse('must extend LedgerConsumer or DurableListener.');
    const fullName = `${plugin}:${name}`;
    if (this.all.some((other) => other.fullName === fullName))
      refuse(`has the name "${name}" of another one; rename it.`);
    if (consumer instanceof DurableListener) this.requireTypes(consumer, refuse);
    this.all.push({ plugin, consumer, fullName });
  }

  private requireTypes(listener: DurableListener, refuse: (problem: string) => never): void {
    // Those in JavaScript have no compiler to hold them.
    const types: readonly string[] = Array.isArray(listener.types) ? listener.types : [];
    if (types.length === 0) refuse('needs "types": the names of events.');
    const unknown = types.find((type) => this.events.find(type) === undefined);
    if (unknown !== undefined)
      refuse(`listens to "${unknown}", which is no event of the service or a plugin.`);
    const ofLedger = types.find((type) => this.events.find(type)!.declaration.isOfLedger);
    if (ofLedger !== undefined)
      refuse(`listens to "${ofLedger}", which the ledger tells: let it extend LedgerConsumer.`);
  }

  /** Those of a kind. */
  of<Consumer extends DurableConsumer>(
    kind: abstract new (...args: never[]) => Consumer,
  ): readonly NamedConsumer<Consumer>[] {
    return this.all.filter((named): named is NamedConsumer<Consumer> => named.consumer instanceof kind);
  }

  /** Says how far behind consumers of one kind are. */
  measure(lagsOf: LagsOf): void {
    this.lagsOf.push(lagsOf);
  }

  /** A connection for each of them, so that a slow one takes none from others. */
  get pool(): Pool {
    this.ownPool ??= createPgPool(this.connection.url, 'refused', this.all.length);
    return this.ownPool;
  }

  /** Lets the consumer work in a transaction of this pool. */
  call(
    { fullName, consumer }: NamedConsumer,
    { client, signal }: { readonly client: PoolClient; readonly signal: AbortSignal },
    work: (transaction: Statements) => Promise<void>,
  ): Promise<void> {
    const terms = { limitMs: consumer.timeLimitMs, signal };
    return calls.run(`consumer ${fullName}`, () => lendTransaction(client, terms, work));
  }

  failing(): Promise<readonly FailingConsumer[]> {
    if (this.all.length === 0) return Promise.resolve([]);
    return this.records.failing(this.all.map(({ fullName }) => fullName));
  }

  /** What they are to hear of is kept from here on. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.all.length === 0) return;
    await this.register();
    await this.seen.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.seen.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ownPool?.end();
  }

  private register(): Promise<void> {
    return this.records.seen(
      this.all.map(({ fullName, consumer }) => ({
        name: fullName,
        types: consumer instanceof DurableListener ? consumer.types : [],
      })),
    );
  }
}
