import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CoverEntry, CoverQueue } from './cover-queue.js';

interface Entry extends CoverEntry {
  lots: number;
  unitCost: bigint;
  covered: number;
}

type Step =
  | { readonly kind: 'add'; readonly lots: number; readonly unitCost: number }
  | { readonly kind: 'set'; readonly pick: number; readonly lots: number; readonly unitCost: number }
  | { readonly kind: 'cover'; readonly lots: number };

const lots = fc.integer({ min: 1, max: 20 });
const unitCost = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), lots, unitCost }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('set' as const), pick: fc.nat(), lots: fc.nat(20), unitCost }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cover' as const), lots: fc.nat(300) }) },
);

describe('CoverQueue', () => {
  it('agrees with walking through all orders, whatever comes, changes and goes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const queue = new CoverQueue<Entry>();
        let entries: Entry[] = [];
        let cover = 0;
        for (const one of steps) {
          if (one.kind === 'add') {
            const entry = { coverSlot: -1, lots: one.lots, unitCost: BigInt(one.unitCost), covered: 0 };
            entries.push(entry);
            queue.set(entry, entry.lots, entry.unitCost);
            queue.cover(cover).forEach((changed) => (changed.covered = shareOf(queue, changed, cover)));
            entry.covered = shareOf(queue, entry, cover);
          } else if (one.kind === 'set') {
            const entry = entries[one.pick % entries.length];
            if (entry === undefined) continue;
            entry.lots = one.lots;
            entry.unitCost = BigInt(one.unitCost);
            queue.set(entry, entry.lots, entry.unitCost);
            if (entry.lots === 0) entries = entries.filter((other) => other !== entry);
            queue.cover(cover).forEach((changed) => (changed.covered = shareOf(queue, changed, cover)));
            entry.covered = shareOf(queue, entry, cover);
          } else {
            cover = one.lots;
            queue.cover(cover).forEach((changed) => (changed.covered = shareOf(queue, changed, cover)));
          }
          compare(queue, entries, cover);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('answers what would be, and is as it was after that', () => {
    const queue = new CoverQueue<Entry>();
    const entries = [5, 7, 9].map((lots): Entry => ({ coverSlot: -1, lots, unitCost: 2n, covered: 0 }));
    for (const entry of entries) queue.set(entry, entry.lots, entry.unitCost);
    queue.put(entries[1]!, 0, 2n);
    expect([queue.totalLots, queue.costOfFirst(6)]).toEqual([14, 12n]);
    queue.put(entries[1]!, 7, 2n);
    compare(queue, entries, 0);
  });
});

function shareOf(queue: CoverQueue<Entry>, entry: Entry, cover: number): number {
  if (entry.coverSlot < 0) return 0;
  return Math.min(entry.lots, Math.max(0, cover - queue.lotsBefore(entry)));
}

function compare(queue: CoverQueue<Entry>, entries: readonly Entry[], cover: number): void {
  let before = 0;
  let cost = 0n;
  for (const entry of entries) {
    expect(queue.lotsBefore(entry)).toBe(before);
    expect(entry.covered).toBe(Math.min(entry.lots, Math.max(0, cover - before)));
    for (const part of [1, entry.lots >> 1, entry.lots])
      expect(queue.costOfFirst(before + part)).toBe(cost + BigInt(part) * entry.unitCost);
    before += entry.lots;
    cost += BigInt(entry.lots) * entry.unitCost;
  }
  expect(queue.costOfFirst(0)).toBe(0n);
  expect(queue.costOfFirst(before + 1)).toBe(cost);
  expect([queue.totalLots, queue.totalCost]).toEqual([before, cost]);
}
