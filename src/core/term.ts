/**
 * One leadership term: the working state, the connection that writes it, and the view that readers
 * see. A term is good until its first failure; then it is thrown away whole, since memory may be ahead
 * of the truth, and the next one loads the truth again.
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
import { AccountChanges, type AccountChangeRow } from './account-changes.js';
import { monotonicMs } from './command-clock.js';
import { BatchKeys, keysOf } from './command-keys.js';
import { type BatchRows, commitStatement, countRows, type JournalRow } from './commit/commit-statement.js';
import { rareStatements } from './commit/rare-rows.js';
import { CommittedView } from './committed-view.js';
import type { BalanceView, CommittedBatch, CoreAnswer, CoreRequest } from './core.types.js';
import type { AuditEntry } from '../platform/audit/audit-entry.js';
import type { DueScope } from './due-work.js';
import { ActorRuns, encodeCommands, GENESIS_HASH, journalHash } from './journal/journal.js';
import { saveCheckpoint } from './journal/checkpoint.js';
import { LEASE_MS, type LeaderTerm, renewLease } from './leadership.js';
import { CORRECTED_HOLDERS_MAX, SETTLED_PER_COMMAND_MAX, SettlementHolders } from './settlement-holders.js';
import { readPages } from './state/state-pages.js';
import { addAccounts, type AccountRows, type PositionRow } from './state/state-rows.js';
import { formatParts, type KeyHit, loadState, lookUp, WHOLE_TABLES } from './state/state-loader.js';

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
  /** Null where the batch changed nothing, so that there is nothing to commit. */
  readonly journal: JournalRow | null;
  /** Markets whose definition or status changed. */
  readonly marketIds: readonly string[];
  /** Acts of operators that it carries out. */
  readonly audit: readonly AuditEntry[];
  /** The keys that it makes. */
  readonly keys: BatchKeys;
}

/** A batch with all that is to be written of it; not yet durable. */
export interface PreparedBatch extends Omit<AppliedBatch, 'keys'> {
  readonly rows: BatchRows;
  readonly rowCount: number;
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
  /** Markets whose holders were looked up for the batch. */
  private readonly holdersOf = new Set<string>();

  private constructor(
    readonly client: pg.Client,
    readonly epoch: number,
    private readonly engine: Engine,
    private readonly hash: StateHash,
    private lastJournalHash: string,
    private readonly options: TermOptions,
  ) {
    this.view = new CommittedView(engine.state);
    this.accountChanges = new AccountChanges(client);
    this.memory = new AccountMemory(engine.state, options.accountsInMemoryMax);
    this.holders = new SettlementHolders(client, options.settledPerCommandMax ?? SETTLED_PER_COMMAND_MAX);
    this.confirmedAtMs = monotonicMs();
  }

