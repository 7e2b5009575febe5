/** A binary heap of things that fall due, earliest first, from which any entry can be taken out. */
export interface DueEntry {
  dueMs: number;
  /** These two break ties, so that what is due at the same time happens in a fixed order. */
  readonly dueOrder: number;
  readonly dueName: string;
  /** Kept by the queue; -1 while not in it. */
  dueIndex: number;
}

export class DueQueue<E extends DueEntry> {
  private readonly heap: E[] = [];

  get size(): number {
    return this.heap.length;
  }

  /** In no particular order. */
  entries(): readonly E[] {
    return [...this.heap];
  }

  peek(): E | undefined {
    return this.heap[0];
  }

  add(entry: E): void {
    entry.dueIndex = this.heap.length;
    this.heap.push(entry);
    this.rise(entry);
  }

  remove(entry: E): void {
    const index = entry.dueIndex;
    if (index < 0) return;
    const last = this.heap.pop()!;
    entry.dueIndex = -1;
    if (last === entry) return;
    this.heap[index] = last;
    last.dueIndex = index;
    this.rise(last);
    this.sink(last);
  }

  private rise(entry: E): void {
    while (entry.dueIndex > 0) {
      const parent = this.heap[(entry.dueIndex - 1) >> 1]!;
      if (!isBefore(entry, parent)) return;
      this.swap(entry, parent);
    }
  }

  private sink(entry: E): void {
    for (;;) {
      const left = this.heap[2 * entry.dueIndex + 1];
      if (left === undefined) return;
      const right = this.heap[2 * entry.dueIndex + 2];
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, entry)) return;
      this.swap(entry, child);
    }
  }

  private swap(a: E, b: E): void {
    const index = a.dueIndex;
    this.heap[b.dueIndex] = a;
    this.heap[index] = b;
    a.dueIndex = b.dueIndex;
    b.dueIndex = index;
  }
}

function isBefore(a: DueEntry, b: DueEntry): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  return a.dueOrder < b.dueOrder || (a.dueOrder === b.dueOrder && a.dueName < b.dueName);
}
