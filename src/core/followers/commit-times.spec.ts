import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommitTimes } from './commit-times.js';

/** By how much time and the sequence advance from one commit to the next. */
const ADVANCES = fc.array(fc.tuple(fc.integer({ min: 20, max: 90 }), fc.integer({ min: 1, max: 9 })), {
  minLength: 1,
  maxLength: 60,
});

describe('times of commits', () => {
  it('tell the place at any moment, and the moment of any place', () => {
    fc.assert(
      fc.property(
        ADVANCES,
        fc.integer({ min: 0, max: 6_000 }),
        fc.integer({ min: 0, max: 600 }),
        (advances, atMs, sequence) => {
          const times = new CommitTimes();
          const commits: { atMs: number; sequence: number }[] = [];
          let last = { atMs: 0, sequence: 0 };
          for (const [ms, places] of advances) {
            last = { atMs: last.atMs + ms, sequence: last.sequence + places };
            commits.push(last);
            times.note(last.sequence, last.atMs);
          }
          const before = commits.filter((commit) => commit.atMs <= atMs);
          expect(times.sequenceAt(atMs)).toBe((before.at(-1) ?? commits[0]!).sequence);
          const after = commits.filter((commit) => commit.sequence > sequence);
          expect(times.firstAfter(sequence)).toBe(after[0]?.atMs ?? null);
        },
      ),
    );
  });

  it('tell nothing before the first', () => {
    const times = new CommitTimes();
    expect([times.sequence, times.sequenceAt(5), times.firstAfter(0)]).toEqual([0, 0, null]);
  });
});
