import { beforeEach, describe, expect, it } from 'vitest';
import { InFlight } from './in-flight.js';
import { OWNER_TURN_MAX } from './loop-turns.js';
import type { Flight, Owner } from './owner.js';

const ONE: Owner = ['user:1'];
const OTHER: Owner = ['user:2'];
const REFUSED = expect.objectContaining({ code: 'too_many_in_flight', retryAfterS: 1 });

describe('InFlight', () => {
  // Each test begins in a turn of the loop of its own.
  beforeEach(() => new Promise(setImmediate));

  it('refuses what one owner has beyond the maximum, and nothing of others', () => {
    const inFlight = new InFlight({ ownerWaitingMax: 2 });
    const first = inFlight.begin(ONE);
    inFlight.begin(ONE);
    expect(() => inFlight.begin(ONE)).toThrow(REFUSED);
    inFlight.begin(OTHER);
    first.end();
    first.end();
    inFlight.begin(ONE);
    expect(() => inFlight.begin(ONE)).toThrow(REFUSED);
  });

  it('lets so many of one owner begin in a turn of the event loop, the others in the next ones, and does not keep others waiting', async () => {
    const inFlight = new InFlight({ ownerWaitingMax: 3 * OWNER_TURN_MAX });
    const begun: number[] = [];
    const begin = (owner: Owner, number: number): Flight => {
      const flight = inFlight.begin(owner);
      if (flight.turn === undefined) begun.push(number);
      else void flight.turn.then(() => begun.push(number));
      return flight;
    };
    const numbers = Array.from({ length: 3 * OWNER_TURN_MAX }, (_, i) => i);
    for (const number of numbers.slice(0, -1)) begin(ONE, number);
    begin(OTHER, 1_000);
    expect(begun).toEqual([...numbers.slice(0, OWNER_TURN_MAX), 1_000]);
    await new Promise(setImmediate);
    // Comes while others of the owner wait, and so behind them.
    begin(ONE, numbers.at(-1)!);
    expect(begun.slice(OWNER_TURN_MAX + 1)).toEqual(numbers.slice(OWNER_TURN_MAX, 2 * OWNER_TURN_MAX));
    await new Promise(setImmediate);
    expect(begun.slice(2 * OWNER_TURN_MAX + 1)).toEqual(numbers.slice(2 * OWNER_TURN_MAX));
  });
});
