import { splitFill } from '../engine/positions.js';
import type { Side } from '../engine/types.js';

/** What the next fills of a position will close of the queue that it has now, found from their sizes alone. */
export class ComingCloses {
  private closed = 0;
  /** From then on the queue has only what the next fills open. */
  private isEmptied = false;

  /** `lots` is the signed size: positive is long. */
  constructor(private lots: number) {}

  /** How many lots must be read of the queue; closing all of it needs none. */
  get queuedLots(): number {
    return this.closed;
  }

  /** The next fill. */
  add(side: Side, lots: number): void {
    if (this.isEmptied) return;
    const { closedLots } = splitFill({ sizeLots: this.lots }, side, lots);
    if (closedLots > 0 && closedLots === Math.abs(this.lots)) this.isEmptied = true;
    else this.closed += closedLots;
    this.lots += side === 'buy' ? lots : -lots;
  }
}
