import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Pool } from 'pg';
import { type MarketUnits, unitsOf } from '../../domain/market/units.js';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import { ConsumerLoop, type ConsumerStep, type NamedConsumer } from '../../kit/consumers/consumer-loop.js';
import { ConsumerRecords } from '../../kit/consumers/consumer-records.js';
import { Consumers } from '../../kit/consumers/consumers.js';
import { LedgerConsumer } from '../../kit/consumers/ledger-consumer.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import type { EntryEffects } from '../journal/journal-reader.js';
import { JournalFollower } from '../reads/journal-follower.js';
import { SingleWriter } from '../requests/single-writer.js';
import { NOBODY } from '../view/commit-listeners.js';
import { ledgerCommitOf } from './ledger-commits.js';

const ENTRIES_PER_STEP = 500;
const SEQUENCES_PER_STEP = 8_000;

/** In `journal_cursors`, before the name of a consumer. The archive waits for those that were seen lately. */
const CURSOR = 'plugin:';

/** Runs what plugins do about trades and transfers, in the process that leads, each by a cursor of its own in the journal. */
@Injectable()
export class LedgerConsumers implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly loops: ConsumerLoop[] = [];
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: SingleWriter,
    private readonly consumers: Consumers,
    private readonly records: ConsumerRecords,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    this.consumers.measure(() => this.lags());
  }

  async onApplicationBootstrap(): Promise<void> {
    const all = this.consumers.of(LedgerConsumer);
    if (all.length === 0) return;
    for (const named of all) await this.beginCursor(named);
    const follower = new JournalFollower(this.core, this.consumers.pool);
    for (const named of all)
      this.loops.push(
        new ConsumerLoop(named, this.records, (step) => this.step(follower, named, step), {
          leads: () => this.core.leads,
        }),
      );
    this.unsubscribe = this.core.onCommitted(() => {
      for (const loop of this.loops) loop.request();
    }, NOBODY);
    for (const loop of this.loops) await loop.begin();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await Promise.all(this.loops.map((loop) => loop.end()));
  }

  /** Before anything is traded, so that a consumer that begins now misses nothing from here on. */
  private async beginCursor({ plugin, fullName, consumer: { from, name } }: NamedConsumer<LedgerConsumer>) {
    const { rows } = await this.pool.query<{ first: string | null; begins: string | null }>(
      `WITH kept AS (
         SELECT (SELECT first_sequence FROM journal ORDER BY last_sequence LIMIT 1) AS first,
           (SELECT last_sequence FROM journal ORDER BY last_sequence DESC LIMIT 1) AS last
       ), made AS (
         INSERT INTO journal_cursors (name, sequence, reads_journal)
         SELECT $1, CASE $2 WHEN 'now' THEN coalesce(last, 0) WHEN 'what is kept' THEN coalesce(first, 1) - 1 ELSE 0 END, true
         FROM kept WHERE $2 <> 'the beginning' OR coalesce(first, 1) = 1
         ON CONFLICT (name) DO NOTHING
       )
       SELECT first, (SELECT sequence FROM journal_cursors WHERE name = $1) AS begins FROM kept`,
      [CURSOR + fullName, from],
    );
    const { first, begins } = rows[0]!;
    if (from === 'the beginning' && begins === null && Number(first ?? 1) > 1)
      throw new StartRefusal(
        `Plugin "${plugin}": the consumer "${name}" begins with the first commit, but what comes before ${first} is archived; let it begin from 'what is kept' or 'now'.`,
      );
  }

  private async step(
    follower: JournalFollower,
    named: NamedConsumer<LedgerConsumer>,
    { isCareful, signal }: ConsumerStep,
  ): Promise<boolean> {
    const limit = isCareful ? 1 : ENTRIES_PER_STEP;
    const { isMoreLeft } = await follower.step(
      CURSOR + named.fullName,
      async (entries, client) => {
        const commits = entries.map((entry) => this.commitOf(entry));
        const trades = commits.flatMap((commit) => commit.trades);
        const transfers = commits.flatMap((commit) => commit.transfers);
        await this.consumers.call(named, { client, signal }, async (transaction) => {
          const { consumer } = named;
          await consumer.commits?.(commits, transaction);
          if (trades.length > 0) await consumer.trades?.(trades, transaction);
          if (transfers.length > 0) await consumer.transfers?.(transfers, transaction);
        });
      },
      { limit, sequencesMax: SEQUENCES_PER_STEP },
    );
    return isMoreLeft;
  }

  private commitOf(entry: EntryEffects) {
    return ledgerCommitOf(entry, (marketId) => this.unitsIn(marketId));
  }

  /** They never change. */
  private unitsIn(marketId: string): MarketUnits {
    const market = this.core.market(marketId);
    if (market === undefined) throw new Error(`there is no market ${marketId}`);
    return unitsOf(market.definition);
  }

  private async lags(): Promise<ReadonlyMap<NamedConsumer, number>> {
    const all = this.consumers.of(LedgerConsumer);
    if (all.length === 0) return new Map();
    const { rows } = await this.pool.query<{ name: string; seconds: number | null }>(
      `SELECT name, extract(epoch FROM clock_timestamp() - (
         SELECT committed_at FROM journal WHERE last_sequence > cursor.sequence ORDER BY last_sequence LIMIT 1))::float8 AS seconds
       FROM journal_cursors cursor WHERE name = ANY ($1)`,
      [all.map(({ fullName }) => CURSOR + fullName)],
    );
    const byName = new Map(rows.map(({ name, seconds }) => [name, Math.max(0, seconds ?? 0)]));
    return new Map(all.map((named) => [named, byName.get(CURSOR + named.fullName) ?? 0]));
  }
}
