import { describe, expect, it } from 'vitest';
import { amountOf } from '../../../domain/money/amount.js';
import { MarketUnits } from '../../../domain/market/units.js';
import { checksumOf, toOrderbookDto, type LevelDto } from './orderbook.dto.js';

describe('toOrderbookDto', () => {
  it('writes canonical decimals and the checksum over both sides', () => {
    const units = new MarketUnits({ tickSize: amountOf('0.01'), lotSize: amountOf('0.001') });
    const book = toOrderbookDto(
      {
        marketId: 'BTC-USD',
        bookSequence: 7,
        timeMs: Date.UTC(2026, 10, 1),
        bids: [[10_050, 1_500, 2]],
        asks: [
          [10_100, 1, 1],
          [10_200, 20, 3],
        ],
      },
      units,
    );
    expect(book).toEqual({
      market_id: 'BTC-USD',
      sequence: 7,
      timestamp: '2026-11-01T00:00:00.000Z',
      bids: [['100.5', '1.5', 2]],
      asks: [
        ['101', '0.001', 1],
        ['102', '0.02', 3],
      ],
      // CRC-32 of 100.5:1.5:101:0.001:102:0.02
      checksum: 'd533ff7a',
    });
  });
});

describe('checksumOf', () => {
  it('leaves out the number of orders, and is zero for an empty book', () => {
    expect(checksumOf([['1', '2', 1]], [])).toBe(checksumOf([['1', '2', 9]], []));
    expect(checksumOf([], [])).toBe('00000000');
  });

  it('covers ten levels and no more', () => {
    const levels = Array.from({ length: 11 }, (_, i): LevelDto => [String(100 - i), '1', 1]);
    expect(checksumOf(levels, [])).toBe(checksumOf(levels.slice(0, 10), []));
    expect(checksumOf(levels, [])).not.toBe(checksumOf(levels.slice(0, 9), []));
  });
});
