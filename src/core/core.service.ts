import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Pool } from 'pg';
import type { Refusal } from '../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../domain/engine/quotes.js';
import type { Awaitable } from '../kit/awaitable.js';
import type { Clock } from '../kit/clock.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { DatabaseConnection } from '../kit/database/database-connection.js';
import { PG_POOL } from '../kit/database/pg-pool.js';
import { BackgroundLoop } from '../kit/jobs/background-loop.js';
import { REDIS_LINK, type RedisLink } from '../kit/redis/redis-link.js';
import { MetricsRegistry } from '../kit/metrics/metrics-registry.js';
import { Boundary } from '../kit/tracing/boundary.js';
import { CommitBoundary } from './sequencer/commit-boundary.js';
import { AccountRecords } from './accounts/account-records.js';
import { orderIdIn, orderOwner } from './keys/command-keys.js';
import type {
  AccountRecord,
  AssetView,
  BookView,
  CommittedBatch,
  CoreAnswer,
  CoreRequest,
  CoreStatus,
  EventGroupView,
  MarketView,
} from './core.types.js';
import { EVERYBODY, type Interest } from './view/commit-listeners.js';
import { unavailable } from './requests/failures.js';
import type { Followers } from './followers/followers.js';
import { connectTo, findLeader, installationOf } from './leadership/leadership.js';
import { makePartitions } from './journal/journal-partitions.js';
import type { RecentRows } from './journal/recent-rows.js';
import type { CommittedView } from './view/committed-view.js';
import { ProjectedTables } from './projection/projected-tables.js';
import { ProjectionLate } from './projection/projector.js';
import type { SingleWriter } from './requests/single-writer.js';
import { Replication } from './replica/replication.js';
import { measureCore } from './sequencer/core-metrics.js';
import { Sequencer } from './sequencer/sequencer.js';
import { SEQUENCER_OPTIONS, type SequencerOptions } from './sequencer/sequencer-options.js';
import { DamagedState } from './state/state-rows.js';

const HOUSEKEEPING_EVERY_MS = 60_000;

const commands = new Boundary();

/**
 * The interface to the single writer, and to committed state.
 *
 * Everything that moves money or orders goes through `submit`; everything read here is durable. Reads
 * throw `ServiceFailure` `temporarily_unavailable` while this process does not lead.
 */
