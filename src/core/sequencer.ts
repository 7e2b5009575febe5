/**
 * The single writer's loop. All that waits is taken as one batch, applied, and made durable in one
 * transaction; meanwhile the next batch gathers. No timer delays anything: under load batches grow by
 * themselves, and a lone order travels alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Command, PlaceOrder, Refusal } from '../domain/engine/commands.js';
import type { OrderPreview } from '../domain/engine/preview.js';
import { ApiError } from '../platform/http/errors.js';
import type { CommittedBatch, CoreAnswer, CoreRequest } from './core.types.js';
import { connectWriter, LEASE_MS, tryTakeOver, wasCommitted } from './leadership.js';
import { EngineFault, LostLeadership, type PreparedBatch, Term, type Work, type WorkAnswer } from './term.js';

export const QUEUE_MAX = 10_000;
export const COMMANDS_PER_BATCH_MAX = 1_000;
/** How long a request may wait for a leader before its caller is asked to come again. */
const LEADERLESS_WAIT_MS = 5_000;
const TAKE_OVER_RETRY_MS = 100;
const OUTCOME_RETRY_MS = 250;
const OUTCOME_TRIES = 40;
const ATTEMPTS_MAX = 3;

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

interface Waiting {
  readonly work: Work;
  readonly queuedAtMs: number;
  resolve(answer: WorkAnswer): void;
  reject(error: Error): void;
  attempts: number;
  /** Its batch failed on its data, so it runs by itself now: if it fails again, it was the one. */
  alone: boolean;
}

export class Sequencer {
  private term: Term | null = null;
  private queue: Waiting[] = [];
  /** The batch being worked on, until it is answered or back in the queue. */
  private inFlight = 0;
  private running: Promise<void> | null = null;
  private stopping = false;
  private isStandby = false;
  private dueTimer: NodeJS.Timeout | undefined;
  private readonly leaseTimer: NodeJS.Timeout;
  private readonly listeners = new Set<(batch: CommittedBatch) => void>();
  readonly faults = new Map<string, string>();
  onBatch: (figures: BatchFigures) => void = () => undefined;

  constructor(
    private readonly url: string,
    private readonly log: SequencerLog,
  ) {
    this.leaseTimer = setInterval(() => this.wake(), LEASE_MS / 4);
  }

  /** Takes over, or becomes a standby; resolves when it is known which. */
  async start(): Promise<void> {
    this.wake();
    await this.running;
  }

  /** Works off the queue, ends the term and frees the lock. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.leaseTimer);
    this.wake();
    await this.running;
    clearTimeout(this.dueTimer);
    this.refuseAll(unavailable('The service is stopping. Try again in a moment.'));
    await this.endTerm();
  }

  submit(request: CoreRequest): Promise<CoreAnswer> {
    return this.enqueue({ kind: 'request', request }) as Promise<CoreAnswer>;
  }

  preview(command: PlaceOrder): Promise<OrderPreview | Refusal> {
    return this.enqueue({ kind: 'preview', command }) as Promise<OrderPreview | Refusal>;
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

  get depth(): number {
    return this.queue.length + this.inFlight;
  }

  get lagMs(): number {
    const oldest = this.queue[0];
    return oldest === undefined ? 0 : Date.now() - oldest.queuedAtMs;
  }

  onCommitted(listener: (batch: CommittedBatch) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private enqueue(work: Work): Promise<WorkAnswer> {
    if (this.stopping) return Promise.reject(unavailable('The service is stopping. Try again in a moment.'));
    if (this.isStandby) return Promise.reject(unavailable('This process is a standby. Send orders to the leader.'));
    if (this.depth >= QUEUE_MAX) return Promise.reject(unavailable('Too many requests wait already. Slow down.'));
    return new Promise((resolve, reject) => {
      this.queue.push({ work, queuedAtMs: Date.now(), resolve, reject, attempts: 0, alone: false });
      this.wake();
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
      if (this.term === null && !(await this.takeOver())) return;
      const term = this.term!;
      const batch = this.takeBatch();
      const due = term.nextDueMs();
      if (batch.length > 0 || (due !== null && due <= Date.now())) {
        await this.process(term, batch);
      } else if (Date.now() - term.confirmedAtMs >= LEASE_MS / 4) {
        await this.renew(term);
      } else {
        this.sleepUntil(due);
        return;
      }
    }
  }

  /** True when this process leads; false when another does, or when it is time to stop. */
  private async takeOver(): Promise<boolean> {
    const startedAtMs = Date.now();
    while (!this.stopping) {
      let client: pg.Client | undefined;
      try {
        client = connectWriter(this.url);
        client.on('error', () => undefined);
        await client.connect();
        const leader = await tryTakeOver(client);
        if (leader !== null) {
          const term = await Term.begin(client, leader);
          client.on('end', () => this.abandon(term));
          this.term = term;
          this.isStandby = false;
          const tookMs = Date.now() - startedAtMs;
          this.log.info(
            { epoch: term.epoch, sequence: term.sequence, stateHash: term.stateHash(), tookMs },
            'leading the core',
          );
          return true;
        }
        await client.end();
        if (!this.isStandby && Date.now() - startedAtMs > 1_000) {
          this.isStandby = true;
          this.log.warn({}, 'another process leads; standing by');
        }
        if (this.isStandby) {
          this.refuseAll(unavailable('This process is a standby. Send orders to the leader.'));
          return false;
        }
      } catch (error) {
        client?.end().catch(() => undefined);
        this.log.error({ err: error }, 'taking over failed; trying again');
      }
      this.refuseOld();
      await delay(TAKE_OVER_RETRY_MS);
    }
    return false;
  }

