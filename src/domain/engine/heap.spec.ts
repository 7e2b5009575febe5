import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.js';

interface Entry {
  readonly rank: number;
  place: number;
}

describe('Heap', () => {
  it('has the first on top, whatever is added and taken out, from the middle too', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000 }), fc.boolean(), fc.nat(1_000)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (taken) => {
        const heap = new Heap<'place', Entry>('place', (a, b) => a.rank < b.rank);
        const inside: Entry[] = [];
        for (const [rank, isTakenOut, pick] of taken) {
          if (isTakenOut && inside.length > 0) {
            const [entry] = inside.splice(pick % inside.length, 1);
            heap.remove(entry!);
            heap.remove(entry!);
            expect(entry!.place).toBe(-1);
          } else {
            const entry = { rank, place: -1 };
            heap.add(entry);
            inside.push(entry);
          }
          expect(heap.size).toBe(inside.length);
          expect(heap.peek()?.rank).toBe(inside.map((entry) => entry.rank).sort((a, b) => a - b)[0]);
        }
      }),
    );
  });

  it('leaves alone what is in another heap', () => {
    const [one, other] = [0, 1].map(() => new Heap<'place', Entry>('place', (a, b) => a.rank < b.rank));
    const [here, there] = [1, 2].map((rank): Entry => ({ rank, place: -1 }));
    one!.add(here!);
    other!.add(there!);
    one!.remove(there!);
    expect([one!.size, other!.size]).toEqual([1, 1]);
  });
});