  /** Loads what was committed last; the lease, long enough for that so far, becomes an ordinary one. */
  static async begin(client: pg.Client, leader: LeaderTerm, options: TermOptions): Promise<Term> {
    const { state, hash } = await loadState(client, leader.stateParts);
    const { rows } = await client.query<{ hash: string; engine_version: number }>(
      'SELECT hash, engine_version FROM journal WHERE last_sequence = $1',
      [leader.lastSequence],
    );
    const [last] = rows;
    // What an older engine wrote cannot be replayed by this one, so verification will begin here.
    if (last !== undefined && last.engine_version !== ENGINE_VERSION) {
      await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await client.query(WHOLE_TABLES);
      const place = { sequence: leader.lastSequence, timeMs: state.timeMs, journalHash: last.hash };
      await saveCheckpoint(client, place, readPages(client));
      await client.query('COMMIT');
    }
    const lastHash = last?.hash ?? GENESIS_HASH;
    const term = new Term(client, leader.epoch, new Engine(state), hash, lastHash, options);
    await term.renew();
    return term;
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

  get sequence(): number {
    return this.engine.state.sequence;
  }

  /** The time of the last command. */
  get timeMs(): number {
    return this.engine.state.timeMs;
  }

  /** The state's hash as of the last applied batch. */
  stateHash(): string {
    return this.hash.total(this.engine.state.sequence);
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
  async prepare(works: readonly Work[], nowMs: number, due: DueScope | null): Promise<PreparedBatch> {
    const timeMs = Math.max(nowMs, this.engine.state.timeMs);
    const settlements = await this.settlementsIn(works, due);
    const hits = await this.lookUp(works, settlements);
    const { keys, ...applied } = this.tryToApply(
      works,
      new BatchKeys(hits, timeMs),
      timeMs,
      due,
      settlements,
    );
    const { changes, lastSequence } = applied;
    const accountChanges = await this.accountChanges.number(
      changes,
      this.engine.state.accounts,
      lastSequence,
    );
    const rows = rowsOf(changes, keys, accountChanges);
    return { ...applied, rows, rowCount: countRows(rows) };
  }

  private tryToApply(...batch: Parameters<Term['applyBatch']>): AppliedBatch {
    try {
      return this.applyBatch(...batch);
    } catch (error) {
      throw new EngineFault('the engine failed on a batch', { cause: error });
    }
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
    const applied: Command[] = [];
    const actors = new ActorRuns();
    const audit: AuditEntry[] = [];

    const apply = (asked: Command, actor: string | null): Outcome => {
      const command = withHolders(asked, settlements);
      if (isRefusal(command)) return { ok: false, refusal: command };
      const outcome = this.engine.apply(command);
      if (outcome.ok) {
        applied.push(command);
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
    const journal =
      applied.length === 0
        ? null
        : this.journalRow(
            changes,
            encodeCommands(applied),
            actors.encode(),
            firstSequence,
            lastSequence,
            timeMs,
          );
    const marketIds = changes.markets
      .filter((market) => market.statusChanged || changes.newMarkets.includes(market))
      .map(({ definition }) => definition.marketId);
    return { answers, changes, firstSequence, lastSequence, timeMs, journal, marketIds, audit, keys };
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

  private journalRow(
    changes: Changes,
    commands: string,
    actors: string | null,
    firstSequence: number,
    lastSequence: number,
    timeMs: number,
  ): JournalRow {
    this.hash.update(changes);
    const content = {
      firstSequence,
      lastSequence,
      engineVersion: ENGINE_VERSION,
      timeMs,
      commands,
      actors,
      stateHash: this.hash.total(lastSequence),
    };
    const previousHash = this.lastJournalHash;
    this.lastJournalHash = journalHash(previousHash, content);
    return { ...content, stateParts: formatParts(this.hash), previousHash, hash: this.lastJournalHash };
  }

  /** Makes a prepared batch durable, in one transaction. Throws `LostLeadership` where the fence is closed. */
  async commit(batch: PreparedBatch): Promise<void> {
    if (batch.journal === null) {
      // Nothing to fence, and yet the answers must not be those of a process that leads no more.
      if (monotonicMs() - this.confirmedAtMs >= LEASE_MS / 4) await this.renew();
      return;
    }
    const startedAtMs = monotonicMs();
    const rare = rareStatements(batch.changes, batch.audit);
    if (rare.length === 0) {
      await this.commitHot(batch, batch.journal);
    } else {
      await this.client.query('BEGIN');
      await this.commitHot(batch, batch.journal);
      for (const statement of rare) await this.client.query(statement);
      await this.client.query('COMMIT');
    }
    this.confirmedAtMs = startedAtMs;
  }

  private async commitHot(batch: PreparedBatch, journal: JournalRow): Promise<void> {
    const fence = { epoch: this.epoch, previousSequence: batch.firstSequence - 1, leaseMs: LEASE_MS };
    const { name, text, values } = commitStatement(fence, journal, batch.rows);
    const { rows } = await this.client.query<{ fenced: number }>({ name, text, values: [...values] });
    if (rows[0]!.fenced !== 1) throw new LostLeadership('another process has taken over');
  }

  /** Shows readers what has become durable. */
  publish(batch: PreparedBatch): void {
    const { changes } = batch;
    for (const order of changes.orders) order.stored = true;
    for (const market of changes.markets) market.statusChanged = false;
    this.view.apply(changes);
    for (const { accountId } of changes.balances) this.memory.use(accountId);
    for (const { accountId } of changes.orders) this.memory.use(accountId);
    for (const { accountId } of changes.newAccounts) this.memory.use(accountId);
    this.forgetSettled(changes);
    this.memory.makeRoom();
  }

  /** Tells a committed batch to those who listen; built only when somebody does. */
  static describe(batch: PreparedBatch): CommittedBatch {
    const { changes, firstSequence, lastSequence, timeMs, rows } = batch;
    return {
      firstSequence,
      lastSequence,
      timeMs,
      trades: changes.trades,
      orders: changes.orders.map((order) => order.snapshot()),
      books: changes.books,
      transfers: changes.transfers,
      balances: changes.balances.map(viewOf),
      accountSequences: new Map(rows.accountChanges.map((change) => [change.accountId, change.sequence])),
      changedAccountIds: changes.accounts.map(({ accountId }) => accountId),
      marketIds: batch.marketIds,
    };
  }

  /** Extends the lease while nothing is committed; throws `LostLeadership` where it is gone. */
  async renew(): Promise<void> {
    const startedAtMs = monotonicMs();
    if (!(await renewLease(this.client, this.epoch)))
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
    const settling = due === null ? undefined : this.nextSettling();
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
    const accountIds = new Set<number>();
    const need = (accountId: number): void => {
      this.memory.use(accountId);
      if (!this.engine.state.accounts.has(accountId)) accountIds.add(accountId);
    };
    for (const work of works) {
      keys.push(...keysOf(commandsIn(work), work.kind === 'request' ? work.request.idempotency : undefined));
      for (const accountId of this.accountsIn(work)) need(accountId);
    }
    for (const holders of paid.values()) holders.forEach(need);
    continued?.holders.forEach(need);
    // Also those in memory, which are there without what they had in settled markets.
    for (const holders of corrected.values()) holders?.forEach((accountId) => accountIds.add(accountId));
    if (keys.length === 0 && accountIds.size === 0) return [];
    const correctedMarkets = [...corrected.keys()];
    const { hits, ...found } = await lookUp(this.client, {
      keys,
      accountIds: [...accountIds],
      correctedMarkets,
    });
    for (const { account_id } of found.accounts) this.memory.use(Number(account_id));
    for (const marketId of correctedMarkets) this.holdersOf.add(marketId);
    addAccounts(this.engine.state, this.missing(found));
    return hits;
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

function isSettlement(command: Command): command is SetMarketStatus {
  return command.type === 'set_market_status' && command.status === 'settled';
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

function viewOf({ accountId, asset, available, held }: Balance): BalanceView {
  return { accountId, asset, available: available as Amount, held: held as Amount };
}

function rowsOf(changes: Changes, keys: BatchKeys, accountChanges: readonly AccountChangeRow[]): BatchRows {
  return {
    newOrders: changes.orders.filter(({ stored }) => !stored),
    changedOrders: changes.orders.filter(({ stored }) => stored),
    trades: changes.trades,
    matchedBets: changes.matchedBets,
    transfers: changes.transfers,
    balances: changes.balances,
    positions: changes.positions,
    books: changes.markets,
    accountChanges,
    keys: keys.made,
  };
}
