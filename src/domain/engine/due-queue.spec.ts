import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueEntry, DueQueue } from './due-queue.js';

function entryOf(dueMs: number, dueOrder = 0, dueName = ''): DueEntry {
  return { dueMs, dueOrder, dueName, dueIndex: -1 };
}

function drain(queue: DueQueue<DueEntry>): DueEntry[] {
  const drained: DueEntry[] = [];
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    queue.remove(next);
    drained.push(next);
  }
  return drained;
}

function inOrder(entries: readonly DueEntry[]): DueEntry[] {
  return entries.toSorted(
    (a, b) => a.dueMs - b.dueMs || a.dueOrder - b.dueOrder || a.dueName.localeCompare(b.dueName),
  );
}

describe('DueQueue', () => {
  it('gives the earliest first; ties by order, then by name', () => {
    const queue = new DueQueue<DueEntry>();
    const [later, second, first, named] = [entryOf(20), entryOf(10, 2), entryOf(10, 1), entryOf(10, 1, 'B')];
    for (const entry of [later, named, second, first]) queue.add(entry);
    expect(drain(queue)).toEqual([first, named, second, later]);
    expect(queue.size).toBe(0);
    expect(queue.peek()).toBeUndefined();
  });

  it('takes out any entry, once', () => {
    const queue = new DueQueue<DueEntry>();
    const entries = [entryOf(3), entryOf(1), entryOf(2)];
    for (const entry of entries) queue.add(entry);
    queue.remove(entries[1]!);
    queue.remove(entries[1]!);
    expect(drain(queue)).toEqual([entries[2], entries[0]]);
  });

  it('agrees with sorting, whatever comes and goes, in whatever order it was filled', () => {
    const entries = fc.array(fc.tuple(fc.nat(5), fc.nat(3), fc.constantFrom('', 'A', 'B'), fc.boolean()), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(entries, (tuples) => {
        const queue = new DueQueue<DueEntry>();
        const all = tuples.map(([dueMs, dueOrder, dueName]) => entryOf(dueMs, dueOrder, dueName));
        for (const entry of all) queue.add(entry);
        const kept = all.filter((entry, index) => {
          if (tuples[index]![3]) queue.remove(entry);
          return !tuples[index]![3];
        });
        const keys = (list: readonly DueEntry[]): string[] =>
          list.map(({ dueMs, dueOrder, dueName }) => `${dueMs}/${dueOrder}/${dueName}`);
        expect(keys(drain(queue))).toEqual(keys(inOrder(kept)));
      }),
    );
  });
});
