import { describe, expect, it } from 'vitest';
import type { JournalRow } from './journal.js';
import { RecentRows } from './recent-rows.js';

const ALL = { limit: 100, untilSequence: 1_000, beginsBy: 1_000 };

/** Rows of two places each: 1 and 2, 3 and 4, and so on. */
function rowsOf(count: number): JournalRow[] {
  return Array.from({ length: count }, (_, place) => ({
    firstSequence: 2 * place + 1,
    lastSequence: 2 * place + 2,
    engineVersion: 1,
    timeMs: place,
    commands: '[]',
    actors: null,
    effects: Buffer.alloc(10),
    stateHash: '',
    stateParts: '',
    previousHash: String(place),
    hash: String(place + 1),
  }));
}

function recentOf(rows: readonly JournalRow[], ...bounds: number[]): RecentRows {
  const recent = new RecentRows(...bounds);
  for (const row of rows) recent.add(row);
  return recent;
}

const lastsOf = (rows: readonly { readonly lastSequence: number }[]) =>
  rows.map(({ lastSequence }) => lastSequence);

describe('rows that were committed lately', () => {
  it('are the next ones after a sequence, without their commands', () => {
    const recent = recentOf(rowsOf(3));
    const taken = recent.take({ ...ALL, afterSequence: 2 });
    expect(lastsOf(taken)).toEqual([4, 6]);
    expect(taken[0]).not.toHaveProperty('commands');
    // Whoever failed asks again; what came before is forgotten.
    expect(lastsOf(recent.take({ ...ALL, afterSequence: 2 }))).toEqual([4, 6]);
    expect(recent.take({ ...ALL, afterSequence: 0 })).toEqual([]);
    expect(recent.take({ ...ALL, afterSequence: 6 })).toEqual([]);
  });

  it('are none where what comes next is not among them', () => {
    expect(recentOf(rowsOf(3).slice(1)).take({ ...ALL, afterSequence: 0 })).toEqual([]);
  });

  it('are no more than are wanted', () => {
    const taken = (range: object) =>
      lastsOf(recentOf(rowsOf(4)).take({ ...ALL, afterSequence: 0, ...range }));
    expect(taken({ limit: 2 })).toEqual([2, 4]);
    expect(taken({ untilSequence: 6 })).toEqual([2, 4, 6]);
    expect(taken({ beginsBy: 3 })).toEqual([2, 4]);
  });

  it.each([
    ['bytes', 20, 100],
    ['rows', 1_000, 2],
  ])('are left out once there are too many %s, until those that are there were followed', (_, ...bounds) => {
    const rows = rowsOf(5);
    const recent = recentOf(rows.slice(0, 3), ...bounds);
    expect(lastsOf(recent.take({ ...ALL, afterSequence: 0 }))).toEqual([2, 4]);
    expect(lastsOf(recent.take({ ...ALL, afterSequence: 2 }))).toEqual([4]);
    // There is room, but the third is missing.
    recent.add(rows[3]!);
    expect(lastsOf(recent.take({ ...ALL, afterSequence: 2 }))).toEqual([4]);
    expect(recent.take({ ...ALL, afterSequence: 8 })).toEqual([]);
    recent.add(rows[4]!);
    expect(lastsOf(recent.take({ ...ALL, afterSequence: 8 }))).toEqual([10]);
  });
});
