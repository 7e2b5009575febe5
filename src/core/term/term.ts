/**
 * One leadership term: the working state, the connections that write and read for it, and the view that
 * readers see. A term is good until its first failure; then it is thrown away whole, since memory may be
 * ahead of the truth, and the next one loads the truth again.
 * A batch may be prepared while the one before is being committed. So all that is kept of a prepared batch are
 * values: the working state has moved on by the time they are needed.
 */
import type pg from 'pg';
import { Engine, ENGINE_VERSION } from '../../domain/engine/engine.js';
import type { StateHash } from '../../domain/engine/state-hash.js';
import { AccountChanges } from '../accounts/account-changes.js';
import { monotonicMs } from '../clock/command-clock.js';
import { BatchKeys } from '../keys/command-keys.js';
import { commitStatement } from '../commit/commit-statement.js';
import type { Audience } from '../view/commit-listeners.js';
import { CommittedView } from '../view/committed-view.js';
import type { DueScope } from './due-work.js';
import { encodeCommands, GENESIS_HASH, journalHash, type JournalRow } from '../journal/journal.js';
import { saveCheckpoint } from '../journal/checkpoint.js';
import { makePartitions } from '../journal/journal-partitions.js';
import { RecentRows } from '../journal/recent-rows.js';
import {
  disconnect,
  LEASE_MS,
  type LeaderTerm,
  LostLeadership,
  renewLease,
} from '../leadership/leadership.js';
import { encodeEffects } from '../projection/effects.js';
import { projectTail } from '../journal/journal-tail.js';
import { projectionStatement } from '../projection/projection-statement.js';
import { beginCarrying, Projector, type ProjectorLog } from '../projection/projector.js';
import { countRows, type EffectRows, effectRowsOf } from '../projection/tables.js';
import { SETTLED_PER_COMMAND_MAX, SettlementHolders } from './settlement-holders.js';
import type { HeldOrders } from '../state/held-orders.js';
import { readPages } from '../state/state-pages.js';
import { formatParts, type LoadedState, loadState, WHOLE_TABLES } from '../state/state-loader.js';
import { type AppliedBatch, applyBatch, type WantedLimits } from './batch.js';
import { checkAppliedBatch, checkCommit, checkWritten, type JournalPlace } from './batch-checks.js';
import { DueMarkets } from './due-markets.js';
import { LoadedAccounts } from './loaded-accounts.js';
import { capture, type PreparedBatch } from './prepared-batch.js';
import { Settlements } from './settlements.js';
import type { LeftState } from './left-state.js';
import { EngineFault } from '../requests/failures.js';
import type { Work } from '../requests/work.js';

/** Beyond this many accounts in memory, idle ones are evicted; they are loaded again at their next use. */
export const ACCOUNTS_IN_MEMORY_MAX = 100_000;

export interface TermOptions {
  readonly accountsInMemoryMax: number;
  /** Where they differ from those in force, the first batch of the term sets them. */
  readonly limits?: WantedLimits;
  readonly settledPerCommandMax?: number;
  /** How many rows may wait for the projector before the writer does. */
  readonly waitingRowsMax?: number;
}

/** What a term works with besides its options. */
export interface TermConnections {
  /** Holds the lock; commits and nothing else. */
  readonly writer: pg.Client;
  /** Reads rows for batches while another batch commits. */
  readonly reader: pg.Client;
  readonly connectProjector: () => Promise<pg.Client>;
  readonly log: ProjectorLog;
}

/** Where a term takes up. */
interface TermBegin {
  readonly epoch: number;
  readonly lastJournalHash: string;
  /** The sequence after which trades carry their transfers. */
  readonly carriedAfter: number;
}

export class Term {
  readonly epoch: number;
  /** Unlike that of any other term. */
  readonly name: string;
  readonly view: CommittedView;
  /**
   * When this process last knew for sure that it leads, on the monotonic clock: one that was stopped
   * (SIGSTOP) finds on waking that the time has passed, and one whose wall clock is set back does not live on.
   */
  confirmedAtMs: number;
  readonly due: DueMarkets;
  readonly projector: Projector;
  /** For who follows the journal. */
  readonly recentRows = new RecentRows();
  private readonly accountChanges: AccountChanges;
  private readonly accounts: LoadedAccounts;
  private readonly settlements: Settlements;
  /** Of the last batch that was prepared. */
  private prepared: JournalPlace;
  private committed: JournalPlace & { readonly stateHash: string };
  /** The connection with the lock is gone, so another process may lead already. */
  private isLost = false;

