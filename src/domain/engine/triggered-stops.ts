/**
 * The stops of a market that are triggered and wait to run: the oldest first, but parties take turns, so that one with
 * thousands of them does not keep the others waiting.
 */
import { invariant } from '../invariant.js';
import { Heap } from './heap.js';

export interface TriggeredStop {
  readonly orderId: number;
  /** Whose it is; one for all accounts that take turns together. */
  readonly party: object | null;
  /** Where it is in the heap of its party. */
  stopIndex: number;
}

export class TriggeredStops<S extends TriggeredStop> {
  private readonly queues = new Map<object | null, Queue<S>>();
  /** Those that have stops and may run one in this round; on top is the one with the oldest. */
  private readonly next = new Heap<'heapIndex', Queue<S>>('heapIndex', (a, b) => a.oldestId < b.oldestId);
  /** Those that have run some in this round. */
  private readonly ran = new Set<Queue<S>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** In no particular order. */
  entries(): S[] {
    return [...this.queues.values()].flatMap(({ stops }) => stops.entries());
  }

  add(stop: S): void {
    let queue = this.queues.get(stop.party);
    if (queue === undefined) {
      queue = new Queue<S>(stop.party);
      this.queues.set(stop.party, queue);
    }
    this.change(queue, () => queue.stops.add(stop));
    this.count++;
  }

  /** Does nothing if it is not here. */
  remove(stop: S): void {
    const queue = this.queues.get(stop.party);
    if (queue === undefined) return;
    const before = queue.stops.size;
    this.change(queue, () => queue.stops.remove(stop));
    this.count -= before - queue.stops.size;
    if (queue.runs === 0) this.forget(queue);
  }

  /** Everybody may run as many as at first. */
  beginRound(): void {
    if (this.ran.size === 0) return;
    for (const queue of this.ran) {
      this.change(queue, () => (queue.runs = 0));
      this.forget(queue);
    }
    this.ran.clear();
  }

  /** Removes the oldest one of those parties that have run fewer than `runsMax` in this round; a new one begins after all have. */
  take(runsMax: number): S | undefined {
    if (this.count === 0) return undefined;
    if (this.next.peek() === undefined) this.beginRound();
    const queue = this.next.peek();
    const stop = queue?.stops.peek();
    invariant(queue !== undefined && stop !== undefined, 'a stop that waits has its turn', this.count);
    this.ran.add(queue);
    this.change(queue, () => {
      queue.stops.remove(stop);
      queue.runs++;
      queue.isAside = queue.runs >= runsMax;
    });
    this.count--;
    return stop;
  }

  /** Where it has nothing left. */
  private forget({ party, stops }: Queue<S>): void {
    if (stops.size === 0) this.queues.delete(party);
  }

  private change(queue: Queue<S>, change: () => void): void {
    this.next.remove(queue);
    change();
    if (queue.runs === 0) queue.isAside = false;
    if (queue.stops.size > 0 && !queue.isAside) this.next.add(queue);
  }
}

/** The triggered stops of one party. */
class Queue<S extends TriggeredStop> {
  heapIndex = -1;
  /** How many have run in this round, and whether that is as many as may. */
  runs = 0;
  isAside = false;
  readonly stops = new Heap<'stopIndex', S>('stopIndex', (a, b) => a.orderId < b.orderId);

  constructor(readonly party: object | null) {}

  get oldestId(): number {
    return this.stops.peek()!.orderId;
  }
}
