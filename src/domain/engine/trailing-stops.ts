/**
 * The trailing stops of one side of a market. Each follows the best price since it was accepted, at its own distance: a
 * sell the highest one, and triggers where the price falls back by that much; a buy the lowest one.
 *
 * Whatever was accepted earlier has seen all that a later stop has, and knows a price at least as good. Those that know
 * the same best price form a group; a price that is better than what the latest groups know makes them one. So a trade
 * costs the same, however many stops wait.
 *
 * The best price of a stop is the best of the `bestTicks` of itself and of all that were accepted later: a better price
 * is noted on the latest stop alone, and one that goes leaves its own to the one before it.
 */
import { Heap } from './heap.js';
import type { Side } from './types.js';

export interface TrailingStop {
  readonly orderId: number;
  /** How far it follows behind: ticks, or hundredths of a percent of the best price. One of them is null. */
  readonly trailingTicks: number | null;
  readonly trailingBps: number | null;
  /** See above; not null while it waits. */
  bestTicks: number | null;
  /** Where it is in the heap of its group. */
  stopIndex: number;
}

export const BPS_PER_ONE = 10_000;

/** How far from the best price a stop triggers, in whole ticks, rounded up. */
export function trailingDistance(
  { trailingTicks, trailingBps }: Pick<TrailingStop, 'trailingTicks' | 'trailingBps'>,
  bestTicks: number,
): number {
  if (trailingTicks !== null) return trailingTicks;
  const product = bestTicks * trailingBps!;
  if (!Number.isSafeInteger(product))
    return Number((BigInt(bestTicks) * BigInt(trailingBps!) + BigInt(BPS_PER_ONE - 1)) / BigInt(BPS_PER_ONE));
  const rest = product % BPS_PER_ONE;
  return (product - rest) / BPS_PER_ONE + (rest > 0 ? 1 : 0);
}

export class TrailingStops<S extends TrailingStop> {
  /** In order of acceptance. */
  private readonly stops: S[] = [];
  /** In order of acceptance, and so from the best price to the worst. */
  private readonly groups: Group<S>[] = [];
  private readonly groupOf = new Map<S, Group<S>>();
  /** On top is the group with the stop that a price going back reaches first. */
  private readonly nearest = new Heap<'heapIndex', Group<S>>('heapIndex', (a, b) => {
    const difference = b.triggerKey - a.triggerKey;
    return difference < 0 || (difference === 0 && a.bestKey > b.bestKey);
  });
  /** Makes a better price a greater key. */
  private readonly sign: 1 | -1;

  constructor(side: Side) {
    this.sign = side === 'sell' ? 1 : -1;
  }

  get size(): number {
    return this.stops.length;
  }

  entries(): readonly S[] {
    return this.stops;
  }

  /** Adds a stop that was accepted after all others. */
  add(stop: S): void {
    const group = this.knowing(this.keyOf(stop.bestTicks!));
    this.put(group, stop);
    this.nearest.add(group);
    this.stops.push(stop);
  }

  /** Removes a stop, if it is here; returns the one whose `bestTicks` that has changed, if any. */
  remove(stop: S): S | null {
    const group = this.groupOf.get(stop);
    if (group === undefined) return null;
    this.nearest.remove(group);
    this.groupOf.delete(stop);
    group.heapFor(stop).remove(stop);
    if (group.size > 0) this.nearest.add(group);
    else this.groups.splice(this.groups.indexOf(group), 1);

    const place = this.stops.indexOf(stop);
    this.stops.splice(place, 1);
    const heir = this.stops[place - 1];
    const { bestTicks } = stop;
    stop.bestTicks = null;
    if (heir === undefined || this.keyOf(heir.bestTicks!) >= this.keyOf(bestTicks!)) return null;
    heir.bestTicks = bestTicks;
    return heir;
  }

  /** Notes a traded price; returns the stop whose `bestTicks` that has changed, if any. */
  follow(priceTicks: number): S | null {
    const latest = this.stops.at(-1);
    const key = this.keyOf(priceTicks);
    if (latest === undefined || this.keyOf(latest.bestTicks!) >= key) return null;
    this.nearest.add(this.knowing(key));
    latest.bestTicks = priceTicks;
    return latest;
  }

  /** The next stop that this price triggers. */
  reachedBy(priceTicks: number): S | undefined {
    const group = this.nearest.peek();
    return group !== undefined && group.triggerKey >= this.keyOf(priceTicks) ? group.first : undefined;
  }

  private keyOf(ticks: number): number {
    return this.sign * ticks;
  }

  /** The group of those that know this price, which has become that of all who know none as good. Not in `nearest`. */
  private knowing(key: number): Group<S> {
    let group: Group<S> | null = null;
    for (
      let last = this.groups.at(-1);
      last !== undefined && last.bestKey <= key;
      last = this.groups.at(-1)
    ) {
      this.groups.pop();
      this.nearest.remove(last);
      group = group === null ? last : this.merged(group, last);
    }
    group ??= new Group<S>(key);
    group.bestKey = key;
    this.groups.push(group);
    return group;
  }

  /** Moves the smaller group's stops, so that each stop moves a few times in its life at most. */
  private merged(a: Group<S>, b: Group<S>): Group<S> {
    const [kept, other] = a.size >= b.size ? [a, b] : [b, a];
    for (const stop of other.stops()) {
      other.heapFor(stop).remove(stop);
      this.put(kept, stop);
    }
    return kept;
  }

  private put(group: Group<S>, stop: S): void {
    group.heapFor(stop).add(stop);
    this.groupOf.set(stop, group);
  }
}

/** Stops that know the same best price. */
class Group<S extends TrailingStop> {
  heapIndex = -1;
  /** Of two stops of one kind the nearer one is the same, whatever the best price. */
  private readonly byTicks = new Heap<'stopIndex', S>('stopIndex', (a, b) => isNearer(a, b, 'trailingTicks'));
  private readonly byBps = new Heap<'stopIndex', S>('stopIndex', (a, b) => isNearer(a, b, 'trailingBps'));

  constructor(public bestKey: number) {}

  get size(): number {
    return this.byTicks.size + this.byBps.size;
  }

  heapFor(stop: S): Heap<'stopIndex', S> {
    return stop.trailingTicks === null ? this.byBps : this.byTicks;
  }

  stops(): S[] {
    return [...this.byTicks.entries(), ...this.byBps.entries()];
  }

  /** The stop that a price going back reaches first. */
  get first(): S | undefined {
    const ticks = this.byTicks.peek();
    const bps = this.byBps.peek();
    if (ticks === undefined || bps === undefined) return ticks ?? bps;
    return this.triggerKeyOf(ticks) >= this.triggerKeyOf(bps) ? ticks : bps;
  }

  get triggerKey(): number {
    const { first } = this;
    return first === undefined ? -Infinity : this.triggerKeyOf(first);
  }

  private triggerKeyOf(stop: S): number {
    return this.bestKey - trailingDistance(stop, Math.abs(this.bestKey));
  }
}

function isNearer<S extends TrailingStop>(a: S, b: S, distance: 'trailingTicks' | 'trailingBps'): boolean {
  const difference = a[distance]! - b[distance]!;
  return difference < 0 || (difference === 0 && a.orderId < b.orderId);
}
