/**
 * The single writer's loop. All that waits is taken as one batch, applied, and made durable in one
 * transaction; meanwhile the next batch is prepared. No timer delays anything: under load batches grow by
 * themselves, and a lone order travels alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Passage } from '../../kit/tracing/boundary.js';
import { CommitBoundary } from './commit-boundary.js';
import type { Refusal } from '../../domain/engine/commands.js';
import type { PreviewableCommand, PreviewOf } from '../../domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../../domain/engine/quotes.js';
import { Clock } from '../../kit/clock.js';
import { monotonicMs } from '../clock/command-clock.js';
import { handleForAll, presentOwner } from '../../kit/turns/owner.js';
import { CommitListeners, EVERYBODY, type CommitListener } from '../view/commit-listeners.js';
import type { CoreAnswer, CoreRequest } from '../requests/requests.js';
import { DueWork } from '../term/due-work.js';
import { unavailable } from '../requests/failures.js';
import { Followers } from '../followers/followers.js';
import { type ConnectCore, LEASE_MS } from '../leadership/leadership.js';
import { Capacity } from './capacity.js';
import { BatchRecovery, type FailedBatch, type BatchInFlight } from './batch-recovery.js';
import { Candidacy } from './candidacy.js';
import type { Companion } from './companion.js';
import type { SequencerLog, SequencerOptions } from './sequencer-options.js';
import { CommitNotifier } from './commit-notifier.js';
import { numberFailure } from './whole-numbers.js';
import { WatchedClock } from './watched-clock.js';
import { type Waiting, WorkQueue } from './work-queue.js';
import type { SyncStandby } from '../leadership/sync-standby.js';
import { ACCOUNTS_IN_MEMORY_MAX, type Term } from '../term/term.js';
import type { DueTurn } from '../term/due-markets.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import type { Work, WorkAnswer } from '../requests/work.js';

/** An idle leader looks at its lease this often; even when it looks a moment too early, the next time is soon enough. */
const RENEW_AFTER_MS = LEASE_MS / 8;
/** How often the writer looks whether those who follow have come up while it rests for them. */
const ROOM_RETRY_MS = 10;

export class Sequencer {
  private term: Term | null = null;
  private isPreparing = false;
  /** The commit on its way; it resolves, never rejects, once its batch is answered or back in the queue. */
  private committing: Promise<void> | null = null;
  private running: Promise<void> | null = null;
  private stopping = false;
  private readonly due = new DueWork();
  private readonly queue = new WorkQueue();
  private readonly recovery: BatchRecovery;
  private readonly candidacy: Candidacy;
  private readonly notifier: CommitNotifier;
  private dueTimer: NodeJS.Timeout | undefined;
  private leaseTimer: NodeJS.Timeout | undefined;
  readonly listeners = new CommitListeners((err) => this.log.error({ err }, 'a listener to commits failed'));
  private readonly clock: WatchedClock;
  private readonly commits: CommitBoundary;
  /** Null where this process serves alone. */
  companion: Companion | null = null;
  private readonly syncStandby: SyncStandby | undefined;
  private readonly capacity: Capacity;
  readonly followers: Followers;

  constructor(
    connect: ConnectCore,
    private readonly log: SequencerLog,
    { outcomeWaitMs, liveOrdersMax, clock = new Clock(), conditions = {}, ...rest }: SequencerOptions = {},
  ) {
    const { followers = new Followers(), commits = new CommitBoundary(), ...term } = rest;
    this.commits = commits;
    this.followers = followers;
    followers.add({ name: 'tables', lagMs: () => this.term?.projector.lagMs ?? 0 });
    this.syncStandby = conditions.syncStandby;
    this.capacity = new Capacity(liveOrdersMax);
    this.clock = new WatchedClock(clock, log);
    const options = { accountsInMemoryMax: ACCOUNTS_IN_MEMORY_MAX, ...term };
    this.candidacy = new Candidacy(this, connect, this.queue, log, options, conditions);
    this.recovery = new BatchRecovery(connect, this.queue, this.due, log, outcomeWaitMs);
    this.notifier = new CommitNotifier(this.listeners);
  }

  /**
   * Takes over, or becomes a standby; resolves when it is known which. Before, nothing is connected.
   * @throws DamagedState where the tables are not what the last commit left
   */
  async start(): Promise<void> {
    this.leaseTimer = setInterval(() => this.keepLease(), RENEW_AFTER_MS);
    this.wake();
    await this.running;
    const { damage } = this.candidacy;
    if (damage !== null) {
      await this.stop();
      throw damage;
    }
  }

