/**
 * A PostgreSQL in a few hundred lines: sessions, row locks, transactions, snapshots, an advisory lock, and commits that
 * wait for the disk. It refuses statements, is late, and crashes: commits that were on their way to the disk are then
 * there or not, and the last of those that nobody waited for are lost.
 */
import { below, type Random } from '../../../bench/support/random.js';
import { type Change, rowsOfQuery, Tables } from './store-rows.js';
import { databaseError, ONLY_ROW, type Plan, planOf, type Result, type RowLock } from './store-statements.js';
import { NOBODY, type VirtualTime } from './virtual-time.js';

export interface StoreFaults {
  /** Shares of all statements, 0 to 1. */
  readonly refusedShare: number;
  readonly lateShare: number;
  readonly lateMsMax: number;
  /** Of all commits, be it of the journal or of the tables. */
  readonly tornShare: number;
}

export const NO_FAULTS: StoreFaults = { refusedShare: 0, lateShare: 0, lateMsMax: 0, tornShare: 0 };

/** The WAL writer brings to the disk what nobody waits for. */
const WAL_WRITER_MS = 600;

export class FaultyStore {
  readonly tables = Tables.empty();
  readonly sessions = new Set<Session>();
  isUp = true;
  faults = NO_FAULTS;
  leading: Session | null = null;
  /** Called with what has just become visible. */
  onCommit: (changes: readonly Change[]) => void = () => undefined;
  readonly counts = { commits: 0, crashes: 0, refused: 0, late: 0, torn: 0, undone: 0, terminated: 0 };
  private readonly locks = new Map<RowLock, { holder: Session; readonly waiting: Waiter[] }>();
  /** Commits that a crash would take back, oldest first: when they were made, and what undoes them. */
  private unflushed: { readonly atMs: number; readonly undo: Change[] }[] = [];
  private readonly onTheWay = new Set<readonly Change[]>();
  private lastPid = 1_000;

  constructor(
    readonly time: VirtualTime,
    readonly random: Random,
  ) {
    const row = { epoch: 0, last_sequence: 0, state_parts: null, lease_until: time.wallMs };
    this.tables.apply([
      {
        table: 'core_leader',
        key: ONLY_ROW,
        row: { ...row, backend_pid: null, holder: null },
      },
      { table: 'core_projection', key: ONLY_ROW, row: { sequence: 0, state_parts: null } },
    ]);
  }