  private constructor(
    private readonly connections: TermConnections,
    { epoch, lastJournalHash, carriedAfter }: TermBegin,
    private readonly engine: Engine,
    private readonly hash: StateHash,
    private readonly options: TermOptions,
  ) {
    this.epoch = epoch;
    const { reader, connectProjector, log } = connections;
    const { state } = engine;
    this.name = `led ${epoch}`;
    this.view = new CommittedView(state);
    this.prepared = { sequence: state.sequence, timeMs: state.timeMs, hash: lastJournalHash };
    this.committed = { ...this.prepared, stateHash: hash.total(state.sequence) };
    this.accountChanges = new AccountChanges(reader);
    this.due = new DueMarkets(state);
    this.projector = new Projector(
      connectProjector,
      state.sequence,
      carriedAfter,
      log,
      (sequence) => this.accounts.forget(sequence),
      options.waitingRowsMax,
    );
    this.accounts = new LoadedAccounts(state, reader, this.projector, options.accountsInMemoryMax);
    const holders = new SettlementHolders(reader, options.settledPerCommandMax ?? SETTLED_PER_COMMAND_MAX);
    this.settlements = new Settlements(state, this.due, holders, this.projector);
    this.confirmedAtMs = monotonicMs();
    connections.writer.on('end', () => (this.isLost = true));
  }

  /**
   * Brings the tables up to the end of the journal and loads what was committed last, but for orders that are held as
   * of the same entry of the journal; the lease, long enough for that so far, becomes an ordinary one.
   */
  static async begin(
    connections: TermConnections,
    leader: LeaderTerm,
    options: TermOptions,
    held: HeldOrders | null = null,
  ): Promise<Term> {
    const client = connections.writer;
    await makePartitions(client, leader.lastSequence);
    await projectTail(client, leader);
    const carriedAfter = await beginCarrying(client);
    const { rows } = await client.query<{ hash: string; engine_version: number }>(
      'SELECT hash, engine_version FROM journal WHERE last_sequence = $1',
      [leader.lastSequence],
    );
    const [last] = rows;
    const isHeld = held !== null && held.sequence === leader.lastSequence && held.journalHash === last?.hash;
    const { state, hash } = await loadLed(connections, leader, isHeld ? held : null);
    // What an older engine wrote cannot be replayed by this one, so verification will begin here.
    if (last !== undefined && last.engine_version !== ENGINE_VERSION) {
      await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await client.query(WHOLE_TABLES);
      const place = { sequence: leader.lastSequence, timeMs: state.timeMs, journalHash: last.hash };
      await saveCheckpoint(client, place, readPages(client));
      await client.query('COMMIT');
    }
    const lastJournalHash = last?.hash ?? GENESIS_HASH;
    const begin = { epoch: leader.epoch, lastJournalHash, carriedAfter };
    const term = new Term(connections, begin, new Engine(state), hash, options);
    await term.renew();
    return term;
  }

  /** Leaves the tables where they are and gives the lock back. */
  async end(): Promise<void> {
    const { writer, reader } = this.connections;
    await Promise.all([this.projector.end(), disconnect(reader), disconnect(writer)]);
  }

  /**
   * The state for a follower, from a term that is ending and runs nothing any more; null if part of it is not durable.
   */
  leave(): LeftState | null {
    const { sequence, assets, markets, groups, orders } = this.engine.state;
    if (!this.isFresh() || this.committed.sequence !== sequence) return null;
    const ordersSum = this.hash.part('orders');
    return {
      sequence,
      journalHash: this.committed.hash,
      assets,
      markets,
      groups,
      orders,
      ordersSum,
      view: this.view,
    };
  }

