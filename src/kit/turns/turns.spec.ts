import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Owner } from './owner.js';
import { Turns } from './turns.js';

interface Item {
  readonly owner: Owner;
  readonly number: number;
}

const OWNERS: readonly Owner[] = [
  ['user:1'],
  ['user:2'],
  ['user:3'],
  ['strangers', '192.0.2.0/24', '192.0.2.1'],
  ['strangers', '2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:1::/64'],
  ['strangers', '2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64'],
  ['strangers', '2001:db8::/32', '2001:db8:2::/48', '2001:db8:2:1::/64'],
];
const anyOwner = fc.constantFrom(...OWNERS);
const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: anyOwner }, { weight: 2, arbitrary: fc.constant(null) }),
  {
    maxLength: 200,
  },
);

/** Each group that the owner is in, and the owner itself, as `parent name`. */
function placesOf(owner: Owner): [string, string][] {
  return owner.map((name, depth) => [owner.slice(0, depth).join(' '), name]);
}

describe('Turns', () => {
  it('pass nobody over more than once while another is served, at each level, and keep the order of each owner', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const turns = new Turns<Item>();
        const waiting: Item[] = [];
        /** By `parent waiting name`, how often each neighbour was served since its turn or since it came. */
        const passedBy = new Map<string, Map<string, number>>();
        const isWaiting = (parent: string, name: string): boolean =>
          waiting.some(({ owner }) =>
            placesOf(owner).some((place) => place[0] === parent && place[1] === name),
          );
        let number = 0;
        for (const owner of [...taken, ...taken.map(() => null)]) {
          if (owner !== null) {
            for (const [parent, name] of placesOf(owner))
              if (!isWaiting(parent, name)) passedBy.set(`${parent} ${name}`, new Map());
            const item = { owner, number: number++ };
            turns.add(owner, item);
            waiting.push(item);
            continue;
          }
          const item = turns.next();
          if (item === undefined) {
            expect(waiting).toEqual([]);
            continue;
          }
          expect(item).toBe(waiting.find((each) => each.owner === item.owner));
          waiting.splice(waiting.indexOf(item), 1);
          for (const [parent, served] of placesOf(item.owner)) {
            const neighbours = new Set(
              waiting.flatMap((each) =>
                placesOf(each.owner).flatMap(([of, name]) => (of === parent ? [name] : [])),
              ),
            );
            for (const name of neighbours) {
              const passed = passedBy.get(`${parent} ${name}`)!;
              if (name === served) passed.clear();
              else passed.set(served, (passed.get(served) ?? 0) + 1);
              expect(passed.get(served) ?? 0).toBeLessThanOrEqual(1);
            }
          }
          expect(turns.size).toBe(waiting.length);
          expect(turns.sizeOf(item.owner)).toBe(waiting.filter((each) => each.owner === item.owner).length);
        }
      }),
    );
  });

  it('keep the turn of who may not run now', () => {
    const turns = new Turns<Item>();
    for (const [number, name] of ['a', 'b', 'a', 'b'].entries()) turns.add([name], { owner: [name], number });
    expect(turns.next((name) => name !== 'a')?.number).toBe(1);
    expect(turns.next()?.number).toBe(0);
    expect(turns.next()?.number).toBe(3);
    expect(turns.next()?.number).toBe(2);
  });

  it('make room at the cost of whoever has the most, and of nobody who has no more than the newcomer', () => {
    fc.assert(
      fc.property(fc.array(anyOwner, { minLength: 1, maxLength: 60 }), anyOwner, (owners, newcomer) => {
        const turns = new Turns<Item>();
        for (const [number, owner] of owners.entries()) turns.add(owner, { owner, number });
        const displaced = turns.displaceFor(newcomer);
        const sizeAt = (owner: Owner, depth: number): number =>
          owners.filter((each) => each.slice(0, depth).join() === owner.slice(0, depth).join()).length;
        if (displaced === undefined) {
          for (const other of owners) {
            const parting = other.findIndex((name, depth) => name !== newcomer[depth]);
            if (parting >= 0)
              expect(sizeAt(other, parting + 1)).toBeLessThanOrEqual(sizeAt(newcomer, parting + 1) + 1);
          }
          expect(turns.size).toBe(owners.length);
          return;
        }
        const parting = displaced.owner.findIndex((name, depth) => name !== newcomer[depth]);
        expect(sizeAt(displaced.owner, parting + 1)).toBeGreaterThan(sizeAt(newcomer, parting + 1) + 1);
        expect(displaced.number).toBe(owners.lastIndexOf(displaced.owner));
        expect(turns.size).toBe(owners.length - 1);
        let left = 0;
        while (turns.next() !== undefined) left++;
        expect(left).toBe(owners.length - 1);
      }),
    );
  });
});
