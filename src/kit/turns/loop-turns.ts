import { nameOf, type Owner } from './owner.js';
import { Turns } from './turns.js';

/**
 * How much of one owner begins in a turn of the event loop: some milliseconds of work, for which others wait. Fewer would
 * make small commits, which cost more an order.
 */
export const OWNER_BEGUN_MAX = 32;

interface Waiting {
  readonly owner: Owner;
  readonly begin: () => void;
}

/**
 * Spreads what one owner has ready over turns of the event loop; in between comes what others ask for, and what the
 * database answers. It begins in the order in which it came.
 */
export class LoopTurns {
  private readonly waiting = new Turns<Waiting>();
  /** In this turn of the loop. */
  private readonly begunOf = new Map<string, number>();

  /** Resolves when the owner may begin one thing more; undefined where it may at once. */
  turnOf(owner: Owner): Promise<void> | undefined {
    if (this.begunOf.size === 0) setImmediate(this.next);
    if (!this.mayBegin(nameOf(owner)))
      return new Promise((begin) => this.waiting.add(owner, { owner, begin }));
    this.count(owner);
    return undefined;
  }

  private readonly next = (): void => {
    this.begunOf.clear();
    for (let next = this.nextWaiting(); next !== undefined; next = this.nextWaiting()) {
      this.count(next.owner);
      next.begin();
    }
    if (this.begunOf.size > 0) setImmediate(this.next);
  };

  private nextWaiting(): Waiting | undefined {
    return this.waiting.next((ownerName) => this.mayBegin(ownerName));
  }

  private mayBegin(ownerName: string): boolean {
    return (this.begunOf.get(ownerName) ?? 0) < OWNER_BEGUN_MAX;
  }

  private count(owner: Owner): void {
    const ownerName = nameOf(owner);
    this.begunOf.set(ownerName, (this.begunOf.get(ownerName) ?? 0) + 1);
  }
}
