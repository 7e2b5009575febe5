/**
 * Makes good what became of a batch that failed: it was durable all the same, or its requests run again, or it is found
 * which of them, or what that was due, cannot be carried out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../../domain/engine/commands.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { monotonicMs } from '../clock/command-clock.js';
import type { DueWork } from '../term/due-work.js';
import {
  isDataFault,
  isOutcomeUnknown,
  isServerTrouble,
  outcomeUnknown,
  reasonOf,
} from '../requests/failures.js';
import { type ConnectCore, wasCommitted } from '../leadership/leadership.js';
import type { ProjectorLog } from '../projection/projector.js';
import type { DueMarkets, DueTurn } from '../term/due-markets.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import type { Work } from '../requests/work.js';
import type { Waiting, WorkQueue } from './work-queue.js';

const OUTCOME_RETRY_MS = 250;
/** How long the server is left alone after it refused a batch for reasons of its own: 50 ms, 200 ms, then this. */
const SERVER_RETRY_MS_MAX = 800;
const SERVER_RETRY_MS = 50;

/** The input of the recovery from a failed batch. */
export interface FailedBatch {
  readonly batch: readonly Waiting[];
  /** Null where it failed before its rows were known, and so before its commit. */
  readonly prepared: PreparedBatch | null;
  readonly due: DueTurn | null;
  /** The markets of its only request. */
  readonly blamed: readonly string[];
}

/** A batch on its way to be durable. */
export interface BatchInFlight extends FailedBatch {
  readonly prepared: PreparedBatch;
}

const OUTCOME_WAIT_MS = 20_000;

export class BatchRecovery {
  /** Why markets were halted, until an operator opens them again. */
  readonly faults = new Map<string, string>();
  /** Batches in a row that the server refused for reasons of its own. */
  private refusalsInARow = 0;

  constructor(
    private readonly connect: ConnectCore,
    private readonly queue: WorkQueue,
    private readonly due: DueWork,
    private readonly log: ProjectorLog,
    private readonly outcomeWaitMs = OUTCOME_WAIT_MS,
  ) {}

  noteCommit(): void {
    this.refusalsInARow = 0;
  }

  /** An operator who opens a market again has looked at its fault. */
  clearFaults(due: DueMarkets, openMarketIds: PreparedBatch['openMarketIds']): void {
    if (this.faults.size === 0) return;
    for (const marketId of openMarketIds) {
      this.faults.delete(marketId);
      if (this.due.except.delete(marketId)) due.takeIn(marketId);
    }
  }

  /**
   * To be called when the term of the epoch is over. What matters is whether the batch became durable: if so this answers
   * true, and the batch is still to be answered.
   */
  async recover(epoch: number, failed: FailedBatch, error: unknown): Promise<boolean> {
    const { batch, prepared } = failed;
    if (isServerTrouble(error)) await this.leaveServerAlone();
    if (prepared === null || prepared.journal === null || !isOutcomeUnknown(error)) {
      this.runAgain(failed, error);
      return false;
    }
    const committed = await this.findOutcome(epoch, prepared.lastSequence);
    if (committed === undefined) for (const { reject } of batch) reject(outcomeUnknown());
    else if (!committed) this.runAgain(failed, error);
    return committed === true;
  }

  /** Nothing took effect, so the requests run again: each by itself where the data seems to be at fault. */
  private runAgain({ batch, due, blamed }: FailedBatch, error: unknown): void {
    const [only] = batch;
    const isData = isDataFault(error);
    if (due !== null && (isData || isServerTrouble(error))) this.due.suspect();
    if (only === undefined) this.blameDue(due, isData, error);
    else if (isData && batch.length === 1 && due === null) this.isolate(only, blamed, error);
    else this.queue.requeue(batch, isData);
  }

  /** The due work failed alone. It has no caller to answer; once the failing market is found, it is halted. */
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

  /** The one that fails by itself is answered with the failure, and its market halts until somebody has looked. */
  private isolate(waiting: Waiting, marketIds: readonly string[], error: unknown): void {
    const message = 'The request could not be carried out. It changed nothing.';
    waiting.reject(new ServiceFailure('internal_error', message, { cause: error }));
    for (const marketId of new Set(marketIds)) {
      if (!this.faults.has(marketId)) this.halt(marketId, error, reasonOf(error));
    }
  }

  private halt(marketId: string, error: unknown, reason: string): void {
    this.faults.set(marketId, reason);
    this.log.error({ err: error, marketId }, 'something failed by itself; its market is halted');
    const halt: Command = { type: 'set_market_status', marketId, status: 'halted', settlementValue: null };
    const work: Work = { kind: 'request', request: { commands: [halt] } };
    this.queue.addFirst(work);
  }

  /** Undefined if the database cannot be reached for too long. */
  private async findOutcome(epoch: number, lastSequence: number): Promise<boolean | undefined> {
    const deadlineMs = monotonicMs() + this.outcomeWaitMs;
    while (monotonicMs() < deadlineMs) {
      try {
        return await wasCommitted(this.connect, epoch, lastSequence);
      } catch (error) {
        this.log.warn({ err: error }, 'the outcome of a commit is not known yet');
        await delay(OUTCOME_RETRY_MS);
      }
    }
    return undefined;
  }
}