  open(isDurable: boolean, reply: (answer: Reply) => void): Session {
    const session = new Session(this, ++this.lastPid, isDurable, reply);
    this.sessions.add(session);
    return session;
  }

  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.time.after(delayMs, resolve, NOBODY));
  }

  /** Null where the row is the session's at once, else what resolves when it is. */
  lock(row: RowLock, session: Session): Promise<void> | null {
    const lock = this.locks.get(row);
    if (lock === undefined) this.locks.set(row, { holder: session, waiting: [] });
    if (lock === undefined || lock.holder === session) return null;
    return new Promise((resolve, reject) => lock.waiting.push({ session, resolve, reject }));
  }

  unlock(session: Session): void {
    for (const [row, lock] of this.locks) {
      lock.waiting
        .filter((waiter) => waiter.session === session)
        .forEach(({ reject }) => reject(terminated()));
      const others = lock.waiting.filter((waiter) => waiter.session !== session);
      lock.waiting.splice(0, Infinity, ...others);
      if (lock.holder !== session) continue;
      const next = lock.waiting.shift();
      if (next === undefined) this.locks.delete(row);
      else {
        lock.holder = next.session;
        next.resolve();
      }
    }
  }

  /** Makes changes visible, those that somebody waits for once they are on the disk. */
  async commit(changes: readonly Change[], isDurable: boolean): Promise<void> {
    if (!isDurable) {
      this.unflushed.push({ atMs: this.time.nowMs, undo: this.apply(changes) });
      return;
    }
    this.onTheWay.add(changes);
    await this.pause(1 + this.random() * 4 + this.lateness());
    // A crash has decided by then.
    if (!this.onTheWay.delete(changes)) throw terminated();
    this.flush();
    this.apply(changes);
  }

  private apply(changes: readonly Change[]): Change[] {
    this.counts.commits++;
    const undo = this.tables.apply(changes);
    this.onCommit(changes);
    return undo;
  }

  private flush(): void {
    this.unflushed = [];
  }

  lateness(): number {
    if (this.random() >= this.faults.lateShare) return 0;
    this.counts.late++;
    return this.random() * this.faults.lateMsMax;
  }

  isTorn(): boolean {
    if (this.random() >= this.faults.tornShare) return false;
    this.counts.torn++;
    return true;
  }

  /** Like the loss of power: memory is gone, the disk is as it was. */
  crash(): void {
    this.counts.crashes++;
    this.isUp = false;
    this.unflushed = this.unflushed.filter(({ atMs }) => atMs > this.time.nowMs - WAL_WRITER_MS);
    for (const changes of this.onTheWay) {
      if (this.random() < 0.5) continue;
      // Whatever came before it in the log is on the disk, too.
      this.flush();
      this.apply(changes);
    }
    this.onTheWay.clear();
    const kept = below(this.random, this.unflushed.length + 1);
    const lost = this.unflushed.splice(kept);
    this.counts.undone += lost.length;
    for (const { undo } of lost.reverse()) this.tables.apply(undo);
    this.flush();
    for (const session of [...this.sessions]) session.end(null);
  }

  /** The rule of `tryTakeOver`: ends the leader's session where it seems to be abandoned. */
  terminateLeader(holder: string, statementMsMax: number, silentMsMax: number): void {
    const leader = this.tables.of('core_leader').get(ONLY_ROW)!;
    const session = [...this.sessions].find(({ pid }) => pid === leader.backend_pid);
    if (session === undefined || this.leading !== session) return;
    const { nowMs, wallMs } = this.time;
    const isSilent =
      session.statementFromMs === null
        ? session.idleFromMs < nowMs - silentMsMax
        : session.statementFromMs < nowMs - statementMsMax;
    if (leader.holder !== holder && !((leader.lease_until as number) < wallMs && isSilent)) return;
    this.counts.terminated++;
    session.end(terminated());
  }
}

interface Waiter {
  readonly session: Session;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface Query {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: readonly unknown[];
}

/** `closed` where the session is over; with the error that says why, if the server says one. */
export type Reply =
  | { readonly kind: 'results'; readonly results: readonly Result[] }
  | { readonly kind: 'error'; readonly error: Error }
  | { readonly kind: 'closed'; readonly error: Error | null };

const terminated = (): Error =>
  databaseError('FATAL', '57P01', 'terminating connection due to administrator command');

/** One connection, as the server has it. */
export class Session {
  /** Null while it is idle. */
  statementFromMs: number | null = null;
  idleFromMs: number;
  isOver = false;
  private isEnding = false;
  private isServing = false;
  private readonly waiting: (Query | 'end')[] = [];
  private transaction: {
    readonly changes: Change[];
    readonly snapshot: Tables | null;
    failed: boolean;
  } | null = null;
  private cursor: Record<string, unknown>[] = [];

  constructor(
    private readonly store: FaultyStore,
    readonly pid: number,
    private readonly isDurable: boolean,
    private readonly reply: (answer: Reply) => void,
  ) {
    this.idleFromMs = store.time.nowMs;
  }

  receive(query: Query | 'end'): void {
    if (this.isOver) return;
    this.waiting.push(query);
    if (!this.isServing) void this.serve();
  }

  /** At once, unless a commit is on its way to the disk: that is finished first, and keeps its locks. */
  end(error: Error | null): void {
    if (this.isOver) return;
    if (this.isCommitting && this.store.isUp) {
      this.isEnding = true;
      return;
    }
    this.isOver = true;
    this.transaction = null;
    if (this.store.leading === this) this.store.leading = null;
    this.store.sessions.delete(this);
    this.store.unlock(this);
    this.reply({ kind: 'closed', error });
  }

  private isCommitting = false;

