/**
 * The single writer's loop. All that waits is taken as one batch, applied, and made durable in one
 * transaction; meanwhile the next batch is prepared. No timer delays anything: under load batches grow by
 * themselves, and a lone order travels alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Command, Refusal } from '../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../domain/engine/quotes.js';
import { StartRefusal } from '../platform/config/start-refusal.js';
import { assertDurable } from '../platform/database/durability.js';
import type { PrimaryClient } from '../platform/database/primary-client.js';
import { ApiError } from '../platform/http/errors.js';
import { CommandClock, monotonicMs } from './command-clock.js';
import { CommitListeners, EVERYBODY, type CommitListener } from './commit-listeners.js';
import type { CoreAnswer, CoreRequest } from './core.types.js';
import { DueWork } from './due-work.js';
import {
  isDataFault,
  isOutcomeUnknown,
  isServerTrouble,
  reasonOf,
  RETRY_AFTER,
  unavailable,
} from './failures.js';
import {
  connectCore,
  disconnect,
  LEASE_MS,
  type LeaderTerm,
  newHolder,
  tryTakeOver,
  wasCommitted,
} from './leadership.js';
import type { LeftState } from './replica/replica-state.js';
import type { HeldOrders } from './state/held-orders.js';
import { DamagedState } from './state/state-rows.js';
import type { SyncStandby } from './sync-standby.js';
import {
  ACCOUNTS_IN_MEMORY_MAX,
  type PreparedBatch,
  Term,
  type TermOptions,
  type Work,
  type WorkAnswer,
} from './term.js';

/** Commands that may wait, in whatever number of requests. */
export const QUEUE_MAX = 10_000;
export const COMMANDS_PER_BATCH_MAX = 1_000;
/** How long a request may wait for a leader before its caller is asked to come again. */
const LEADERLESS_WAIT_MS = 5_000;
/** An idle leader looks at its lease this often; even when it looks a moment too early, the next time is soon enough. */
const RENEW_AFTER_MS = LEASE_MS / 8;
const TAKE_OVER_RETRY_MS = 100;
/** How long somebody else may lead before this process counts as a standby and refuses at once. */
const LEAD_CONTESTED_MS_MAX = 1_000;
const STANDBY_POLL_MS = 250;
/** The same for as long after somebody resigned as that may take. */
const CONTEST_POLL_MS = 10;
const CONTEST_MS = 3_000;
/** Of tries to take over that fail in a row, so many are told in one line. */
const LOGGED_EVERY = 50;
/** How often the writer looks whether the tables have come up while it waits for them. */
const ROOM_RETRY_MS = 10;
const OUTCOME_RETRY_MS = 250;
const OUTCOME_WAIT_MS = 20_000;
const ATTEMPTS_MAX = 3;
/** How long the server is left alone after it refused a batch for reasons of its own: 50 ms, 200 ms, then this. */
const SERVER_RETRY_MS_MAX = 800;
const SERVER_RETRY_MS = 50;

export interface SequencerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface BatchFigures {
  readonly commands: number;
  readonly rows: number;
  readonly durationMs: number;
}

export interface SequencerOptions {
  /** Beyond so many accounts in memory, idle ones make room. */
  readonly accountsInMemoryMax?: number;
  /** How long the database is asked for the outcome of a commit before its callers are told that it is unknown. */
  readonly outcomeWaitMs?: number;
  /** How many live orders, and stops among them, an account may have in one market. */
  readonly limits?: TermOptions['limits'];
  /** How many holders one command of a settlement pays. */
  readonly settledPerCommandMax?: number;
  /** How many rows may be durable and not yet in the tables before new orders wait. */
  readonly waitingRowsMax?: number;
  /** Without it nobody asks whether a standby confirms commits. */
  readonly syncStandby?: SyncStandby;
}

/**
 * What else this process is besides the one that may lead: where others serve, too, it follows them while it does not
 * lead, and sends them what it cannot run itself.
 */
