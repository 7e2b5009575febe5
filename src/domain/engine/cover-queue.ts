import { invariant } from '../invariant.js';

/**
 * The priced orders of one account on one side of an event market, in order of acceptance: a position covers their
 * first lots. Fenwick trees keep prefix sums, so that a query or a change costs O(log n).
 */
export interface CoverEntry {
  /** Set by the queue; -1 while not in it. */
  coverSlot: number;
}

const SLOTS_MIN = 8;

export class CoverQueue<E extends CoverEntry> {
  totalLots = 0;
  /** The cost of opening all of them. */
  totalCost = 0n;
  private slots: (E | undefined)[] = [];
  private lots: number[] = [];
  private unitCosts: bigint[] = [];
  /** Sums of the tree's nodes, from index 1 on. */
  private lotSums: number[] = [0];
  private costSums: bigint[] = [0n];
  private capacity = 0;
  /** Slots from this one on have no covered order. */
  private coveredEnd = 0;

  /**
   * Sets the remaining lots of an order and the cost of opening one lot. An order with no lots leaves; a new order goes
   * last.
   */
  set(entry: E, lots: number, unitCost: bigint): void {
    if (entry.coverSlot >= 0) this.put(entry, lots, unitCost);
    else if (lots > 0) this.append(entry, lots, unitCost);
    if (lots > 0 || entry.coverSlot < 0) return;
    this.slots[entry.coverSlot] = undefined;
    entry.coverSlot = -1;
  }

  /** Keeps the place of a new order that has no lots yet. */
  reserve(entry: E): void {
    if (entry.coverSlot < 0) this.append(entry, 0, 0n);
  }

  /** Replaces an order's figures in place, for the duration of a what-if calculation. */
  put(entry: E, lots: number, unitCost: bigint): void {
    const { coverSlot } = entry;
    invariant(this.slots[coverSlot] === entry && lots >= 0, 'an order has its place in the cover', lots);
    const moreLots = lots - this.lots[coverSlot]!;
    const moreCost = BigInt(lots) * unitCost - BigInt(this.lots[coverSlot]!) * this.unitCosts[coverSlot]!;
    this.lots[coverSlot] = lots;
    this.unitCosts[coverSlot] = unitCost;
    this.add(coverSlot, moreLots, moreCost);
  }

  /** Lots of the orders accepted before this one; of all orders if it is not in the queue. */
  lotsBefore({ coverSlot }: E): number {
    return coverSlot < 0 ? this.totalLots : this.lotsUpTo(coverSlot);
  }

  /** The cost of opening the first `lots` lots. */
  costOfFirst(lots: number): bigint {
    if (lots >= this.totalLots) return this.totalCost;
    let cost = 0n;
    let rest = lots;
    const slot = this.descend(lots, (node) => {
      cost += this.costSums[node]!;
      rest -= this.lotSums[node]!;
    });
    return rest > 0 ? cost + BigInt(rest) * this.unitCosts[slot]! : cost;
  }

  /** Moves the cover to the first `lots` lots, and returns the orders whose cover may have changed. */
  cover(lots: number): E[] {
    const end = Math.min(this.slots.length, lots > 0 ? this.descend(lots) + 1 : 0);
    const first = Math.max(0, Math.min(end, this.coveredEnd) - 1);
    const last = Math.max(end, this.coveredEnd);
    this.coveredEnd = end;
    return this.slots.slice(first, last).filter((entry) => entry !== undefined);
  }

  private append(entry: E, lots: number, unitCost: bigint): void {
    if (this.slots.length === this.capacity) this.compact();
    entry.coverSlot = this.slots.length;
    this.slots.push(entry);
    this.lots.push(lots);
    this.unitCosts.push(unitCost);
    this.add(entry.coverSlot, lots, BigInt(lots) * unitCost);
  }

  /** Drops empty slots and doubles the capacity: amortized, each new order moves a bounded number of others. */
  private compact(): void {
    const old = { slots: this.slots, lots: this.lots, unitCosts: this.unitCosts };
    const kept = old.slots.flatMap((entry, slot) => (entry === undefined ? [] : [slot]));
    this.coveredEnd = kept.filter((slot) => slot < this.coveredEnd).length;
    this.capacity = SLOTS_MIN;
    while (this.capacity < 2 * kept.length) this.capacity *= 2;
    this.slots = kept.map((slot) => old.slots[slot]);
    this.lots = kept.map((slot) => old.lots[slot]!);
    this.unitCosts = kept.map((slot) => old.unitCosts[slot]!);
    this.slots.forEach((entry, slot) => (entry!.coverSlot = slot));
    this.lotSums = new Array<number>(this.capacity + 1).fill(0);
    this.costSums = new Array<bigint>(this.capacity + 1).fill(0n);
    for (let node = 1; node <= this.capacity; node++) {
      const lots = this.lots[node - 1] ?? 0;
      this.lotSums[node]! += lots;
      this.costSums[node]! += BigInt(lots) * (this.unitCosts[node - 1] ?? 0n);
      const parent = node + (node & -node);
      if (parent > this.capacity) continue;
      this.lotSums[parent]! += this.lotSums[node]!;
      this.costSums[parent]! += this.costSums[node]!;
    }
  }

  private add(slot: number, lots: number, cost: bigint): void {
    if (lots === 0 && cost === 0n) return;
    this.totalLots += lots;
    this.totalCost += cost;
    invariant(this.totalLots >= 0, 'the orders that a position covers have lots', this.totalLots);
    for (let node = slot + 1; node <= this.capacity; node += node & -node) {
      this.lotSums[node]! += lots;
      this.costSums[node]! += cost;
    }
  }

  private lotsUpTo(slot: number): number {
    let lots = 0;
    for (let node = slot; node > 0; node -= node & -node) lots += this.lotSums[node]!;
    return lots;
  }

  /** Finds the slot in which the first `lots` lots end; calls `onWhole` for each node that lies within them. */
  private descend(lots: number, onWhole: (node: number) => void = () => undefined): number {
    let slot = 0;
    let rest = lots;
    for (let step = this.capacity; step >= 1; step >>= 1) {
      const node = slot + step;
      if (node > this.capacity || this.lotSums[node]! >= rest) continue;
      slot = node;
      rest -= this.lotSums[node]!;
      onWhole(node);
    }
    return slot;
  }
}
