import { describe, expect, it } from 'vitest';
import { hasRoom, type Seat, SESSIONS_MAX, SESSIONS_PER_OWNER_MAX } from './session-room.js';

const PER_NETWORK_MAX = 20;

/** Each from a network of its own. */
const seats = (count: number, owner: (i: number) => string): Seat[] =>
  Array.from({ length: count }, (_, i) => ({ network: `network ${i}`, owner: owner(i) }));
const isLetIn = (taken: readonly Seat[], newcomer: Seat): boolean =>
  hasRoom(taken, newcomer, PER_NETWORK_MAX);

describe('the room for FIX sessions', () => {
  it('leaves three quarters of it to others than one person, who comes from any number of networks', () => {
    const taken = seats(SESSIONS_PER_OWNER_MAX, () => 'user:1');
    expect(isLetIn(taken, { network: 'another', owner: 'user:1' })).toBe(false);
    expect(isLetIn(taken, { network: 'another', owner: 'user:2' })).toBe(true);
    expect(isLetIn(taken.slice(1), { network: 'another', owner: 'user:1' })).toBe(true);
    expect(SESSIONS_PER_OWNER_MAX).toBe(250);
  });

  it('ends somewhere, for a network and for all', () => {
    const crowd = seats(SESSIONS_MAX, (i) => `user:${i}`);
    expect(isLetIn(crowd, { network: 'another' })).toBe(false);
    expect(isLetIn(crowd.slice(1), { network: 'another' })).toBe(true);
    const office = seats(PER_NETWORK_MAX, (i) => `user:${i}`).map((seat) => ({ ...seat, network: 'office' }));
    expect(isLetIn(office, { network: 'office' })).toBe(false);
    expect(isLetIn(office, { network: 'another' })).toBe(true);
  });
});