export interface Companion {
  /**
   * This process has the lock, so that the journal ends at the sequence for now. Tells all up to there, and answers the
   * orders as of there, where it holds them.
   */
  ordersAt(sequence: number): Promise<HeldOrders | null>;
  /** The term has begun and tells its first commit next: nothing else is told from when this resolves. */
  beforeLeading(): Promise<void>;
  leading(epoch: number): void;
  /** It leads no more, or is about to stop: answers what it has begun for others. */
  leaving(): Promise<void>;
  /**
   * Readers are to see what others commit, from what a term has left on, if there is one. Resolves once they see all
   * that was durable when this was called, or cannot in time.
   */
  standingBy(left?: LeftState | null): Promise<void>;
  forward(work: Work): Promise<WorkAnswer>;
}

/** What a term needs, connected before there is one. */
interface Candidate {
  readonly writer: PrimaryClient;
  readonly reader: PrimaryClient;
}

interface Waiting {
  readonly work: Work;
  /** On the monotonic clock. */
  readonly queuedAtMs: number;
  readonly resolve: (answer: WorkAnswer) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
  /** Its batch failed on its data, so it runs by itself now: if it fails again, it was the one. */
  alone: boolean;
}

/** What is needed to make good a batch that failed. */
interface FailedBatch {
  readonly batch: readonly Waiting[];
  /** Null where it failed before its rows were known, and so before its commit. */
  readonly prepared: PreparedBatch | null;
  readonly due: DueTurn | null;
  /** The markets of its only request. */
  readonly blamed: readonly string[];
}

/** A batch on its way to be durable. */
interface Flight extends FailedBatch {
  readonly prepared: PreparedBatch;
}

/** What a batch is to carry out of what is due. */
interface DueTurn {
  /** The market of its first thing. */
  readonly marketId: string | null;
  /** Whether that is all there is to its first command. */
  readonly isSingle: boolean;
}

export class Sequencer {
  private term: Term | null = null;
  private queue: Waiting[] = [];
  /** A batch is being prepared. */
  private isPreparing = false;
  /** The commit on its way; it resolves, never rejects, once its batch is answered or back in the queue. */
  private committing: Promise<void> | null = null;
  /** Commands of all requests that are not answered yet. */
  private waitingCommands = 0;
  private running: Promise<void> | null = null;
  private stopping = false;
  private isStandby = false;
  /** A standby's connections, kept between its tries to take over. */
  private candidate: Candidate | null = null;
  /** Set for good once the stored state turns out not to be what was committed. */
  private damage: DamagedState | null = null;
  private readonly due = new DueWork();
  /** Batches in a row that the server refused for reasons of its own. */
  private refusalsInARow = 0;
  private dueTimer: NodeJS.Timeout | undefined;
  private readonly leaseTimer: NodeJS.Timeout;
  readonly listeners = new CommitListeners((error) =>
    this.log.error({ err: error }, 'a listener to commits failed'),
  );
  /** Commits that readers see and listeners do not know of yet. */
  private untold = 0;
  readonly faults = new Map<string, string>();
  readonly clock = new CommandClock();
  private isStepTold = false;
  onBatch: (figures: BatchFigures) => void = () => undefined;

  /** Null where this process serves alone. */
  companion: Companion | null = null;
  /** Somebody has just resigned: until then on the monotonic clock a standby tries again and again. */
  private contestedUntilMs = 0;

  private readonly holder = newHolder();
  private readonly syncStandby: SyncStandby | undefined;
  private readonly termOptions: TermOptions;
  private readonly outcomeWaitMs: number;

  constructor(
    private readonly url: string,
    private readonly log: SequencerLog,
    {
      accountsInMemoryMax = ACCOUNTS_IN_MEMORY_MAX,
      outcomeWaitMs = OUTCOME_WAIT_MS,
      syncStandby,
      ...term
    }: SequencerOptions = {},
  ) {
    this.termOptions = { accountsInMemoryMax, ...term };
    this.outcomeWaitMs = outcomeWaitMs;
    this.syncStandby = syncStandby;
    this.leaseTimer = setInterval(() => this.wake(), RENEW_AFTER_MS);
  }

  /**
   * Takes over, or becomes a standby; resolves when it is known which.
   * @throws DamagedState where the tables are not what the last commit left
   */
  async start(): Promise<void> {
    this.wake();
    await this.running;
    if (this.damage !== null) {
      await this.stop();
      throw this.damage;
    }
  }

