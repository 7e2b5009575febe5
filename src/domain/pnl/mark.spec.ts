import { describe, expect, it } from 'vitest';
import { exitMark, NO_MARK } from './mark.js';

const prices = { bestBid: 99n, bestAsk: 101n, lastPrice: 100n };

describe('exitMark', () => {
  it.each([
    ['a long position at the best bid', 1, prices, { price: 99n, source: 'best_bid' }],
    ['a short position at the best ask', -1, prices, { price: 101n, source: 'best_ask' }],
    [
      'a long one at the last price where nobody bids',
      1,
      { ...prices, bestBid: null },
      { price: 100n, source: 'last_price' },
    ],
    [
      'a short one at the last price where nobody offers',
      -1,
      { ...prices, bestAsk: null },
      { price: 100n, source: 'last_price' },
    ],
    ['none where there is no price at all', 1, { bestBid: null, bestAsk: 1n, lastPrice: null }, NO_MARK],
    ['none where the position is flat', 0, prices, NO_MARK],
  ] as const)('marks %s', (_what, sizeLots, exits, mark) => {
    expect(exitMark(sizeLots, exits)).toEqual(mark);
  });
});
