import { ServiceFailure } from '../coded-error.js';
import { nameOf, type Owner } from './owner.js';
import { Turns } from './turns.js';

/** Inclusive. */
export interface TurnBounds {
  /** How much runs at once, in all and of one owner. */
  readonly runningMax: number;
  readonly ownerRunningMax: number;
  /** How much waits, in all and of one owner. */
  readonly waitingMax: number;
  readonly ownerWaitingMax: number;
}

interface Waiting {
  readonly owner: Owner;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Runs a bounded amount of heavy work at once and lets a bounded amount wait, so that it does not starve everything
 * else; owners take turns, so that none of them keeps the others waiting. Where too much waits, it is refused to whoever
 * has the most of it.
 */
export class TurnQueue {
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  private readonly waiting = new Turns<Waiting>();

  constructor(
    private readonly bounds: TurnBounds,
    private readonly refusal: () => Error = tooMany,
  ) {}

  /** Whether nothing of anybody runs or waits. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.size === 0;
  }

  /** Runs the work in the owner's turn. Rejects as the work does, and with `rate_limited` (429) if too much waits. */
  async take<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((resolve, reject) => this.enter(owner, resolve, reject));
    try {
      return await work();
    } finally {
      this.leave(owner);
    }
  }

  /** Calls one of the two, now or later; `leave` must follow the first. */
  enter(owner: Owner, begin: () => void, refuse: (error: Error) => void): void {
    const { runningMax, waitingMax, ownerWaitingMax } = this.bounds;
    // If a place is free, those that wait are of owners that may not have it.
    if (this.running < runningMax && this.mayRun(nameOf(owner))) {
      this.count(owner, 1);
      begin();
      return;
    }
    if (this.waiting.sizeOf(owner) >= ownerWaitingMax) {
      refuse(this.refusal());
      return;
    }
    if (this.waiting.size >= waitingMax) {
      const displaced = this.waiting.displaceFor(owner);
      if (displaced === undefined) {
        refuse(this.refusal());
        return;
      }
      displaced.refuse(this.refusal());
    }
    this.waiting.add(owner, { owner, begin, refuse });
  }

  /** Passes the place on, so that no newcomer gets ahead of those that wait. */
  leave(owner: Owner): void {
    this.count(owner, -1);
    const next = this.waiting.next((name) => this.mayRun(name));
    if (next === undefined) return;
    this.count(next.owner, 1);
    next.begin();
  }

  private mayRun(ownerName: string): boolean {
    return (this.runningOf.get(ownerName) ?? 0) < this.bounds.ownerRunningMax;
  }

  private count(owner: Owner, change: 1 | -1): void {
    this.running += change;
    const name = nameOf(owner);
    const running = (this.runningOf.get(name) ?? 0) + change;
    if (running === 0) this.runningOf.delete(name);
    else this.runningOf.set(name, running);
  }
}

function tooMany(): ServiceFailure {
  return new ServiceFailure(
    'rate_limited',
    'Too many such requests of yours at once; wait a second and try again.',
    { retryAfterS: 1 },
  );
}
