/**
 * One leadership term: the working state, the connections that write and read for it, and the view that
 * readers see. A term is good until its first failure; then it is thrown away whole, since memory may be
 * ahead of the truth, and the next one loads the truth again.
 *
 * A batch may be prepared while the one before is being committed. So all that is kept of a prepared batch are
 * values: the working state has moved on by the time they are needed.
 */
import type pg from 'pg';
import type { Changes } from '../domain/engine/changes.js';
import type {
  Command,
  ContinueSettlement,
  Outcome,
  Refusal,
  SetMarketStatus,
} from '../domain/engine/commands.js';
import { isRefusal, refusal } from '../domain/engine/context.js';
import { Engine, ENGINE_VERSION } from '../domain/engine/engine.js';
import type { PreviewableCommand, PreviewOf } from '../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../domain/engine/quotes.js';
import type { StateHash } from '../domain/engine/state-hash.js';
import {
  type Balance,
  holdKey,
  type Limits,
  type Market,
  type MarketDue,
  Order,
} from '../domain/engine/state.js';
import type { Amount } from '../domain/money/amount.js';
import { AccountMemory } from './account-memory.js';
import { AccountChanges } from './account-changes.js';
import { monotonicMs } from './command-clock.js';
import { BatchKeys, keysOf } from './command-keys.js';
import { commitStatement, ROWS_PER_COMMIT } from './commit/commit-statement.js';
import { rareStatements } from './commit/rare-rows.js';
import type { Audience } from './commit-listeners.js';
import { CommittedView, type ViewChange } from './committed-view.js';
import type { BalanceView, CommittedBatch, CoreAnswer, CoreRequest } from './core.types.js';
import type { AuditEntry } from '../platform/audit/audit-entry.js';
import type { DueScope } from './due-work.js';
import { ActorRuns, encodeCommands, GENESIS_HASH, journalHash, type JournalRow } from './journal/journal.js';
import { saveCheckpoint } from './journal/checkpoint.js';
import { makePartitions } from './journal/journal-partitions.js';
import { disconnect, LEASE_MS, type LeaderTerm, renewLease } from './leadership.js';
import { EffectWindow, encodeEffects } from './projection/effects.js';
import { projectTail } from './projection/journal-tail.js';
import { projectionStatement } from './projection/projection-statement.js';
import { Projector, type ProjectorLog } from './projection/projector.js';
import { countRows, type EffectRows, rowsOf } from './projection/tables.js';
import { RecentKeys } from './recent-keys.js';
import type { LeftState } from './replica/replica-state.js';
import type { Statement } from './statement.js';
import { CORRECTED_HOLDERS_MAX, SETTLED_PER_COMMAND_MAX, SettlementHolders } from './settlement-holders.js';
import type { HeldOrders } from './state/held-orders.js';
import { readPages } from './state/state-pages.js';
import { addAccounts, type AccountRows, DamagedState, type PositionRow } from './state/state-rows.js';
import {
  formatParts,
  type KeyHit,
  type LoadedState,
  loadState,
  lookUp,
  WHOLE_TABLES,
} from './state/state-loader.js';

/** Beyond so many accounts in memory, idle ones make room; they come back when they are asked for. */
export const ACCOUNTS_IN_MEMORY_MAX = 100_000;

/** The leader's fence did not hold: another process has taken over. Nothing was written. */
export class LostLeadership extends Error {}

/** The engine itself failed on a batch: a fault in a command or in the code, not in the connection. */
export class EngineFault extends Error {}

export interface TermOptions {
  readonly accountsInMemoryMax: number;
  /** Where they differ from those in force, the first batch of the term sets them. */
  readonly limits?: Pick<Limits, 'openOrdersMax' | 'openStopsMax'>;
  readonly settledPerCommandMax?: number;
  /** How many rows may wait for the projector before the writer does. */
  readonly waitingRowsMax?: number;
}

/** What a term works with besides its options. */
export interface TermConnections {
  /** Holds the lock; commits and nothing else. */
  readonly writer: pg.Client;
  /** Looks up what batches need, while another is being committed. */
  readonly reader: pg.Client;
  readonly connectProjector: () => Promise<pg.Client>;
  readonly log: ProjectorLog;
}

