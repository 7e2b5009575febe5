import { nameOf, type Owner } from './owner.js';
import { Turns } from './turns.js';

/**
 * How much of one owner is begun in a turn of the event loop, in requests: some milliseconds of work, for which others wait.
 * Less would make small commits, which cost more an order.
 */
export const OWNER_TURN_MAX = 32;

interface Waiting {
  readonly owner: Owner;
  readonly requests: number;
  readonly begin: () => void;
}

/**
 * Spreads what one owner has ready over turns of the event loop; in between comes what others ask for, and what the
 * database answers. What ends something comes before what begins, each in the order in which it came.
 */
export class LoopTurns {
  private readonly ending = new Turns<Waiting>();
  private readonly beginning = new Turns<Waiting>();
  /** In this turn of the loop, in requests. */
  private readonly begunOf = new Map<string, number>();

  /**
   * Resolves when the owner may begin one thing more; undefined where it may at once. `requests` says as the work of how
   * many requests it counts: the last one of a turn may be large.
   */
  turnOf(owner: Owner, { requests = 1, isEnd = false } = {}): Promise<void> | undefined {
    if (this.begunOf.size === 0) setImmediate(this.next);
    const line = isEnd ? this.ending : this.beginning;
    if (line.sizeOf(owner) > 0 || !this.mayBegin(nameOf(owner)))
      return new Promise((begin) => line.add(owner, { owner, requests, begin }));
    this.count(owner, requests);
    return undefined;
  }

  private readonly next = (): void => {
    this.begunOf.clear();
    for (let next = this.nextWaiting(); next !== undefined; next = this.nextWaiting()) {
      this.count(next.owner, next.requests);
      next.begin();
    }
    if (this.begunOf.size > 0) setImmediate(this.next);
  };

  private nextWaiting(): Waiting | undefined {
    return this.ending.next(this.mayBegin) ?? this.beginning.next(this.mayBegin);
  }

  private readonly mayBegin = (ownerName: string): boolean =>
    (this.begunOf.get(ownerName) ?? 0) < OWNER_TURN_MAX;

  private count(owner: Owner, requests: number): void {
    const ownerName = nameOf(owner);
    this.begunOf.set(ownerName, (this.begunOf.get(ownerName) ?? 0) + requests);
  }
}

/** Those of the process, which has one event loop: what is begun, what the database answers, and what is answered. */
export const loopTurns = new LoopTurns();