  private keepLease(): void {
    this.wake();
    // PostgreSQL lets a commit wait longer than any caller does.
    if (this.syncStandby?.isConfirmed === false)
      this.queue.answerOld('Commits wait for a standby that is away. Try again in a moment.');
  }

  /** Drains the queue, ends the term and releases the lock. A companion forwards later work to the next leader. */
  async stop(): Promise<void> {
    if (this.companion !== null && this.term !== null) await this.companion.leaving();
    this.stopping = true;
    clearInterval(this.leaseTimer);
    this.wake();
    await this.running;
    clearTimeout(this.dueTimer);
    this.candidacy.handOver(unavailable('The service is stopping. Try again in a moment.'));
    await this.candidacy.drop();
    await this.term?.projected().catch((error: unknown) => {
      this.log.warn({ err: error }, 'the tables stay behind the journal; the next start brings them up');
    });
    await this.leave();
  }

  /** Ends the term and starts to follow at the same moment, so that remaining callers are answered. */
  private async leave(): Promise<void> {
    const { companion } = this;
    const left = companion === null ? null : (this.term?.leave() ?? null);
    await Promise.all([this.endTerm(), companion?.standingBy(left)]);
  }

  /** The former leader has resigned: takes over as soon as the lock is free. */
  contend(): void {
    this.candidacy.expectChance();
    if (this.candidacy.isStandby) this.wake();
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

  get isStopping(): boolean {
    return this.stopping;
  }

  get currentTerm(): Term | null {
    return this.term;
  }

  /** Why markets were halted, until an operator opens them again. */
  get faults(): ReadonlyMap<string, string> {
    return this.recovery.faults;
  }

  /** Commands that wait for their commit. */
  get depth(): number {
    return this.queue.depth;
  }

  get lagMs(): number {
    const oldest = this.queue.first;
    return oldest === undefined ? 0 : monotonicMs() - oldest.queuedAtMs;
  }

  /** Whether listeners know of everything that readers see. */
  get hasNotifiedAll(): boolean {
    return this.notifier.hasNotifiedAll;
  }

  onCommitted(listener: CommitListener, interest = EVERYBODY): () => void {
    return this.listeners.add(listener, interest);
  }

  private enqueue(work: Work): Promise<WorkAnswer> {
    const { companion, stopping, candidacy } = this;
    const failure = numberFailure(work);
    if (failure !== undefined) return Promise.reject(failure);
    if (companion !== null && (stopping || candidacy.isStandby)) return companion.forward(work);
    const refused = candidacy.refusal ?? this.capacity.refusal(work, this.term);
    if (refused !== null) return Promise.reject(refused);
    return this.queue.add(work, presentOwner(), () => this.wake());
  }

  private wake(): void {
    if (this.running !== null) return;
    this.running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => handleForAll(() => this.run()))
      .catch((error: unknown) => this.log.error({ err: error }, 'the sequencer failed'))
      .finally(() => {
        this.running = null;
        if (!this.queue.isEmpty && !this.stopping) this.wake();
      });
  }

