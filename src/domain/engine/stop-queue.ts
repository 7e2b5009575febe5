/** The stops of a market: those that wait for a price, and those that are triggered and wait to run. */
import { Heap } from './heap.js';
import { type TrailingStop, TrailingStops } from './trailing-stops.js';
import { type TriggeredStop, TriggeredStops } from './triggered-stops.js';
import type { Side, StopTrigger } from './types.js';

export interface Stop extends TrailingStop, TriggeredStop {
  stopIndex: number;
  readonly side: Side;
  /** Null for trailing stops. */
  readonly stopPriceTicks: number | null;
  readonly stopTrigger: StopTrigger;
}

/** The prices that stops of one trigger are to be compared with: of buys the highest one, of sells the lowest one. */
export interface ReachedTicks {
  readonly highTicks: number;
  readonly lowTicks: number;
}

export class StopQueue<S extends Stop> {
  /** On top is the stop that a moving price reaches first; equal prices in order of acceptance. */
  private readonly waiting: Readonly<Record<StopTrigger, Readonly<Record<Side, Heap<'stopIndex', S>>>>> = {
    last: { buy: waitingHeap(1), sell: waitingHeap(-1) },
    mark: { buy: waitingHeap(1), sell: waitingHeap(-1) },
  };
  private readonly trailing: Readonly<Record<Side, TrailingStops<S>>> = {
    buy: new TrailingStops<S>('buy'),
    sell: new TrailingStops<S>('sell'),
  };
  private readonly triggered = new TriggeredStops<S>();

  get triggeredCount(): number {
    return this.triggered.size;
  }

  trailingCount(side: Side): number {
    return this.trailing[side].size;
  }

  add(stop: S): void {
    if (stop.bestTicks === null) this.waiting[stop.stopTrigger][stop.side].add(stop);
    else this.trailing[stop.side].add(stop);
  }

  addTriggered(stop: S): void {
    this.triggered.add(stop);
  }

  /** Returns the trailing stop that keeps what this one knew, if it must. */
  remove(stop: S): S | null {
    this.waiting[stop.stopTrigger][stop.side].remove(stop);
    this.triggered.remove(stop);
    return this.trailing[stop.side].remove(stop);
  }

  /** The next waiting stop that is reached, buys before sells. */
  reachedBy(trigger: StopTrigger, { lowTicks, highTicks }: ReachedTicks): S | undefined {
    const { buy: buys, sell: sells } = this.waiting[trigger];
    const buy = buys.peek();
    if (buy !== undefined && buy.stopPriceTicks! <= highTicks) return buy;
    const sell = sells.peek();
    return sell !== undefined && sell.stopPriceTicks! >= lowTicks ? sell : undefined;
  }

  /** Makes trailing stops follow a traded price; returns those whose `bestTicks` that has changed. */
  follow(priceTicks: number): S[] {
    const { buy, sell } = this.trailing;
    return [buy.follow(priceTicks), sell.follow(priceTicks)].filter((stop) => stop !== null);
  }

  /** The next trailing stop that a traded price triggers. */
  trailingReachedBy(priceTicks: number): S | undefined {
    return this.trailing.buy.reachedBy(priceTicks) ?? this.trailing.sell.reachedBy(priceTicks);
  }

  /** Begins the first round of those who take turns; see `TriggeredStops`. */
  beginRound(): void {
    this.triggered.beginRound();
  }

  /** Removes the triggered stop that runs next. */
  takeTriggered(perRoundMax: number): S | undefined {
    return this.triggered.take(perRoundMax);
  }

  /** Removes all stops, in order of acceptance. */
  takeAll(): S[] {
    const { last, mark } = this.waiting;
    const parts = [
      last.buy,
      last.sell,
      mark.buy,
      mark.sell,
      this.trailing.buy,
      this.trailing.sell,
      this.triggered,
    ];
    const all = parts.flatMap((part) => [...part.entries()]);
    all.sort((a, b) => a.orderId - b.orderId);
    for (const stop of all) this.remove(stop);
    return all;
  }
}

/** `direction` is 1 for buys, which wait for a rise, and -1 for sells. */
function waitingHeap<S extends Stop>(direction: 1 | -1): Heap<'stopIndex', S> {
  return new Heap('stopIndex', (a, b) => {
    const difference = direction * (a.stopPriceTicks! - b.stopPriceTicks!);
    return difference < 0 || (difference === 0 && a.orderId < b.orderId);
  });
}
