import { invariant } from '../invariant.js';

/**
 * A binary heap that can remove any entry: each entry stores its index in the property `slot`, -1 while it is in no
 * heap. The order must be total, so that the output does not depend on how the heap was filled.
 */
export class Heap<Slot extends string, E extends Record<Slot, number>> {
  private readonly heap: E[] = [];

  constructor(
    private readonly slot: Slot,
    private readonly isBefore: (a: E, b: E) => boolean,
  ) {}

  get size(): number {
    return this.heap.length;
  }

  peek(): E | undefined {
    return this.heap[0];
  }

  /** In no particular order. */
  entries(): readonly E[] {
    return [...this.heap];
  }

  add(entry: E): void {
    invariant(entry[this.slot] === -1, 'an entry is in one heap at a time', this.slot, entry[this.slot]);
    this.heap.push(entry);
    this.place(entry, this.heap.length - 1);
    this.rise(entry);
  }

  /** Does nothing if the entry is not in this heap. */
  remove(entry: E): void {
    const index: number = entry[this.slot];
    if (this.heap[index] !== entry) return;
    const last = this.heap.pop()!;
    this.place(entry, -1);
    if (last === entry) return;
    this.heap[index] = last;
    this.place(last, index);
    this.rise(last);
    this.sink(last);
  }

  private rise(entry: E): void {
    for (let index: number = entry[this.slot]; index > 0; index = entry[this.slot]) {
      const parent = this.heap[(index - 1) >> 1]!;
      if (!this.isBefore(entry, parent)) return;
      this.swap(entry, parent);
    }
  }

  private sink(entry: E): void {
    for (;;) {
      const index: number = entry[this.slot];
      const left = this.heap[2 * index + 1];
      if (left === undefined) return;
      const right = this.heap[2 * index + 2];
      const child = right !== undefined && this.isBefore(right, left) ? right : left;
      if (!this.isBefore(child, entry)) return;
      this.swap(entry, child);
    }
  }

  private swap(a: E, b: E): void {
    const index: number = a[this.slot];
    const other: number = b[this.slot];
    this.heap[other] = a;
    this.heap[index] = b;
    this.place(a, other);
    this.place(b, index);
  }

  private place(entry: Record<Slot, number>, index: number): void {
    entry[this.slot] = index;
  }
}