/** One thing that waits for its turn in the single writer. */
export type Work =
  | { readonly kind: 'request'; readonly request: CoreRequest }
  | { readonly kind: 'preview'; readonly command: PreviewableCommand }
  | { readonly kind: 'quote'; readonly request: QuoteRequest };

export type WorkAnswer = CoreAnswer | PreviewOf<PreviewableCommand> | QuotePrice | Refusal;

/** Who is paid by the settlements in a batch. */
interface BatchSettlements {
  /** Who is paid at once, by market. */
  readonly paid: ReadonlyMap<string, readonly number[]>;
  /** Who was paid by a settlement that is to be corrected; null where they are too many. */
  readonly corrected: ReadonlyMap<string, readonly number[] | null>;
  /** The next part of a settlement that goes on. */
  readonly continued: ContinueSettlement | null;
}

/** A batch that has been applied to the working state. */
interface AppliedBatch {
  /** In the order of the works. */
  readonly answers: readonly WorkAnswer[];
  readonly changes: Changes;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  /** Those that changed something. */
  readonly commands: readonly Command[];
  readonly actors: string | null;
  /** Acts of operators that it carries out. */
  readonly audit: readonly AuditEntry[];
  /** The keys that it makes. */
  readonly keys: BatchKeys;
}

/** A batch with all that is to be written and told of it, as values; not yet durable. */
export interface PreparedBatch {
  /** In the order of the works. */
  readonly answers: readonly WorkAnswer[];
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Null where the batch changed nothing, so that there is nothing to commit. */
  readonly journal: JournalRow | null;
  /** What few batches write beside their journal row, in the same transaction. */
  readonly rare: readonly Statement[];
  /** Rows that the commit writes. */
  readonly rowCount: number;
  readonly view: ViewChange;
  /** What listeners are told; null where there are none, or nothing to tell. */
  readonly told: CommittedBatch | null;
  /** Markets that it left open, of those that it changed. */
  readonly openMarketIds: readonly string[];
}

export class Term {
  readonly view: CommittedView;
  /**
   * When this process last knew for sure that it leads, on the monotonic clock: one that was stopped
   * (SIGSTOP) finds on waking that the time has passed, and one whose wall clock is set back does not live on.
   */
  confirmedAtMs: number;
  /** What is due in markets that are left out, by market. */
  private readonly dueLeftOut = new Map<string, (Order | MarketDue)[]>();
  private readonly accountChanges: AccountChanges;
  private readonly memory: AccountMemory;
  private readonly holders: SettlementHolders;
  private readonly recentKeys = new RecentKeys();
  /** Accounts that left memory, with the sequence up to which the tables must be to read them. */
  private readonly left = new Map<number, number>();
  /** Markets whose holders were looked up for the batch. */
  private readonly holdersOf = new Set<string>();
  readonly projector: Projector;
  private committed: { readonly sequence: number; readonly stateHash: string };

  private constructor(
    private readonly connections: TermConnections,
    readonly epoch: number,
    private readonly engine: Engine,
    private readonly hash: StateHash,
    private lastJournalHash: string,
    private readonly options: TermOptions,
  ) {
    const { reader, connectProjector, log } = connections;
    const { state } = engine;
    this.view = new CommittedView(state);
    this.committed = { sequence: state.sequence, stateHash: hash.total(state.sequence) };
    this.accountChanges = new AccountChanges(reader);
    this.memory = new AccountMemory(state, options.accountsInMemoryMax, (accountId) => {
      // Those that left last stand last.
      this.left.delete(accountId);
      this.left.set(accountId, state.sequence);
    });
    this.projector = new Projector(
      connectProjector,
      state.sequence,
      log,
      (sequence) => this.forget(sequence),
      options.waitingRowsMax,
    );
    this.holders = new SettlementHolders(reader, options.settledPerCommandMax ?? SETTLED_PER_COMMAND_MAX);
    this.confirmedAtMs = monotonicMs();
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
    const lastHash = last?.hash ?? GENESIS_HASH;
    const term = new Term(connections, leader.epoch, new Engine(state), hash, lastHash, options);
    await term.renew();
    return term;
  }