  private async serve(): Promise<void> {
    this.isServing = true;
    for (
      let query = this.waiting.shift();
      query !== undefined && !this.isOver;
      query = this.waiting.shift()
    ) {
      if (query === 'end') {
        this.end(null);
        return;
      }
      const answer = await this.answer(query);
      if (this.isOver) return;
      if (answer !== null) this.reply(answer);
      if (this.isEnding) this.end(terminated());
    }
    this.isServing = false;
  }

  /** Null where the session has ended meanwhile. */
  private async answer(query: Query): Promise<Reply | null> {
    this.statementFromMs = this.store.time.nowMs;
    try {
      const results: Result[] = [];
      for (const text of query.values.length > 0 ? [query.text] : query.text.split(';')) {
        results.push(await this.run(text.trim(), query));
        if (this.isOver) return null;
      }
      return { kind: 'results', results };
    } catch (error) {
      if (this.transaction === null) this.store.unlock(this);
      else this.transaction.failed = true;
      return this.isOver ? null : { kind: 'error', error: error as Error };
    } finally {
      this.statementFromMs = null;
      this.idleFromMs = this.store.time.nowMs;
    }
  }

  private async run(text: string, { name, values }: Query): Promise<Result> {
    const { store } = this;
    await store.pause(0.05 + store.random() * 0.5 + store.lateness());
    if (this.isOver) throw terminated();
    if (/^(COMMIT|ROLLBACK)$/.test(text)) return this.endTransaction(text === 'COMMIT');
    if (this.transaction?.failed === true)
      throw databaseError('ERROR', '25P02', 'current transaction is aborted');
    if (store.random() < store.faults.refusedShare) {
      store.counts.refused++;
      throw databaseError('ERROR', '53200', 'out of memory');
    }
    return this.control(text, values) ?? this.carryOut(planOf(text, name, values));
  }

  /** Statements about the session itself; null for all others. */
  private control(text: string, values: readonly unknown[]): Result | null {
    const { store } = this;
    const none: Result = { rows: [] };
    if (text.startsWith('BEGIN')) {
      const snapshot = text.includes('REPEATABLE READ') ? store.tables.copy() : null;
      this.transaction = { changes: [], snapshot, failed: false };
      return none;
    }
    if (text.startsWith('SET LOCAL') || text.startsWith('CLOSE ')) return none;
    const [, query] = /^DECLARE state_rows NO SCROLL CURSOR FOR (.*)/s.exec(text) ?? [];
    if (query !== undefined) {
      this.cursor = rowsOfQuery(this.transaction!.snapshot!, query);
      return none;
    }
    const [, count] = /^FETCH (\d+) FROM state_rows$/.exec(text) ?? [];
    if (count !== undefined) return { rows: this.cursor.splice(0, Number(count)) };
    if (text.includes('pg_try_advisory_lock')) {
      store.leading ??= this;
      return { rows: [{ locked: store.leading === this }] };
    }
    if (text.includes('pg_terminate_backend')) {
      const [, holder, statementMsMax, silentMsMax] = values;
      store.terminateLeader(holder as string, statementMsMax as number, silentMsMax as number);
      return none;
    }
    return null;
  }

  private async carryOut({ lock, run }: Plan): Promise<Result> {
    const { store, transaction } = this;
    const view = (): Tables => transaction?.snapshot ?? store.tables;
    let result = run(view(), store.time, this.pid);
    // A row whose condition does not hold is not waited for.
    const locked = result.changes === undefined || lock === undefined ? null : store.lock(lock, this);
    if (locked !== null) {
      await locked;
      result = run(view(), store.time, this.pid);
    }
    if (result.changes !== undefined) {
      if (transaction === null) await this.commit(result.changes);
      else transaction.changes.push(...result.changes);
    }
    if (transaction === null) store.unlock(this);
    return result;
  }

  private async endTransaction(isCommit: boolean): Promise<Result> {
    const { transaction } = this;
    this.transaction = null;
    if (isCommit && transaction?.failed === false && transaction.changes.length > 0)
      await this.commit(transaction.changes);
    this.store.unlock(this);
    return { rows: [] };
  }

  private async commit(changes: readonly Change[]): Promise<void> {
    this.isCommitting = true;
    try {
      await this.store.commit(changes, this.isDurable);
    } finally {
      this.isCommitting = false;
    }
  }
}
