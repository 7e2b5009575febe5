import type { CommittedBatch } from '../../../core/core.types.js';

/**
 * Detects commits that this process did not see: while another process led, or where the outcome of a commit was
 * unknown at first. State that follows commits must then be reloaded. The first batch counts as a gap, too: a standby
 * hears of no commits, so what it read before it took over may lack some.
 */
export class CommitGaps {
  private lastSequence: number | undefined;

  /** Whether anything was committed between the batch before and this one. */
  missedBefore(batch: Pick<CommittedBatch, 'firstSequence' | 'lastSequence'>): boolean {
    const missed = this.lastSequence === undefined || batch.firstSequence !== this.lastSequence + 1;
    this.lastSequence = batch.lastSequence;
    return missed;
  }
}