  private takeBatch(): Waiting[] {
    const first = this.queue[0];
    if (first === undefined) return [];
    if (first.alone) return this.queue.splice(0, 1);
    let commands = 0;
    let count = 0;
    for (const waiting of this.queue) {
      const { work } = waiting;
      commands += work.kind === 'request' ? work.request.commands.length : 1;
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

  private async process(term: Term, batch: Waiting[]): Promise<void> {
    this.inFlight = batch.length;
    const startedAtMs = performance.now();
    let prepared: PreparedBatch | null = null;
    try {
      prepared = await term.prepare(
        batch.map(({ work }) => work),
        Date.now(),
      );
      await term.commit(prepared);
      term.publish(prepared);
      this.clearFaults(prepared);
      this.answer(batch, prepared);
      if (prepared.journal !== null) {
        const durationMs = performance.now() - startedAtMs;
        this.onBatch({ commands: batch.length, rows: prepared.rowCount, durationMs });
      }
    } catch (error) {
      await this.recover(term, batch, prepared, error);
    } finally {
      this.inFlight = 0;
    }
  }

  private answer(batch: readonly Waiting[], prepared: PreparedBatch): void {
    batch.forEach((waiting, index) => waiting.resolve(prepared.answers[index]!));
    if (this.listeners.size === 0 || prepared.journal === null) return;
    const committed = Term.describe(prepared);
    for (const listener of this.listeners) {
      try {
        listener(committed);
      } catch (error) {
        this.log.error({ err: error }, 'a listener to commits failed');
      }
    }
  }

  /**
   * After any failure the term is over. What matters is whether the batch became durable: if so it is
   * answered, if not its requests run again, each by itself where the data seems to be at fault.
   */
  private async recover(term: Term, batch: Waiting[], prepared: PreparedBatch | null, error: unknown): Promise<void> {
    this.log.error({ err: error, requests: batch.length }, 'a batch failed; the state is loaded again');
    const marketIds = batch.length === 1 ? term.marketsOf(batch[0]!.work) : [];
    await this.endTerm();
    if (prepared !== null && prepared.journal !== null && isOutcomeUnknown(error)) {
      const committed = await this.findOutcome(term.epoch, prepared.lastSequence);
      if (committed === undefined) {
        const message = 'It is not known whether the request took effect. Repeat it with the same key.';
        for (const { reject } of batch) reject(new ApiError('outcome_unknown', message, { headers: RETRY_AFTER }));
        return;
      }
      if (committed) return this.answer(batch, prepared);
      return this.requeue(batch, false);
    }
    if (!isDataFault(error)) return this.requeue(batch, false);
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return this.isolate(only, marketIds, error);
    this.requeue(batch, true);
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
      if (this.faults.has(marketId)) continue;
      this.faults.set(marketId, error instanceof Error ? error.message : String(error));
      this.log.error({ err: error, marketId }, 'a request failed by itself; its market is halted');
      const halt: Command = { type: 'set_market_status', marketId, status: 'halted', settlementValue: null };
      const work: Work = { kind: 'request', request: { commands: [halt] } };
      const ignore = (): void => undefined;
      this.queue.unshift({ work, queuedAtMs: Date.now(), resolve: ignore, reject: ignore, attempts: 0, alone: true });
    }
  }

  /** An operator who opens a market again has looked at its fault. */
  private clearFaults({ changes }: PreparedBatch): void {
    if (this.faults.size === 0) return;
    for (const { status, definition } of changes.markets) if (status === 'open') this.faults.delete(definition.marketId);
  }

  /** Undefined where the database cannot be asked for too long. */
  private async findOutcome(epoch: number, lastSequence: number): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < OUTCOME_TRIES; attempt++) {
      try {
        return await wasCommitted(this.url, epoch, lastSequence);
      } catch (error) {
        this.log.warn({ err: error, attempt }, 'the outcome of a commit is not known yet');
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

  private sleepUntil(dueMs: number | null): void {
    clearTimeout(this.dueTimer);
    if (dueMs === null || this.stopping) return;
    this.dueTimer = setTimeout(() => this.wake(), Math.min(Math.max(0, dueMs - Date.now()), 2 ** 31 - 1));
  }

  /** The connection ended by itself; between batches nobody else would notice. */
  private abandon(term: Term): void {
    if (this.term !== term || this.inFlight > 0 || this.stopping) return;
    this.term = null;
    this.wake();
  }

  private async endTerm(): Promise<void> {
    const { term } = this;
    this.term = null;
    await term?.client.end().catch(() => undefined);
  }

  private refuseOld(): void {
    const oldest = Date.now() - LEADERLESS_WAIT_MS;
    while (this.queue[0] !== undefined && this.queue[0].queuedAtMs < oldest) {
      this.queue.shift()!.reject(unavailable('The database cannot be reached. Try again in a moment.'));
    }
  }

  private refuseAll(error: ApiError): void {
    for (const { reject } of this.queue.splice(0)) reject(error);
  }
}

const RETRY_AFTER = { 'Retry-After': '1' };

function unavailable(message: string): ApiError {
  return new ApiError('temporarily_unavailable', message, { headers: RETRY_AFTER });
}

/** The server said no: nothing of the statement took effect. Anything else leaves the outcome open. */
function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof LostLeadership) return false;
  return !(error instanceof pg.DatabaseError) || error.severity !== 'ERROR';
}

/** A fault in what was asked or in the code, rather than in the connection, the server or its resources. */
function isDataFault(error: unknown): boolean {
  if (error instanceof EngineFault) return true;
  if (!(error instanceof pg.DatabaseError) || error.severity !== 'ERROR') return false;
  return !/^(08|25|40|53|55|57|58)/.test(error.code ?? '');
}
