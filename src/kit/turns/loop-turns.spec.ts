import { describe, expect, it } from 'vitest';
import { LoopTurns, OWNER_TURN_MAX } from './loop-turns.js';
import type { Owner } from './owner.js';

const ONE: Owner = ['user:1'];
const OTHER: Owner = ['user:2'];

describe('LoopTurns', () => {
  /** Begins things of owners, and tells in which order they began. */
  function follow() {
    const turns = new LoopTurns();
    const begun: string[] = [];
    const begin = (owner: Owner, what: string, options?: Parameters<LoopTurns['turnOf']>[1]): void => {
      const turn = turns.turnOf(owner, options);
      if (turn === undefined) begun.push(what);
      else void turn.then(() => begun.push(what));
    };
    return { begun, begin, nextTurn: () => new Promise(setImmediate) };
  }

  it('count large things as the work that they are, and let others begin beside them', async () => {
    const { begun, begin, nextTurn } = follow();
    for (const what of ['large 1', 'large 2', 'large 3']) begin(ONE, what, { requests: OWNER_TURN_MAX });
    begin(OTHER, 'small');
    expect(begun).toEqual(['large 1', 'small']);
    await nextTurn();
    expect(begun.slice(2)).toEqual(['large 2']);
    await nextTurn();
    expect(begun.slice(3)).toEqual(['large 3']);
  });

  it('let an owner end what it has begun before it begins more', async () => {
    const { begun, begin, nextTurn } = follow();
    begin(ONE, 'large', { requests: OWNER_TURN_MAX });
    begin(ONE, 'begins');
    begin(ONE, 'ends', { isEnd: true });
    expect(begun).toEqual(['large']);
    await nextTurn();
    expect(begun).toEqual(['large', 'ends', 'begins']);
  });

  it('keep the order in which things came, also where small ones would still fit', async () => {
    const { begun, begin, nextTurn } = follow();
    begin(ONE, 'first', { requests: OWNER_TURN_MAX });
    begin(ONE, 'second', { requests: OWNER_TURN_MAX });
    begin(ONE, 'third', { requests: 1 / 4 });
    await nextTurn();
    begin(ONE, 'fourth', { requests: 1 / 4 });
    expect(begun).toEqual(['first', 'second']);
    await nextTurn();
    expect(begun).toEqual(['first', 'second', 'third', 'fourth']);
  });
});