  /** Works off the queue, ends the term and frees the lock. With a companion, what comes later is sent to who leads next. */
  async stop(): Promise<void> {
    if (this.companion !== null && this.term !== null) await this.companion.leaving();
    this.stopping = true;
    clearInterval(this.leaseTimer);
    this.wake();
    await this.running;
    clearTimeout(this.dueTimer);
    this.handOver(unavailable('The service is stopping. Try again in a moment.'));
    await this.dropCandidate();
    await this.term?.projected().catch((error: unknown) => {
      this.log.warn({ err: error }, 'the tables stay behind the journal; the next start brings them up');
    });
    await this.leave();
  }

  /** Ends the term and stands by in the same moment, so that whoever still asks here is answered. */
  private async leave(): Promise<void> {
    const { companion } = this;
    const left = companion === null ? null : (this.term?.leave() ?? null);
    await Promise.all([this.endTerm(), companion?.standingBy(left)]);
  }

  /** Who led has resigned: takes over as soon as the lock is free. */
  contend(): void {
    this.contestedUntilMs = monotonicMs() + CONTEST_MS;
    if (this.isStandby) this.wake();
  }

  submit(request: CoreRequest): Promise<CoreAnswer> {
    return this.enqueue({ kind: 'request', request }) as Promise<CoreAnswer>;
  }

  preview<C extends PreviewableCommand>(command: C): Promise<PreviewOf<C> | Refusal> {
    return this.enqueue({ kind: 'preview', command }) as Promise<PreviewOf<C> | Refusal>;
  }

  priceQuote(request: QuoteRequest): Promise<QuotePrice | Refusal> {
    return this.enqueue({ kind: 'quote', request }) as Promise<QuotePrice | Refusal>;
  }

  /** The current term, for readers; throws where this process may not answer for the truth. */
  freshTerm(): Term {
    if (this.term === null || !this.term.isFresh()) {
      throw unavailable('This process does not lead at the moment. Try again in a moment.');
    }
    return this.term;
  }

  get currentTerm(): Term | null {
    return this.term;
  }

  /** Commands that wait for their commit. */
  get depth(): number {
    return this.waitingCommands;
  }

  get lagMs(): number {
    const oldest = this.queue[0];
    return oldest === undefined ? 0 : monotonicMs() - oldest.queuedAtMs;
  }

  /** Whether listeners know of everything that readers see. */
  get isTold(): boolean {
    return this.untold === 0;
  }

  onCommitted(listener: CommitListener, interest = EVERYBODY): () => void {
    return this.listeners.add(listener, interest);
  }

  private enqueue(work: Work): Promise<WorkAnswer> {
    const { companion } = this;
    if (companion !== null && (this.stopping || this.isStandby)) return companion.forward(work);
    if (this.stopping) return Promise.reject(unavailable('The service is stopping. Try again in a moment.'));
    if (this.damage !== null)
      return Promise.reject(unavailable('The stored state is damaged. Tell the operator.'));
    if (this.isStandby)
      return Promise.reject(unavailable('This process is a standby. Send orders to the leader.'));
    const commands = commandsIn(work);
    if (this.waitingCommands > 0 && this.waitingCommands + commands > QUEUE_MAX)
      return Promise.reject(unavailable('Too many commands wait already. Slow down.'));
    this.waitingCommands += commands;
    return new Promise<WorkAnswer>((resolve, reject) => {
      this.queue.push({ work, queuedAtMs: monotonicMs(), resolve, reject, attempts: 0, alone: false });
      this.wake();
    }).finally(() => {
      this.waitingCommands -= commands;
    });
  }

