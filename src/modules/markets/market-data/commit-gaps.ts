import type { CommittedBatch } from '../../../core/core.types.js';

/**
 * Notices commits that this process was not told of: while another one led, or where it was not known
 * at first whether a commit had succeeded. What is kept by following commits must then be read again.
 */
export class CommitGaps {
  private lastSequence: number | undefined;

  /** Whether anything was committed between the batch before and this one. */
  missedBefore(batch: Pick<CommittedBatch, 'firstSequence' | 'lastSequence'>): boolean {
    const missed = this.lastSequence !== undefined && batch.firstSequence !== this.lastSequence + 1;
    this.lastSequence = batch.lastSequence;
    return missed;
  }
}
