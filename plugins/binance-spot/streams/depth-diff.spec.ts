import { describe, expect, it } from 'vitest';
import type { MarketChange } from '../../../src/index.js';
import { DepthDiff } from './depth-diff.js';

const change = (previous: number, sequence: number, more: Partial<MarketChange>): MarketChange => ({
  market_id: 'BTC-USD',
  previous_sequence: previous,
  sequence,
  timestamp: '2026-11-01T00:00:00.000Z',
  bids: [],
  asks: [],
  trades: [],
  ...more,
});

describe('DepthDiff', () => {
  it('sums up what was committed, each level as it is now', () => {
    const diff = new DepthDiff('BTCUSD');
    diff.add(change(4, 6, { bids: [['100', '1', 1]], asks: [['101', '2', 1]] }));
    diff.add(change(6, 7, { bids: [['100', '0', 0]] }));
    expect(diff.take()).toMatchObject({ U: 5, u: 7, b: [['100', '0']], a: [['101', '2']] });
    expect(diff.take()).toBeUndefined();
    diff.add(change(7, 9, {}));
    expect(diff.take()).toMatchObject({ U: 8, u: 9, b: [], a: [] });
  });
});