@Injectable()
export class CoreService implements SingleWriter, OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Core');
  private readonly sequencer: Sequencer;
  private readonly clock: Clock;
  /** Null where this process serves alone. */
  private readonly replication: Replication | null;
  /** Makes room for the journal before it is needed. */
  private readonly housekeeping = new BackgroundLoop(
    { name: 'Core', everyMs: HOUSEKEEPING_EVERY_MS, isFirstLater: true, leads: () => this.leads },
    async () => {
      await makePartitions(this.pool, this.sequencer.freshTerm().sequence);
      return false;
    },
  );
  private readonly accountRecords: AccountRecords;
  private readonly projectedTables: ProjectedTables;

  constructor(
    connection: DatabaseConnection,
    @Inject(PG_POOL) private readonly pool: Pool,
    metrics: MetricsRegistry,
    @Inject(SEQUENCER_OPTIONS) options: SequencerOptions & { readonly clock: Clock },
    @Inject(REDIS_LINK) link: RedisLink | null,
  ) {
    this.clock = options.clock;
    const { logger } = this;
    const log = {
      info: (details: object, message: string) => logger.log({ ...details, msg: message }),
      warn: (details: object, message: string) => logger.warn({ ...details, msg: message }),
      error: (details: object, message: string) => logger.error({ ...details, msg: message }),
    };
    const commits = new CommitBoundary(metrics);
    this.sequencer = new Sequencer(connectTo(connection.url), log, { ...options, commits });
    const { listeners } = this.sequencer;
    this.replication =
      link === null
        ? null
        : new Replication(connection.url, this.sequencer, link, listeners, log, {
            find: () => findLeader(pool),
            installation: (given) => installationOf(pool, given),
          });
    this.sequencer.companion = this.replication;
    this.projectedTables = new ProjectedTables(pool, () => this.replication?.askForTables());
    this.accountRecords = new AccountRecords(pool, listeners, () => this.watch);
    measureCore(metrics, this.sequencer, this.clock, () => this.status());
  }

  /** Takes the lead if it is free; returns once the leader is known. */
  async onModuleInit(): Promise<void> {
    await this.replication?.start();
    await this.sequencer.start().catch((error: unknown) => {
      throw error instanceof DamagedState
        ? new StartRefusal(`The database cannot be trusted: ${error.message}.`, { cause: error })
        : error;
    });
    await this.housekeeping.begin();
  }

  /**
   * Where other processes serve, too: lets one of them lead, and sends it what is still asked here. Answers whether
   * there are others at all.
   */
  async handOver(): Promise<boolean> {
    if (this.replication === null) return false;
    await this.sequencer.stop();
    return true;
  }

  /** HTTP has drained by now: works off what still waits and gives the lead back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.housekeeping.end();
    await this.sequencer.stop();
    await this.replication?.stop();
  }

  /**
   * Runs the commands in their order as one unit and answers when all of it is durable. A command that
   * is refused changes nothing and does not keep the others from running.
   *
   * @throws ServiceFailure `temporarily_unavailable` where nothing was done, `outcome_unknown` where the
   * database could not be asked whether it was, `internal_error` where a command fails by itself.
   */
  submit(request: CoreRequest): Promise<CoreAnswer> {
    return commands.run(
      'command',
      () => this.sequencer.submit(request),
      () => ({ attributes: { 'tradepost.command.types': typesIn(request) } }),
    );
  }

  /**
   * What the command would do after everything queued before it, found by the engine itself without
   * changing anything: an order as it would be placed, amended or filled by an accepted quote, what a
   * cancellation would release, what a settlement would pay. Refused with what the command would be.
   */
  preview<C extends PreviewableCommand>(command: C): Promise<PreviewOf<C> | Refusal> {
    return this.sequencer.preview(command);
  }

  /**
   * The price of a size or a stake, computed after everything queued before; it walks others' orders in the live book.
   * Nothing is reserved. Refused with `market_not_found`, `account_not_found`, `market_not_open`, `size_out_of_range`
   * or `insufficient_liquidity`.
   */
  priceQuote(request: QuoteRequest): Promise<QuotePrice | Refusal> {
    return this.sequencer.priceQuote(request);
  }

  /** Whether those who follow commits know of everything that can be read: they are notified a moment later. */
  get hasNotifiedAll(): boolean {
    return this.sequencer.hasNotifiedAll;
  }

  get followers(): Followers {
    return this.sequencer.followers;
  }

  /** Whether this process leads, and surely so. */
  get leads(): boolean {
    return this.sequencer.currentTerm?.isFresh() === true;
  }

  /** What this process has committed lately; null where it does not lead. */
  get recentRows(): RecentRows | null {
    return this.sequencer.currentTerm?.recentRows ?? null;
  }

  /**
   * Resolves once readers of markets and books see all that was durable when this was called; at once in the process
   * that leads. Where that takes too long they are refused by what they ask for.
   */
  async current(): Promise<void> {
    if (!this.leads) await this.replication?.current();
  }

  status(): CoreStatus {
    const { replication } = this;
    const term = this.sequencer.currentTerm;
    return {
      leading: this.leads,
      following:
        term === null && replication !== null && replication.view !== null && replication.isConnected,
      otherInstallation: replication?.otherInstallation ?? null,
      epoch: term?.epoch ?? 0,
      sequence: term?.sequence ?? replication?.sequence ?? 0,
      queueDepth: this.sequencer.depth,
      lagMs: this.sequencer.lagMs,
      stateHash: term?.stateHash() ?? '',
      clock: { driftMs: this.clock.driftMs, hasStepped: this.clock.hasStepped },
      projection: {
        sequence: term?.projector.sequence ?? 0,
        lagMs: term?.projector.lagMs ?? 0,
        failure: term?.projector.failure ?? null,
      },
      followers: this.followers.lags,
      faults: [...this.sequencer.faults].map(([marketId, reason]) => ({ marketId, reason })),
    };
  }

  /** Committed markets, in order of their ids. */
  markets(): readonly MarketView[] {
    return this.view().markets();
  }

  market(marketId: string): MarketView | undefined {
    return this.view().market(marketId);
  }

  /** The best `depth` levels of each side. */
  book(marketId: string, depth: number): BookView | undefined {
    return this.view().book(marketId, depth);
  }

  asset(code: string): AssetView | undefined {
    return this.view().assets.get(code);
  }

  /** In the order in which they were created. */
  assets(): readonly AssetView[] {
    return [...this.view().assets.values()];
  }

  /** In the order in which they were made. */
  eventGroups(): readonly EventGroupView[] {
    return [...this.view().groups.values()];
  }

  eventGroup(groupId: string): EventGroupView | undefined {
    return this.view().groups.get(groupId);
  }

  /** The last durable sequence of the ledger that reads here include. */
  sequence(): number {
    const followed = this.sequencer.currentTerm === null ? this.replication : null;
    return followed?.view ? followed.sequence : this.sequencer.freshTerm().sequence;
  }

  /** Its KYC level is that of the last commit. */
  account(accountId: number): Awaitable<AccountRecord | undefined> {
    return this.accountRecords.find(accountId);
  }

  /** All accounts of a principal such as `client:demo`, oldest first. */
  async accountsOf(owner: string): Promise<readonly AccountRecord[]> {
    return this.accountRecords.ofOwner(owner);
  }

  /** The orders that an account once placed under these `client_order_id`s, by them; such ids are kept for good. */
  async orderIdsOf(
    accountId: number,
    clientOrderIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (clientOrderIds.length === 0) return new Map();
    await this.projected();
    const { rows } = await this.pool.query<{ key: string; outcomes: string }>(
      'SELECT key, outcomes FROM command_keys WHERE owner = $1 AND key = ANY ($2)',
      [orderOwner(accountId), clientOrderIds],
    );
    return new Map(
      rows.flatMap(({ key, outcomes }) => {
        const orderId = orderIdIn(outcomes);
        return orderId === undefined ? [] : [[key, orderId] as const];
      }),
    );
  }

  /**
   * Calls the listener after each commit, in commit order; returns the way to stop it. A batch holds the orders
   * and balances of those accounts in which any listener is interested: say so where it is not all of them.
   */
  onCommitted(listener: (batch: CommittedBatch) => void, interest: Interest = EVERYBODY): () => void {
    return this.sequencer.onCommitted(listener, interest);
  }

  /**
   * Resolves when the tables contain everything that was durable at the call: orders, trades, matched bets, transfers,
   * balances, positions, account changes and keys are written a moment after their commit. Await it before querying
   * these tables if the result must include what the caller has already seen.
   *
   * @throws ServiceFailure `temporarily_unavailable` where that takes too long
   */
  async projected(): Promise<void> {
    const term = this.sequencer.currentTerm;
    try {
      if (term?.isFresh() === true) await term.projected();
      else await this.projectedTables.caughtUp();
    } catch (error) {
      if (!(error instanceof ProjectionLate)) throw error;
      throw unavailable('What is asked for is still being written. Try again in a moment.');
    }
  }

  /** Names the time through which listeners are notified of every commit; null while some may be missing. */
  private get watch(): string | null {
    const term = this.sequencer.currentTerm;
    if (term !== null) return term.isFresh() ? term.name : null;
    const generation = this.replication?.generation ?? null;
    return generation === null ? null : `followed ${generation}`;
  }

  private view(): CommittedView {
    const followed = this.sequencer.currentTerm === null ? (this.replication?.view ?? null) : null;
    return followed ?? this.sequencer.freshTerm().view;
  }
}

function typesIn({ commands: asked }: CoreRequest): string[] {
  return [...new Set(asked.map(({ type }) => type))];
}
