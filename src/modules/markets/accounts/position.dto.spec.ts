import { describe, expect, it } from 'vitest';
import type { BookView, MarketView } from '../../../core/core.types.js';
import { amountOf } from '../../../domain/money/amount.js';
import { toPositionDto } from './position.dto.js';
import type { PositionEntity } from './position.entity.js';

const MARKET = {
  definition: { marketId: 'BTC-USD', tickSize: amountOf('0.01'), lotSize: amountOf('0.001') },
  lastPriceTicks: 9_900,
} as MarketView;

const BOOK: Pick<BookView, 'bids' | 'asks'> = { bids: [[10_000, 1, 1]], asks: [[10_200, 1, 1]] };

function position(sizeLots: number, costBasis: string): PositionEntity {
  return {
    accountId: 1,
    marketId: 'BTC-USD',
    sizeLots,
    costBasis: amountOf(costBasis),
    realizedPnl: amountOf('1.5'),
    fees: amountOf('0'),
    settledLots: 0,
  };
}

describe('toPositionDto', () => {
  it('marks a long position at the best bid', () => {
    expect(toPositionDto(position(2_000, '180'), MARKET, BOOK as BookView)).toMatchObject({
      size: '2',
      average_entry_price: '90',
      mark_price: '100',
      market_value: '200',
      realized_pnl: '1.5',
      unrealized_pnl: '20',
    });
  });

  it('marks a short position at the best ask', () => {
    expect(toPositionDto(position(-2_000, '180'), MARKET, BOOK as BookView)).toMatchObject({
      size: '-2',
      average_entry_price: '90',
      mark_price: '102',
      market_value: '-204',
      unrealized_pnl: '-24',
    });
  });

  it('falls back on the last price where the exit side is empty', () => {
    const empty = { bids: [], asks: [] } as unknown as BookView;
    expect(toPositionDto(position(1_000, '90'), MARKET, empty)).toMatchObject({
      mark_price: '99',
      unrealized_pnl: '9',
    });
    expect(toPositionDto(position(1_000, '90'), { ...MARKET, lastPriceTicks: null }, empty)).toMatchObject({
      mark_price: null,
      market_value: null,
      unrealized_pnl: null,
    });
  });

  it('marks nothing where the position is flat', () => {
    expect(toPositionDto(position(0, '0'), MARKET, BOOK as BookView)).toMatchObject({
      size: '0',
      average_entry_price: null,
      mark_price: null,
      market_value: null,
      unrealized_pnl: null,
    });
  });
});
