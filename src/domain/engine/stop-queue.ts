/** The stops of a market: those that wait for a price, and those that are triggered and wait to run. */
import { Heap } from './heap.js';
import type { Side } from './types.js';

export interface Stop {
  readonly orderId: number;
  readonly side: Side;
  readonly stopPriceTicks: number | null;
  /** Set by the queue; -1 while not in it. */
  stopIndex: number;
}

export class StopQueue<S extends Stop> {
  /** On top is the stop that a moving price reaches first; equal prices in order of acceptance. */
  private readonly waiting: Readonly<Record<Side, Heap<'stopIndex', S>>> = {
    buy: new Heap<'stopIndex', S>('stopIndex', (a, b) => isReachedBefore(a, b, 1)),
    sell: new Heap<'stopIndex', S>('stopIndex', (a, b) => isReachedBefore(a, b, -1)),
  };
  /** In order of acceptance. */
  private readonly triggered = new Heap<'stopIndex', S>('stopIndex', (a, b) => a.orderId < b.orderId);

  get triggeredCount(): number {
    return this.triggered.size;
  }

  add(stop: S): void {
    this.waiting[stop.side].add(stop);
  }

  addTriggered(stop: S): void {
    this.triggered.add(stop);
  }

  remove(stop: S): void {
    this.waiting[stop.side].remove(stop);
    this.triggered.remove(stop);
  }

  /** The next waiting stop between `lowTicks` and `highTicks`, buys before sells. */
  reachedBy(lowTicks: number, highTicks: number): S | undefined {
    const buy = this.waiting.buy.peek();
    if (buy !== undefined && buy.stopPriceTicks! <= highTicks) return buy;
    const sell = this.waiting.sell.peek();
    return sell !== undefined && sell.stopPriceTicks! >= lowTicks ? sell : undefined;
  }

  /** Removes the oldest triggered stop. */
  takeTriggered(): S | undefined {
    const stop = this.triggered.peek();
    if (stop !== undefined) this.triggered.remove(stop);
    return stop;
  }

  /** Removes all stops, in order of acceptance. */
  takeAll(): S[] {
    const all = [...this.waiting.buy.entries(), ...this.waiting.sell.entries(), ...this.triggered.entries()];
    all.sort((a, b) => a.orderId - b.orderId);
    for (const stop of all) this.remove(stop);
    return all;
  }
}

/** `direction` is 1 for buys, which wait for a rise, and -1 for sells. */
function isReachedBefore(a: Stop, b: Stop, direction: 1 | -1): boolean {
  const difference = direction * (a.stopPriceTicks! - b.stopPriceTicks!);
  return difference < 0 || (difference === 0 && a.orderId < b.orderId);
}