  /** Leaves the tables where they are and gives the lock back. */
  async end(): Promise<void> {
    const { writer, reader } = this.connections;
    await Promise.all([this.projector.end(), disconnect(reader), disconnect(writer)]);
  }

  /**
   * What a follower goes on from, for a term that is about to end and runs nothing any more; null where there is
   * something that is not durable.
   */
  leave(): LeftState | null {
    const { sequence, assets, markets, orders } = this.engine.state;
    if (!this.isFresh() || this.committed.sequence !== sequence) return null;
    const ordersSum = this.hash.part('orders');
    return {
      sequence,
      journalHash: this.lastJournalHash,
      assets,
      markets,
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

  /** Accounts that the working state holds; the others are looked up when they are asked for. */
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

  /** When time alone next makes work, or null. */
  nextDueMs(): number | null {
    if (this.engine.state.triggersWaiting.size > 0 || this.nextSettling() !== undefined) return 0;
    return this.engine.state.due.peek()?.dueMs ?? null;
  }

  /** The market whose turn that is, or null. */
  nextDueMarket(): string | null {
    const { triggersWaiting, due } = this.engine.state;
    const [waiting] = triggersWaiting;
    const market = waiting ?? this.nextSettling() ?? due.peek()?.market;
    return market?.definition.marketId ?? null;
  }

  /** Whether the next due command has a single market to it, so that it need not be narrowed down. */
  nextDueIsSingle(): boolean {
    return this.engine.state.triggersWaiting.size > 0 || this.nextSettling() !== undefined;
  }

  /** The market whose holders are paid next, of those that are not left out. */
  private nextSettling(): Market | undefined {
    for (const market of this.engine.state.settling) {
      if (!this.dueLeftOut.has(market.definition.marketId)) return market;
    }
    return undefined;
  }

  /** Takes what is due in a market out of the way of all others. */
  leaveOutDue(marketId: string): void {
    const { due } = this.engine.state;
    const left = due.entries().filter(({ market }) => market.definition.marketId === marketId);
    for (const entry of left) due.remove(entry);
    this.dueLeftOut.set(marketId, left);
  }

  /** Takes it in again, but for what is no longer to happen. */
  takeInDue(marketId: string): void {
    for (const entry of this.dueLeftOut.get(marketId) ?? []) {
      const isToCome = entry instanceof Order ? entry.isLive : entry.market.dues.includes(entry);
      if (isToCome) this.engine.state.due.add(entry);
    }
    this.dueLeftOut.delete(marketId);
  }

  /**
   * Looks up repeats and missing accounts, then applies the batch to the working state; with `due` also
   * what time and waiting stops call for, before all else. A term in which this fails is over.
   */
  async prepare(
    works: readonly Work[],
    nowMs: number,
    due: DueScope | null,
    audience: Audience,
  ): Promise<PreparedBatch> {
    const timeMs = Math.max(nowMs, this.engine.state.timeMs);
    const settlements = await this.settlementsIn(works, due);
    const hits = await this.lookUp(works, settlements);
    const applied = asFault(() =>
      this.applyBatch(works, new BatchKeys(hits, timeMs), timeMs, due, settlements),
    );
    const { changes, lastSequence, keys } = applied;
    const numbered = await this.accountChanges.number(changes, this.engine.state.accounts, lastSequence);
    const prepared = asFault(() => this.capture(applied, rowsOf(changes, keys.made, numbered), audience));
    this.recentKeys.add(keys.made, lastSequence);
    this.makeRoom(changes);
    return prepared;
  }

  private applyBatch(
    works: readonly Work[],
    keys: BatchKeys,
    timeMs: number,
    due: DueScope | null,
    settlements: BatchSettlements,
  ): AppliedBatch {
    const changes = this.engine.beginBatch(timeMs);
    const firstSequence = this.engine.state.sequence + 1;
    const commands: Command[] = [];
    const actors = new ActorRuns();
    const audit: AuditEntry[] = [];

    const apply = (asked: Command, actor: string | null): Outcome => {
      const command = withHolders(asked, settlements);
      if (isRefusal(command)) return { ok: false, refusal: command };
      const outcome = this.engine.apply(command);
      if (outcome.ok) {
        commands.push(command);
        actors.add(actor);
      }
      return outcome;
    };
    this.configureLimits((command) => apply(command, null));
    if (due !== null) for (const command of this.dueCommands(timeMs, due, settlements)) apply(command, null);
    const answers = works.map((work): WorkAnswer => {
      switch (work.kind) {
        case 'request':
          return this.answer(work.request, keys, apply, audit);
        case 'preview':
          return this.preview(work.command, keys, settlements);
        case 'quote':
          return this.engine.priceQuote(work.request);
      }
    });
    this.engine.checkBatch();
    const lastSequence = this.engine.state.sequence;
    return {
      answers,
      changes,
      firstSequence,
      lastSequence,
      timeMs,
      commands,
      actors: actors.encode(),
      audit,
      keys,
    };
  }

  /** All that is to be written and told of a batch, while the working state is exactly there. */
  private capture(applied: AppliedBatch, effects: EffectRows, audience: Audience): PreparedBatch {
    const { answers, changes, firstSequence, lastSequence, commands } = applied;
    const journal = commands.length === 0 ? null : this.journalRow(applied, effects);
    const rare = journal === null ? [] : rareStatements(changes, applied.audit);
    const isTold = audience !== null && journal !== null;
    const prepared = {
      answers,
      firstSequence,
      lastSequence,
      journal,
      rare,
      rowCount: ROWS_PER_COMMIT + (rare.length === 0 ? 0 : rare.length + countRows(effects)),
      view: CommittedView.changeOf(changes),
      told: isTold ? describe(applied, effects, audience) : null,
      openMarketIds: changes.markets.flatMap(({ status, definition }) =>
        status === 'open' ? [definition.marketId] : [],
      ),
    };
    for (const order of changes.orders) order.stored = true;
    for (const market of changes.markets) market.statusChanged = false;
    return prepared;
  }

  private preview(command: PreviewableCommand, keys: BatchKeys, settlements: BatchSettlements): WorkAnswer {
    const repeated = keys.refusalOfRepeat(command);
    if (repeated !== null) return repeated;
    const asked = withHolders(command, settlements);
    return isRefusal(asked) ? asked : this.engine.preview(asked);
  }

  private dueCommands(
    timeMs: number,
    { alone, limit, except }: DueScope,
    { continued }: BatchSettlements,
  ): Command[] {
    const commands = this.engine.dueCommands(timeMs).map((command): Command => {
      if (command.type !== 'advance_time') return command;
      return {
        ...command,
        ...(limit !== null && { limit }),
        ...(except.size > 0 && { except: [...except].sort() }),
      };
    });
    // Behind stops that wait, before what falls due: as `nextDueMarket` tells.
    if (continued !== null) commands.splice(commands[0]?.type === 'run_triggers' ? 1 : 0, 0, continued);
    return alone ? commands.slice(0, 1) : commands;
  }

  /** Settings reach the engine by a command, so that a replay finds the limits that were in force. */
  private configureLimits(apply: (command: Command) => Outcome): void {
    const { limits: wanted } = this.options;
    const { openOrdersMax, openStopsMax } = this.engine.state.limits;
    if (wanted === undefined) return;
    if (wanted.openOrdersMax === openOrdersMax && wanted.openStopsMax === openStopsMax) return;
    apply({ type: 'configure_limits', ...wanted });
  }

  private answer(
    request: CoreRequest,
    keys: BatchKeys,
    apply: (command: Command, actor: string | null) => Outcome,
    audit: AuditEntry[],
  ): CoreAnswer {
    const replay = keys.replayOfRequest(request);
    if (replay !== undefined) return replay;
    const replayed: boolean[] = [];
    const outcomes = request.commands.map((command) => {
      const earlier = keys.replayOfCommand(command);
      replayed.push(earlier?.ok ?? false);
      if (earlier !== undefined) return earlier;
      const outcome = apply(command, request.actor ?? null);
      keys.rememberCommand(command, outcome);
      return outcome;
    });
    const isApplied = outcomes.some(({ ok }, index) => ok && replayed[index] === false);
    if (isApplied && request.audit !== undefined) audit.push(request.audit);
    keys.rememberRequest(request, outcomes);
    return { outcomes, replayed };
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
    const previousHash = this.lastJournalHash;
    this.lastJournalHash = journalHash(previousHash, content);
    return { ...content, stateParts: formatParts(this.hash), previousHash, hash: this.lastJournalHash };
  }

  /** Makes a prepared batch durable, in one transaction. Throws `LostLeadership` where the fence is closed. */
  async commit(batch: PreparedBatch): Promise<void> {
    const { journal, rare } = batch;
    if (journal === null) {
      // Nothing to fence, and yet the answers must not be those of a process that leads no more.
      if (monotonicMs() - this.confirmedAtMs >= LEASE_MS / 4) await this.renew();
      return;
    }
    if (rare.length > 0) return this.commitRare(batch, journal);
    const startedAtMs = monotonicMs();
    await this.writeJournal(batch, journal);
    this.confirmedAtMs = startedAtMs;
    this.committed = { sequence: journal.lastSequence, stateHash: journal.stateHash };
  }

  /** What few batches write is referred to by the other tables, so those are brought along in the same transaction. */
  private async commitRare(batch: PreparedBatch, journal: JournalRow): Promise<void> {
    const before = batch.firstSequence - 1;
    await this.projector.reached(before);
    const startedAtMs = monotonicMs();
    const { lastSequence, stateHash, stateParts, effects, timeMs } = journal;
    const window = new EffectWindow();
    window.add(effects, timeMs);
    const { writer } = this.connections;
    await writer.query('BEGIN');
    await this.writeJournal(batch, journal);
    for (const { text, values } of batch.rare) await writer.query(text, values);
    const { name, text, values } = projectionStatement(
      { from: before, to: lastSequence, stateParts },
      window,
    );
    const { rows } = await writer.query<{ moved: number }>({ name, text, values });
    if (rows[0]!.moved !== 1) throw new LostLeadership('another process moves the tables');
    await writer.query('COMMIT');
    this.confirmedAtMs = startedAtMs;
    this.committed = { sequence: lastSequence, stateHash };
    this.projector.moveTo(lastSequence);
  }

  private async writeJournal(batch: PreparedBatch, journal: JournalRow): Promise<void> {
    const fence = { epoch: this.epoch, previousSequence: batch.firstSequence - 1, leaseMs: LEASE_MS };
    const { name, text, values } = commitStatement(fence, journal);
    const { rows } = await this.connections.writer.query<{ fenced: number }>({ name, text, values });
    if (rows[0]!.fenced !== 1) throw new LostLeadership('another process has taken over');
  }

  /** Shows readers what has become durable. */
  publish(batch: PreparedBatch): void {
    this.view.apply(batch.view);
  }

  /** Hands a durable batch to the projector, in the order of the commits; until then who reads the tables waits. */
  project({ journal, rare }: PreparedBatch): void {
    if (journal !== null && rare.length === 0) this.projector.add(journal);
  }

  /** Lets go of what the batch has left idle, and of what the tables know by now. */
  private makeRoom(changes: Changes): void {
    for (const { accountId } of changes.balances) this.memory.use(accountId);
    for (const { accountId } of changes.orders) this.memory.use(accountId);
    for (const { accountId } of changes.newAccounts) this.memory.use(accountId);
    this.forgetSettled(changes);
    this.memory.makeRoom();
  }

  /** The tables have come to the sequence, so nothing of what stands in them need be remembered. */
  private forget(sequence: number): void {
    this.recentKeys.forgetUpTo(sequence);
    for (const [accountId, leftAt] of this.left) {
      if (leftAt > sequence) return;
      this.left.delete(accountId);
    }
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
    return monotonicMs() - this.confirmedAtMs < LEASE_MS / 2;
  }

  /** Markets that a request is about, as far as they are known; for halting them when it cannot be applied. */
  marketsOf(work: Work): string[] {
    if (work.kind !== 'request') return [];
    const { orders, markets } = this.engine.state;
    return work.request.commands.flatMap((command) => {
      const order = 'orderId' in command ? orders.get(command.orderId) : undefined;
      const marketId = order?.market.definition.marketId ?? ('marketId' in command ? command.marketId : null);
      return marketId !== null && markets.has(marketId) ? [marketId] : [];
    });
  }

  /** Who is to be paid by settlements in this batch, and by the one that goes on. */
  private async settlementsIn(works: readonly Work[], due: DueScope | null): Promise<BatchSettlements> {
    const paid = new Map<string, readonly number[]>();
    const corrected = new Map<string, readonly number[] | null>();
    const settling = due === null ? undefined : this.nextSettling();
    // Holders are read from the tables, so those must hold all that is done so far, the batch before included.
    if (settling !== undefined || works.some(isAboutSettlement)) {
      await this.projector.reached(this.engine.state.sequence);
    }
    for (const work of works) {
      for (const command of commandsIn(work)) {
        if (command.type === 'correct_settlement') {
          const { marketId } = command;
          if (!corrected.has(marketId)) corrected.set(marketId, await this.holders.ofSettled(marketId));
        } else if (isSettlement(command) && work.kind === 'request') {
          const { marketId } = command;
          if (!paid.has(marketId)) paid.set(marketId, await this.holders.first(marketId));
        }
      }
    }
    if (settling === undefined) return { paid, corrected, continued: null };
    const { marketId } = settling.definition;
    const holders = await this.holders.next(marketId);
    return { paid, corrected, continued: { type: 'continue_settlement', marketId, holders } };
  }

  private async lookUp(
    works: readonly Work[],
    { paid, corrected, continued }: BatchSettlements,
  ): Promise<readonly KeyHit[]> {
    const keys: { owner: string; key: string }[] = [];
    const hits: KeyHit[] = [];
    const accountIds = new Set<number>();
    const need = (accountId: number): void => {
      this.memory.use(accountId);
      if (!this.engine.state.accounts.has(accountId)) accountIds.add(accountId);
    };
    for (const work of works) {
      for (const key of keysOf(
        commandsIn(work),
        work.kind === 'request' ? work.request.idempotency : undefined,
      )) {
        const recent = this.recentKeys.find(key.owner, key.key);
        if (recent === undefined) keys.push(key);
        else hits.push(recent);
      }
      for (const accountId of this.accountsIn(work)) need(accountId);
    }
    for (const holders of paid.values()) holders.forEach(need);
    continued?.holders.forEach(need);
    // Also those in memory, which are there without what they had in settled markets.
    for (const holders of corrected.values()) holders?.forEach((accountId) => accountIds.add(accountId));
    if (keys.length === 0 && accountIds.size === 0) return hits;
    const correctedMarkets = [...corrected.keys()];
    await this.projector.reached(Math.max(0, ...[...accountIds].map((id) => this.left.get(id) ?? 0)));
    const { hits: stored, ...found } = await lookUp(this.connections.reader, {
      keys,
      accountIds: [...accountIds],
      correctedMarkets,
    });
    for (const { account_id } of found.accounts) this.memory.use(Number(account_id));
    for (const marketId of correctedMarkets) this.holdersOf.add(marketId);
    addAccounts(this.engine.state, this.missing(found));
    return [...hits, ...stored];
  }

  private *accountsIn(work: Work): Iterable<number> {
    if (work.kind === 'quote') yield work.request.accountId;
    for (const command of commandsIn(work)) {
      if ('accountId' in command) yield command.accountId;
      if ('ownerKind' in command) {
        const hold = this.engine.state.holds.get(holdKey(command.ownerKind, command.ownerId));
        if (hold !== undefined) yield hold.accountId;
      }
      if ('debit' in command && 'accountId' in command.debit) yield command.debit.accountId;
      if ('credit' in command && 'accountId' in command.credit) yield command.credit.accountId;
    }
  }

  /** What is in memory already is newer than, or the same as, what the tables say. */
  private missing({ accounts, balances, positions }: AccountRows): AccountRows {
    const isMissing = ({ account_id }: { account_id: string }): boolean =>
      !this.engine.state.accounts.has(Number(account_id));
    return {
      accounts: accounts.filter(isMissing),
      balances: balances.filter(isMissing),
      positions: positions.filter((row) => isMissing(row) || this.isForgotten(row)),
    };
  }

  /** A position in a settled market, of an account that is in memory without it. */
  private isForgotten({ account_id, market_id }: PositionRow): boolean {
    const { accounts, markets } = this.engine.state;
    if (markets.get(market_id)?.status !== 'settled') return false;
    return accounts.get(Number(account_id))?.positions.has(market_id) === false;
  }

  /**
   * Lets go of all positions in markets that are settled: nobody can trade there, and a correction looks them
   * up again. What stays of such a market is its definition and its empty book.
   */
  private forgetSettled({ markets: changed }: Changes): void {
    const { accounts, markets } = this.engine.state;
    for (const { definition } of changed) this.holdersOf.add(definition.marketId);
    for (const marketId of this.holdersOf) {
      if (markets.get(marketId)?.status !== 'settled') continue;
      for (const { positions } of accounts.values()) positions.delete(marketId);
    }
    this.holdersOf.clear();
  }
}

/** Orders in memory that are not those of the last commit are left alone: what was committed is in the tables. */
async function loadLed(
  { writer, log }: TermConnections,
  { stateParts }: LeaderTerm,
  held: HeldOrders | null,
): Promise<LoadedState> {
  if (held === null) return loadState(writer, stateParts);
  try {
    return await loadState(writer, stateParts, held);
  } catch (error) {
    if (!(error instanceof DamagedState)) throw error;
    log.error({ err: error }, 'the orders in memory are not those of the last commit; reading them');
    return loadState(writer, stateParts);
  }
}

function isSettlement(command: Command): command is SetMarketStatus {
  return command.type === 'set_market_status' && command.status === 'settled';
}

function isAboutSettlement(work: Work): boolean {
  return commandsIn(work).some((command) => isSettlement(command) || command.type === 'correct_settlement');
}

/** Says whom a settlement pays at once; a correction of too many is refused. */
function withHolders<C extends Command>(command: C, { paid, corrected }: BatchSettlements): C | Refusal {
  if (command.type === 'correct_settlement' && corrected.get(command.marketId) === null) {
    return refusal(
      'settlement_not_reversible',
      `More than ${CORRECTED_HOLDERS_MAX} accounts were paid; a settlement of so many cannot be corrected.`,
    );
  }
  const holders = isSettlement(command) ? paid.get(command.marketId) : undefined;
  return holders === undefined ? command : { ...command, holders };
}

function commandsIn(work: Work): readonly Command[] {
  switch (work.kind) {
    case 'request':
      return work.request.commands;
    case 'preview':
      return [work.command];
    case 'quote':
      return [];
  }
}

/** Runs what works on a batch in memory: whatever it throws is the fault of the batch. */
function asFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new EngineFault('the engine failed on a batch', { cause: error });
  }
}

/** What listeners are told, with the orders and balances of those accounts that somebody follows. */
function describe(
  { changes, firstSequence, lastSequence, timeMs }: AppliedBatch,
  { accountChanges }: EffectRows,
  isFollowed: (accountId: number) => boolean,
): CommittedBatch {
  return {
    firstSequence,
    lastSequence,
    timeMs,
    trades: changes.trades,
    orders: changes.orders.filter(({ accountId }) => isFollowed(accountId)).map((order) => order.snapshot()),
    books: changes.books,
    transfers: changes.transfers,
    balances: changes.balances.filter(({ accountId }) => isFollowed(accountId)).map(viewOf),
    accountSequences: new Map(accountChanges.map((change) => [change.accountId, change.sequence])),
    changedAccountIds: changes.accounts.map(({ accountId }) => accountId),
    marketIds: changes.markets
      .filter((market) => market.statusChanged || changes.newMarkets.includes(market))
      .map(({ definition }) => definition.marketId),
  };
}

function viewOf({ accountId, asset, available, held }: Balance): BalanceView {
  return { accountId, asset, available: available as Amount, held: held as Amount };
}
