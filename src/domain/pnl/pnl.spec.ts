import { describe, expect, it } from 'vitest';
import { amountOf } from '../money/amount.js';
import { NO_MARK } from './mark.js';
import { addPnl, NO_PNL, pnlBetween, unrealizedAt } from './pnl.js';
import { NOTHING_TRADED } from './traded-position.js';

const ONE = amountOf('1');
const held = {
  ...NOTHING_TRADED,
  sizeLots: 10,
  average_cost: { ...NOTHING_TRADED.average_cost, costBasis: 5n * ONE },
};

describe('the value of an open position', () => {
  it('is its profit at the mark', () => {
    const mark = { price: amountOf('0.7'), source: 'best_bid' } as const;
    expect(unrealizedAt(held, 'average_cost', ONE, mark)).toBe(2n * ONE);
  });

  it('is unknown without a mark, as after a split in a market that never traded', () => {
    expect(unrealizedAt(held, 'average_cost', ONE, NO_MARK)).toBeNull();
  });

  it('makes the net and each sum unknown where it is, and nothing else', () => {
    const unknown = pnlBetween(NOTHING_TRADED, { ...held, fees: 3n }, 'average_cost', null);
    expect(unknown).toEqual({ realized: 0n, unrealized: null, fees: 3n, net: null });
    expect(addPnl({ ...NO_PNL, unrealized: 1n, net: 1n }, unknown)).toEqual(unknown);
  });
});
