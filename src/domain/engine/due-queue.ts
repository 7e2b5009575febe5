/** A queue of things by due time, earliest first. */
import { Heap } from './heap.js';

export interface DueEntry {
  dueMs: number;
  /** These two break ties, so that things due at the same time are processed in a fixed order. */
  readonly dueOrder: number;
  readonly dueName: string;
  /** Set by the queue; -1 while not in it. */
  dueIndex: number;
}

export class DueQueue<E extends DueEntry> extends Heap<'dueIndex', E> {
  constructor() {
    super('dueIndex', isBefore);
  }
}

function isBefore(a: DueEntry, b: DueEntry): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  return a.dueOrder < b.dueOrder || (a.dueOrder === b.dueOrder && a.dueName < b.dueName);
}
