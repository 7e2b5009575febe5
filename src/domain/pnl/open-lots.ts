import { invariant } from '../invariant.js';

/**
 * The open part of a position as a queue of the fills that opened it, first in, first out. A long queue is loaded in
 * part, as closing needs it, so that closing does not cost more for all that was opened since.
 */

/** A fill that opened `lots` at a price in units of 10^-18. */
export interface OpenLot {
  /** Its place in the global sequence. */
  readonly sequence: number;
  readonly lots: number;
  readonly price: bigint;
}

/** Where the queue begins: the first fill that is not fully closed, and how much of it is closed. */
export interface QueueHead {
  readonly sequence: number;
  readonly closedLots: number;
}

/** Closed lots of one opening fill. */
export interface ClosedLots {
  readonly lots: number;
  readonly price: bigint;
}

export class OpenLots {
  /** In order from the head on; `first` is the index of the head once anything is loaded. */
  private readonly known: OpenLot[] = [];
  private first = 0;
  private knownLots = 0;
  /** Opened after the part that is not loaded yet. */
  private readonly behind: OpenLot[] = [];
  private readCount = 0;

  private constructor(
    private headOfQueue: QueueHead | null,
    private isKnown: boolean,
  ) {}

  static empty(): OpenLots {
    return new OpenLots(null, true);
  }

  /** A queue of which only the head is loaded. */
  static from(head: QueueHead | null): OpenLots {
    return new OpenLots(head, head === null);
  }

  get head(): QueueHead | null {
    return this.headOfQueue;
  }

  /** Whether all of it is loaded. */
  get isWhole(): boolean {
    return this.isKnown;
  }

  /** The opening fill after which reading continues; the head itself must be read first. */
  get readUpTo(): number {
    return this.known.at(-1)?.sequence ?? (this.headOfQueue?.sequence ?? 0) - 1;
  }

  /** How many lots were read so far: a caller that needed many will need more. */
  get lotsRead(): number {
    return this.readCount;
  }

  /** Whether more must be read before `lots` can be closed: the closed fills, and the head after them; nothing for none. */
  lacks(lots: number): boolean {
    return lots > 0 && !this.isKnown && this.knownLots <= lots;
  }

  /** Adds the next opening fills; `isEnd` if these are the last before those opened meanwhile. */
  read(lots: readonly OpenLot[], isEnd: boolean): void {
    for (const lot of lots) this.know(lot);
    this.readCount += lots.length;
    if (!isEnd) return;
    this.isKnown = true;
    for (const lot of this.behind.splice(0)) this.know(lot);
  }

  open(lot: OpenLot): void {
    if (this.isKnown) this.know(lot);
    else this.behind.push(lot);
    this.headOfQueue ??= { sequence: lot.sequence, closedLots: 0 };
  }

  /** Closes lots from the head on and returns them. Throws if the queue lacks them. */
  close(lots: number): ClosedLots[] {
    const closed: ClosedLots[] = [];
    let left = lots;
    while (left > 0) {
      const lot = this.known[this.first];
      const head = this.headOfQueue;
      invariant(lot !== undefined && head !== null, 'no more is closed than was opened', lots, left);
      const { closedLots } = head;
      const taken = Math.min(left, lot.lots - closedLots);
      invariant(taken > 0, 'the head of the queue has open lots', head.sequence, closedLots, lot.lots);
      closed.push({ lots: taken, price: lot.price });
      left -= taken;
      this.knownLots -= taken;
      if (closedLots + taken < lot.lots) {
        this.headOfQueue = { sequence: lot.sequence, closedLots: closedLots + taken };
      } else {
        const next = this.known[++this.first];
        invariant(next !== undefined || this.isKnown, 'no more is closed than is read of the queue', lots);
        this.headOfQueue = next === undefined ? null : { sequence: next.sequence, closedLots: 0 };
      }
    }
    return closed;
  }

  /**
   * Keeps at most `lotsMax` fills at the head and returns how many. For queues whose opening fills can all be read
   * again.
   */
  keep(lotsMax: number): number {
    this.known.splice(0, this.first);
    this.first = 0;
    for (const { lots } of this.known.splice(lotsMax)) {
      this.knownLots -= lots;
      this.isKnown = false;
    }
    if (this.known.length === 0) this.knownLots = 0;
    if (!this.isKnown) this.behind.length = 0;
    return this.known.length;
  }

  /** Empties the queue, including the part that is not loaded. */
  clear(): void {
    this.known.length = 0;
    this.behind.length = 0;
    this.first = 0;
    this.knownLots = 0;
    this.headOfQueue = null;
    this.isKnown = true;
  }

  private know(lot: OpenLot): void {
    const closedLots = this.headOfQueue?.sequence === lot.sequence ? this.headOfQueue.closedLots : 0;
    const last = this.known.at(-1);
    invariant(
      lot.lots > closedLots && (last === undefined || last.sequence < lot.sequence),
      'lots are queued in the order in which they were opened',
      lot.sequence,
      last?.sequence,
    );
    this.known.push(lot);
    this.knownLots += lot.lots - closedLots;
  }
}