  private wake(): void {
    if (this.running !== null) return;
    this.running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.run())
      .catch((error: unknown) => this.log.error({ err: error }, 'the sequencer failed'))
      .finally(() => {
        this.running = null;
        if (this.queue.length > 0 && !this.stopping) this.wake();
      });
  }

  private async run(): Promise<void> {
    for (;;) {
      this.readClock();
      if (this.term === null) await this.committing;
      if (this.term === null && !(await this.takeOver())) {
        if (this.isStandby && !this.stopping) this.sleepFor(this.standbyPollMs);
        return;
      }
      const term = this.term!;
      if (this.syncStandby?.failure != null) {
        await this.resign(term, this.syncStandby.failure);
        continue;
      }
      if (this.isCareful) await this.committing;
      if (this.term !== term) continue;
      const dueInMs = this.dueInMs(term);
      if (!term.projector.hasRoom && (this.queue.length > 0 || dueInMs === 0)) {
        await this.waitForRoom(term);
        continue;
      }
      const { batch, withDue } = this.takeTurn(dueInMs === 0);
      if (batch.length > 0 || withDue) {
        await this.process(term, batch, withDue ? this.dueTurn(term) : null);
      } else if (this.committing !== null) {
        await this.committing;
      } else if (monotonicMs() - term.confirmedAtMs >= RENEW_AFTER_MS) {
        await this.renew(term);
      } else {
        this.sleepFor(dueInMs);
        return;
      }
    }
  }

  private get standbyPollMs(): number {
    return monotonicMs() < this.contestedUntilMs ? CONTEST_POLL_MS : STANDBY_POLL_MS;
  }

  /** Something that failed runs by itself, so that another failure says what it was. */
  private get isCareful(): boolean {
    return this.due.isSuspect || this.queue[0]?.alone === true;
  }

  /** The tables are too far behind; meanwhile the queue grows, and refuses what is too much. */
  private async waitForRoom(term: Term): Promise<void> {
    await this.committing;
    if (this.term !== term) return;
    if (monotonicMs() - term.confirmedAtMs >= RENEW_AFTER_MS) await this.renew(term);
    this.refuseOld('Too much waits to be written already. Try again in a moment.');
    await delay(ROOM_RETRY_MS);
  }

  /** What runs next. What is due comes along with requests, or by itself while it is suspect. */
  private takeTurn(isDue: boolean): { batch: Waiting[]; withDue: boolean } {
    if (isDue && this.due.isSuspect && (this.due.isItsTurn || this.queue.length === 0))
      return { batch: [], withDue: true };
    const batch = this.takeBatch();
    return { batch, withDue: isDue && !this.due.isSuspect && batch[0]?.alone !== true };
  }

  private dueTurn(term: Term): DueTurn {
    return { marketId: term.nextDueMarket(), isSingle: term.nextDueIsSingle() };
  }

  /** Looks whether the wall clock has been set, and says so once each time. */
  private readClock(): void {
    this.clock.read();
    const { hasStepped, driftMs } = this.clock;
    if (hasStepped === this.isStepTold) return;
    this.isStepTold = hasStepped;
    const drift = { driftMs: Math.round(driftMs) };
    if (hasStepped) this.log.warn(drift, 'the clock was set; the core goes on by the monotonic clock');
    else this.log.info(drift, 'the clock agrees again');
  }

  /** True when this process leads; false when another does, or when it is time to stop. */
  private async takeOver(): Promise<boolean> {
    const startedAtMs = monotonicMs();
    for (let attempt = 0; !this.stopping && this.damage === null; attempt++) {
      try {
        this.candidate ??= await this.connectCandidate();
        const leader = await tryTakeOver(this.candidate.writer, this.holder);
        if (leader !== null) {
          const term = await this.beginTerm(this.candidate, leader);
          await this.companion?.beforeLeading();
          this.lead(term, startedAtMs);
          return true;
        }
        if (
          this.isStandby ||
          this.companion !== null ||
          monotonicMs() - startedAtMs > LEAD_CONTESTED_MS_MAX
        ) {
          this.standBy();
          return false;
        }
      } catch (error) {
        await this.dropCandidate();
        if (error instanceof StartRefusal) {
          this.standBy(error.message);
          return false;
        }
        if (error instanceof DamagedState) this.refuseToLead(error);
        else if (attempt % LOGGED_EVERY === 0)
          this.log.error({ err: error }, 'taking over failed; trying again');
      }
      this.refuseOld('The database cannot be reached. Try again in a moment.');
      await delay(TAKE_OVER_RETRY_MS);
    }
    return false;
  }

  /** @throws StartRefusal where what it commits could be lost */
  private async connectCandidate(): Promise<Candidate> {
    const writer = await connectCore(this.url, 'writer');
    try {
      await this.assertDurable(writer);
      return { writer, reader: await connectCore(this.url, 'reader') };
    } catch (error) {
      await disconnect(writer);
      throw error;
    }
  }

  private async assertDurable(writer: PrimaryClient): Promise<void> {
    await assertDurable(writer);
    await this.syncStandby?.assertSyncStandby(writer);
  }

  private async beginTerm({ writer, reader }: Candidate, leader: LeaderTerm): Promise<Term> {
    // The reader may have been lost since it was connected.
    await Promise.all([this.assertDurable(writer), reader.query('SELECT 1')]);
    const held = (await this.companion?.ordersAt(leader.lastSequence)) ?? null;
    const connectProjector = (): Promise<pg.Client> => connectCore(this.url, 'projector');
    const connections = { writer, reader, connectProjector, log: this.log };
    return Term.begin(connections, leader, this.termOptions, held);
  }

  private lead(term: Term, startedAtMs: number): void {
    this.candidate = null;
    this.term = term;
    this.isStandby = false;
    for (const marketId of this.due.except) term.leaveOutDue(marketId);
    term.onLost(() => this.abandon(term));
    this.syncStandby?.watch(() => this.wake());
    const { epoch, sequence } = term;
    const tookMs = Math.round(monotonicMs() - startedAtMs);
    this.log.info({ epoch, sequence, stateHash: term.stateHash(), tookMs }, 'leading the core');
    this.companion?.leading(epoch);
  }

  private standBy(why = 'another process leads'): void {
    if (!this.isStandby) this.log.warn({}, `${why}; standing by`);
    this.isStandby = true;
    void this.companion?.standingBy();
    this.handOver(unavailable('This process is a standby. Send orders to the leader.'));
  }

  /** No restart mends what is stored, so nothing is tried again until an operator has looked. */
  private refuseToLead(damage: DamagedState): void {
    this.damage = damage;
    this.log.error({ err: damage }, 'the stored state is damaged; refusing to lead');
    this.refuseAll(unavailable('The stored state is damaged. Tell the operator.'));
  }

  private async dropCandidate(): Promise<void> {
    const { candidate } = this;
    this.candidate = null;
    if (candidate !== null) await Promise.all([disconnect(candidate.reader), disconnect(candidate.writer)]);
  }

  /** In how many milliseconds time alone makes work, or null. */
  private dueInMs(term: Term): number | null {
    const dueMs = term.nextDueMs();
    if (dueMs === null) return null;
    return Math.max(0, dueMs - this.clock.nowMs(term.timeMs), this.due.restsForMs);
  }

  private takeBatch(): Waiting[] {
    const first = this.queue[0];
    if (first === undefined) return [];
    if (first.alone) return this.queue.splice(0, 1);
    let commands = 0;
    let count = 0;
    for (const waiting of this.queue) {
      commands += commandsIn(waiting.work);
      if (waiting.alone || (count > 0 && commands > COMMANDS_PER_BATCH_MAX)) break;
      count++;
    }
    if (count === this.queue.length) {
      const all = this.queue;
      this.queue = [];
      return all;
    }
    return this.queue.splice(0, count);
  }

  /**
   * Prepares a batch while the one before is being committed, and then sends it on its way. `due` is null where
   * nothing is due or it has to wait.
   */
  private async process(term: Term, batch: Waiting[], due: DueTurn | null): Promise<void> {
    this.due.noteBatch(due !== null);
    // Asked now, while the orders that a request is about are surely there.
    const blamed = batch.length === 1 ? term.marketsOf(batch[0]!.work) : [];
    const startedAtMs = performance.now();
    let prepared: PreparedBatch;
    this.isPreparing = true;
    try {
      prepared = await term.prepare(
        batch.map(({ work }) => work),
        this.clock.nowMs(term.timeMs),
        due === null ? null : this.due.scope,
        this.listeners.audience,
      );
      await this.committing;
    } catch (error) {
      await this.committing;
      // Where the batch before has failed, this one stood on what never was: that is no fault of its own.
      if (this.term === term) await this.recover(term, { batch, prepared: null, due, blamed }, error);
      else this.putBack(batch);
      return;
    } finally {
      this.isPreparing = false;
    }
    if (this.term !== term) {
      this.putBack(batch);
      return;
    }
    this.committing = this.commit(term, { batch, prepared, due, blamed }, startedAtMs).finally(() => {
      this.committing = null;
    });
    if (due !== null && this.due.isSuspect) await this.committing;
  }

  private async commit(term: Term, flight: Flight, startedAtMs: number): Promise<void> {
    const { batch, prepared, due } = flight;
    try {
      await term.commit(prepared);
      term.publish(prepared);
      this.refusalsInARow = 0;
      if (due !== null && this.dueInMs(term) !== 0) this.due.noteDone();
      this.clearFaults(term, prepared);
      this.answer(batch, prepared, term);
      if (prepared.journal !== null) {
        const durationMs = performance.now() - startedAtMs;
        this.onBatch({ commands: batch.length, rows: prepared.rowCount, durationMs });
      }
    } catch (error) {
      await this.recover(term, flight, error);
    }
  }

  /**
   * Tells a committed batch, to the projector and to listeners first and then to those who asked. That waits until
   * the next batch is on its way, so that the database has work meanwhile. `term` is null where it is over: then the
   * next one begins with the tables.
   */
  private answer(batch: readonly Waiting[], prepared: PreparedBatch, term: Term | null): void {
    const { told, answers } = prepared;
    if (told !== null) this.untold++;
    setImmediate(() => {
      if (term !== null) this.project(term, prepared);
      if (told !== null) {
        this.listeners.tell(told);
        this.untold--;
      }
      batch.forEach((waiting, index) => waiting.resolve(answers[index]!));
    });
  }

  private project(term: Term, prepared: PreparedBatch): void {
    try {
      term.project(prepared);
    } catch (error) {
      this.log.error({ err: error }, 'what a commit did cannot be read; the state is loaded again');
      if (this.term === term) void this.endTerm().then(() => this.wake());
    }
  }

  /** After any failure the term is over. What matters is whether the batch became durable: if so it is answered. */
  private async recover(term: Term, failed: FailedBatch, error: unknown): Promise<void> {
    const { batch, prepared } = failed;
    this.log.error({ err: error, requests: batch.length }, 'a batch failed; the state is loaded again');
    await this.endTerm();
    if (isServerTrouble(error)) await this.leaveServerAlone();
    if (prepared === null || prepared.journal === null || !isOutcomeUnknown(error)) {
      this.runAgain(failed, error);
      return;
    }
    const committed = await this.findOutcome(term.epoch, prepared.lastSequence);
    if (committed === undefined) {
      const message = 'It is not known whether the request took effect. Repeat it with the same key.';
      for (const { reject } of batch)
        reject(new ApiError('outcome_unknown', message, { headers: RETRY_AFTER }));
    } else if (committed) this.answer(batch, prepared, null);
    else this.requeue(batch, false);
  }

  /** Nothing took effect, so the requests run again: each by itself where the data seems to be at fault. */
  private runAgain({ batch, due, blamed }: FailedBatch, error: unknown): void {
    const [only] = batch;
    const isData = isDataFault(error);
    if (due !== null && (isData || isServerTrouble(error))) this.due.suspect();
    if (only === undefined) this.blameDue(due, isData, error);
    else if (isData && batch.length === 1 && due === null) this.isolate(only, blamed, error);
    else this.requeue(batch, isData);
  }

  /** What is due failed by itself. It has no caller to answer; once it is known what it was, its market halts. */
  private blameDue(due: DueTurn | null, isData: boolean, error: unknown): void {
    if (due === null) return;
    if (!isData) {
      if (isServerTrouble(error)) this.due.rest();
      return;
    }
    if (!this.due.narrow(due.isSingle) || due.marketId === null) return;
    this.due.except.add(due.marketId);
    this.halt(due.marketId, error, `What has fallen due cannot be carried out: ${reasonOf(error)}`);
  }

  private async leaveServerAlone(): Promise<void> {
    const delayMs = Math.min(SERVER_RETRY_MS * 4 ** this.refusalsInARow++, SERVER_RETRY_MS_MAX);
    await delay(delayMs);
  }

  /** Those who came later wait behind them, but for what runs by itself. */
  private putBack(batch: readonly Waiting[]): void {
    const last = batch.at(-1);
    if (last === undefined) return;
    const place = this.queue.findIndex(({ alone, queuedAtMs }) => !alone && queuedAtMs > last.queuedAtMs);
    this.queue.splice(place === -1 ? this.queue.length : place, 0, ...batch);
  }

  private requeue(batch: readonly Waiting[], alone: boolean): void {
    const again: Waiting[] = [];
    for (const waiting of batch) {
      waiting.attempts++;
      waiting.alone ||= alone;
      if (waiting.attempts < ATTEMPTS_MAX) again.push(waiting);
      else waiting.reject(unavailable('The request could not be completed. Try again in a moment.'));
    }
    this.queue.unshift(...again);
  }

  /** The one that fails by itself is answered with the failure, and its market halts until somebody has looked. */
  private isolate(waiting: Waiting, marketIds: readonly string[], error: unknown): void {
    const message = 'The request could not be carried out. It changed nothing.';
    waiting.reject(new ApiError('internal_error', message, { cause: error }));
    for (const marketId of new Set(marketIds)) {
      if (!this.faults.has(marketId)) this.halt(marketId, error, reasonOf(error));
    }
  }

  private halt(marketId: string, error: unknown, reason: string): void {
    this.faults.set(marketId, reason);
    this.log.error({ err: error, marketId }, 'something failed by itself; its market is halted');
    const halt: Command = { type: 'set_market_status', marketId, status: 'halted', settlementValue: null };
    const work: Work = { kind: 'request', request: { commands: [halt] } };
    const ignore = (): void => undefined;
    const queuedAtMs = monotonicMs();
    this.queue.unshift({ work, queuedAtMs, resolve: ignore, reject: ignore, attempts: 0, alone: true });
  }

  /** An operator who opens a market again has looked at its fault. */
  private clearFaults(term: Term, { openMarketIds }: PreparedBatch): void {
    if (this.faults.size === 0) return;
    for (const marketId of openMarketIds) {
      this.faults.delete(marketId);
      if (this.due.except.delete(marketId)) term.takeInDue(marketId);
    }
  }

  /** Undefined where the database cannot be asked for too long. */
  private async findOutcome(epoch: number, lastSequence: number): Promise<boolean | undefined> {
    const deadlineMs = monotonicMs() + this.outcomeWaitMs;
    while (monotonicMs() < deadlineMs) {
      try {
        return await wasCommitted(this.url, epoch, lastSequence);
      } catch (error) {
        this.log.warn({ err: error }, 'the outcome of a commit is not known yet');
        await delay(OUTCOME_RETRY_MS);
      }
    }
    return undefined;
  }

  private async renew(term: Term): Promise<void> {
    try {
      await term.renew();
    } catch (error) {
      this.log.error({ err: error }, 'the lease could not be renewed');
      await this.endTerm();
    }
  }

  private sleepFor(delayMs: number | null): void {
    clearTimeout(this.dueTimer);
    if (delayMs === null || this.stopping) return;
    this.dueTimer = setTimeout(() => this.wake(), Math.min(delayMs, 2 ** 31 - 1));
  }

  /** The connection ended by itself; between batches nobody else would notice. */
  private abandon(term: Term): void {
    if (this.term !== term || this.isPreparing || this.committing !== null || this.stopping) return;
    void this.endTerm();
    this.wake();
  }

  private async resign(term: Term, why: string): Promise<void> {
    await this.committing;
    if (this.term !== term) return;
    this.log.error({}, `${why}; leading no longer`);
    await this.endTerm();
  }

  private async endTerm(): Promise<void> {
    const { term } = this;
    this.term = null;
    this.syncStandby?.stop();
    await term?.end();
    if (term !== null) await this.companion?.leaving();
  }

  private refuseOld(message: string): void {
    const oldest = monotonicMs() - LEADERLESS_WAIT_MS;
    while (this.queue[0] !== undefined && this.queue[0].queuedAtMs < oldest) {
      this.queue.shift()!.reject(unavailable(message));
    }
  }

  private refuseAll(error: ApiError): void {
    for (const { reject } of this.queue.splice(0)) reject(error);
  }

  /** What waits is for another process now; refused where there is no way to it. */
  private handOver(error: ApiError): void {
    const { companion } = this;
    if (companion === null) {
      this.refuseAll(error);
      return;
    }
    for (const { work, resolve, reject } of this.queue.splice(0))
      companion.forward(work).then(resolve, reject);
  }
}

function commandsIn(work: Work): number {
  return work.kind === 'request' ? work.request.commands.length : 1;
}