  private async run(): Promise<void> {
    for (;;) {
      this.clock.watch();
      if (this.term === null) await this.committing;
      if (this.term === null && !(await this.takeOver())) {
        const { isStandby, standbyPollMs } = this.candidacy;
        if (isStandby && !this.stopping) this.sleepFor(standbyPollMs);
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
      const hasWork = !this.queue.isEmpty || dueInMs === 0;
      const isHeld = this.followers.holdWriter(term.sequence) && !this.stopping;
      const { batch, withDue } = this.takeTurn(term, dueInMs === 0, isHeld);
      if (batch.length > 0 || withDue) {
        await this.process(term, batch, withDue ? term.due.turn() : null);
      } else if (hasWork) {
        await this.waitForRoom(term);
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

  /** Something that failed runs by itself, so that another failure says what it was. */
  private get isCareful(): boolean {
    return this.due.isSuspect || this.queue.first?.alone === true;
  }

  /** Somebody who follows is too far behind; meanwhile the queue grows, and refuses what is too much. */
  private async waitForRoom(term: Term): Promise<void> {
    await this.committing;
    if (this.term !== term) return;
    if (monotonicMs() - term.confirmedAtMs >= RENEW_AFTER_MS) await this.renew(term);
    this.queue.refuseOld('Too much waits to be written already. Try again in a moment.');
    await delay(ROOM_RETRY_MS);
  }

  /** The next batch. Due work runs together with requests, or alone while it is suspect. */
  private takeTurn(term: Term, isDue: boolean, isHeld: boolean): { batch: Waiting[]; withDue: boolean } {
    if (!term.projector.hasRoom) return { batch: [], withDue: false };
    if (isHeld) return { batch: this.queue.takeCancellations(), withDue: false };
    if (isDue && this.due.isSuspect && (this.due.isItsTurn || this.queue.isEmpty))
      return { batch: [], withDue: true };
    const batch = this.queue.takeBatch();
    return { batch, withDue: isDue && !this.due.isSuspect && batch[0]?.alone !== true };
  }

  /** True when this process leads; false when another does, or when it is time to stop. */
  private async takeOver(): Promise<boolean> {
    const term = await this.candidacy.takeOver();
    if (term === null) return false;
    this.term = term;
    for (const marketId of this.due.except) term.due.leaveOut(marketId);
    term.onLost(() => this.abandon(term));
    this.syncStandby?.watch(() => this.wake());
    this.listeners.notifyPlace(term.sequence, term.timeMs);
    this.companion?.leading({ holder: this.candidacy.holder!, epoch: term.epoch });
    return true;
  }

  /** In how many milliseconds time alone makes work, or null. */
  private dueInMs(term: Term): number | null {
    const dueMs = term.due.nextMs();
    if (dueMs === null) return null;
    return Math.max(0, dueMs - this.clock.nowMs(term.timeMs), this.due.restsForMs);
  }

  /**
   * Prepares a batch while the one before is being committed, and then sends it on its way. `due` is null where
   * nothing is due or it has to wait.
   */
  private async process(term: Term, batch: Waiting[], due: DueTurn | null): Promise<void> {
    this.due.noteBatch(due !== null);
    // Asked now, while the orders that a request is about are surely there.
    const blamed = batch.length === 1 ? term.marketsOf(batch[0]!.work) : [];
    const passage = this.commits.enter(batch);
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
      this.commits.fail(passage, error);
      // If the previous batch failed, this one was based on a state that never existed; that is not its fault.
      if (this.term === term) await this.recover(term, { batch, prepared: null, due, blamed }, error);
      else this.queue.putBack(batch);
      return;
    } finally {
      this.isPreparing = false;
    }
    if (this.term !== term) {
      this.queue.putBack(batch);
      return;
    }
    this.committing = this.commit(term, { batch, prepared, due, blamed }, passage).finally(() => {
      this.committing = null;
    });
    if (due !== null && this.due.isSuspect) await this.committing;
  }

  private async commit(term: Term, flight: BatchInFlight, passage: Passage): Promise<void> {
    const { batch, prepared, due } = flight;
    try {
      if (prepared.journal !== null) prepared.journal.trace = passage.trace;
      await term.commit(prepared);
      term.show(prepared);
      this.recovery.noteCommit();
      if (due !== null && this.dueInMs(term) !== 0) this.due.noteDone();
      this.recovery.clearFaults(term.due, prepared.openMarketIds);
      // The projector hears of it first.
      this.notifier.notify(batch, prepared, () => this.project(term, prepared));
      this.commits.end(passage, batch, prepared);
    } catch (error) {
      this.commits.fail(passage, error);
      await this.recover(term, flight, error);
    }
  }

  private project(term: Term, prepared: PreparedBatch): void {
    try {
      term.project(prepared);
    } catch (error) {
      this.log.error({ err: error }, 'what a commit did cannot be read; the state is loaded again');
      if (this.term === term) void this.endTerm().then(() => this.wake());
    }
  }

  /** After any failure the term is over. */
  private async recover(term: Term, failed: FailedBatch, error: unknown): Promise<void> {
    const { batch, prepared } = failed;
    this.log.error({ err: error, requests: batch.length }, 'a batch failed; the state is loaded again');
    await this.endTerm();
    const isDurable = await this.recovery.recover(term.epoch, failed, error);
    // The term is over: the next one begins with the tables.
    if (isDurable && prepared !== null) this.notifier.notify(batch, prepared);
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

  /** The connection closed by itself; between batches nothing else would notice. */
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
    this.followers.forget();
    this.syncStandby?.stop();
    await term?.end();
    if (term !== null) await this.companion?.leaving();
  }
}