  /** Calls back when a connection that batches need is gone. */
  onLost(act: () => void): void {
    this.connections.writer.on('end', act);
    this.connections.reader.on('end', act);
  }

  /** Resolves when the tables hold all that is durable now. Throws `ProjectionLate` where they do not in time. */
  projected(): Promise<void> {
    return this.projector.reached(this.committed.sequence);
  }

  /** Accounts in the working state; others are loaded on first use. */
  get accountsInMemory(): number {
    return this.engine.state.accounts.size;
  }

  /** Positions that the working state holds; those of settled markets are looked up when they are corrected. */
  get positionsInMemory(): number {
    let count = 0;
    for (const { positions } of this.engine.state.accounts.values()) count += positions.size;
    return count;
  }

  /** The last sequence that is durable. */
  /** Those of the working state. */
  get liveOrders(): number {
    return this.engine.state.orders.size;
  }

  get sequence(): number {
    return this.committed.sequence;
  }

  /** The time of the last command, durable or not yet. */
  get timeMs(): number {
    return this.engine.state.timeMs;
  }

  /** The state's hash as of the last commit. */
  stateHash(): string {
    return this.committed.stateHash;
  }

  /**
   * Looks up repeats and missing accounts, then applies the batch to the working state; with `due` first the work that
   * time and waiting stops require. If this fails, the term is over.
   */
  async prepare(
    works: readonly Work[],
    nowMs: number,
    due: DueScope | null,
    audience: Audience,
  ): Promise<PreparedBatch> {
    const timeMs = Math.max(nowMs, this.engine.state.timeMs);
    const settlements = await this.settlements.of(works, due);
    const hits = await this.accounts.lookUp(works, settlements, timeMs);
    const { limits } = this.options;
    const applied = asFault(() => {
      const keys = new BatchKeys(hits, timeMs);
      const batch = applyBatch(this.engine, works, { keys, timeMs, due, settlements, limits });
      checkAppliedBatch(batch, works.length, this.prepared);
      return batch;
    });
    const { changes, lastSequence, keys } = applied;
    const numbered = await this.accountChanges.number(changes, this.engine.state.accounts, lastSequence);
    const prepared = asFault(() => {
      const effects = effectRowsOf(changes, keys.made, numbered);
      const journal = applied.commands.length === 0 ? null : this.journalRow(applied, effects);
      return capture(applied, effects, journal, audience);
    });
    this.accounts.addKeys(keys.made, lastSequence);
    this.accounts.makeRoom(changes);
    return prepared;
  }

  private journalRow(applied: AppliedBatch, effects: EffectRows): JournalRow {
    const { changes, commands, actors, firstSequence, lastSequence, timeMs } = applied;
    this.hash.update(changes);
    const content = {
      firstSequence,
      lastSequence,
      engineVersion: ENGINE_VERSION,
      timeMs,
      commands: encodeCommands(commands),
      actors,
      effects: encodeEffects(effects, countRows(effects), timeMs),
      stateHash: this.hash.total(lastSequence),
    };
    const previousHash = this.prepared.hash;
    this.prepared = { sequence: lastSequence, timeMs, hash: journalHash(previousHash, content) };
    return { ...content, stateParts: formatParts(this.hash), previousHash, hash: this.prepared.hash };
  }

  /** Makes a prepared batch durable, in one transaction. Throws `LostLeadership` where the fence is closed. */
  async commit(batch: PreparedBatch): Promise<void> {
    const { journal, referenceWrites } = batch;
    if (journal === null) {
      // An empty commit checks no fence, but a process that has lost the lead must not answer.
      if (monotonicMs() - this.confirmedAtMs >= LEASE_MS / 4) await this.renew();
      return;
    }
    checkCommit(batch, journal, this.committed);
    if (referenceWrites.length > 0) return this.commitWithReferenceRows(batch, journal);
    const startedAtMs = monotonicMs();
    await this.writeJournal(batch, journal);
    this.noteCommitted(journal, startedAtMs);
  }

  private noteCommitted(journal: JournalRow, startedAtMs: number): void {
    this.confirmedAtMs = startedAtMs;
    const { lastSequence: sequence, timeMs, hash, stateHash } = journal;
    this.committed = { sequence, timeMs, hash, stateHash };
    this.recentRows.add(journal);
  }

  /** What few batches write is referred to by the other tables, so those are brought along in the same transaction. */
  private async commitWithReferenceRows(batch: PreparedBatch, journal: JournalRow): Promise<void> {
    const before = batch.firstSequence - 1;
    await this.projector.reached(before);
    const startedAtMs = monotonicMs();
    const { lastSequence, stateParts, effects, timeMs } = journal;
    const window = this.projector.newWindow();
    window.add(effects, timeMs);
    const { writer } = this.connections;
    await writer.query('BEGIN');
    await this.writeJournal(batch, journal);
    for (const { text, values, rows } of batch.referenceWrites)
      checkWritten((await writer.query(text, values)).rowCount, rows);
    const { name, text, values } = projectionStatement(
      { from: before, to: lastSequence, stateParts },
      window,
    );
    const { rows } = await writer.query<{ moved: number }>({ name, text, values });
    if (rows[0]!.moved !== 1) throw new LostLeadership('another process moves the tables');
    await writer.query('COMMIT');
    this.noteCommitted(journal, startedAtMs);
    this.projector.moveTo(lastSequence);
  }

  private async writeJournal(batch: PreparedBatch, journal: JournalRow): Promise<void> {
    const fence = { epoch: this.epoch, previousSequence: batch.firstSequence - 1, leaseMs: LEASE_MS };
    const { name, text, values } = commitStatement(fence, journal);
    const { rows } = await this.connections.writer.query<{ fenced: number }>({ name, text, values });
    if (rows[0]!.fenced !== 1) throw new LostLeadership('another process has taken over');
  }

  /** Shows readers what has become durable. */
  show(batch: PreparedBatch): void {
    this.view.apply(batch.view);
  }

  /** Hands a durable batch to the projector, in the order of the commits; until then who reads the tables waits. */
  project({ journal, referenceWrites }: PreparedBatch): void {
    if (journal !== null && referenceWrites.length === 0) this.projector.add(journal);
  }

  /** Extends the lease while nothing is committed; throws `LostLeadership` where it is gone. */
  async renew(): Promise<void> {
    const startedAtMs = monotonicMs();
    if (!(await renewLease(this.connections.writer, this.epoch)))
      throw new LostLeadership('another process has taken over');
    this.confirmedAtMs = startedAtMs;
  }

  /** Whether readers may still trust this term: past half its lease another process might soon lead. */
  isFresh(): boolean {
    return !this.isLost && monotonicMs() - this.confirmedAtMs < LEASE_MS / 2;
  }

  /** Markets that a request is about, as far as they are known; for halting them when it cannot be applied. */
  marketsOf(work: Work): string[] {
    if (work.kind !== 'request') return [];
    const { orders, lists, markets, groups } = this.engine.state;
    return work.request.commands.flatMap((command) => {
      if (command.type === 'mass_quote') return command.quotes.map(({ marketId }) => marketId);
      if ('groupId' in command) return groups.get(command.groupId)?.marketIds ?? [];
      const [listed] = ('listId' in command && lists.get(command.listId)) || [];
      const order = 'orderId' in command ? orders.get(command.orderId) : listed;
      const marketId = order?.market.definition.marketId ?? ('marketId' in command ? command.marketId : null);
      return marketId !== null && markets.has(marketId) ? [marketId] : [];
    });
  }
}

/** If the orders in memory do not match the last commit, everything is read: the tables have all commits. */
async function loadLed(
  { writer, log }: TermConnections,
  { stateParts }: LeaderTerm,
  held: HeldOrders | null,
): Promise<LoadedState> {
  if (held === null) return loadState(writer, stateParts);
  try {
    return await loadState(writer, stateParts, held);
  } catch (error) {
    log.error({ err: error }, 'the orders in memory do not lead to the last commit; reading the tables');
    return loadState(writer, stateParts);
  }
}

/** Runs in-memory work of a batch: any error is the batch's fault. */
function asFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineFault(`the engine failed on a batch: ${reason}`, { cause: error });
  }
}
