import { describe, expect, it } from 'vitest';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { amountOf } from '../../../domain/money/amount.js';
import { NO_MARK } from '../../../domain/pnl/mark.js';
import { toPositionDto } from './position.dto.js';
import type { PositionEntity } from './position.entity.js';

const DEFINITION = {
  marketId: 'BTC-USD',
  tickSize: amountOf('0.01'),
  lotSize: amountOf('0.001'),
} as MarketDefinition;

function position(sizeLots: number, costBasis: string): PositionEntity {
  return {
    accountId: 1,
    marketId: 'BTC-USD',
    sizeLots,
    costBasis: amountOf(costBasis),
    realizedPnl: amountOf('1.5'),
    fees: amountOf('0'),
    settledLots: 0,
    isHolder: true,
  };
}

describe('toPositionDto', () => {
  it('values a long position at its mark', () => {
    const mark = { price: amountOf('100'), source: 'best_bid' } as const;
    expect(toPositionDto(position(2_000, '180'), DEFINITION, mark)).toMatchObject({
      size: '2',
      average_entry_price: '90',
      mark_price: '100',
      mark_source: 'best_bid',
      market_value: '200',
      realized_pnl: '1.5',
      unrealized_pnl: '20',
    });
  });

  it('values a short position below zero', () => {
    const mark = { price: amountOf('102'), source: 'best_ask' } as const;
    expect(toPositionDto(position(-2_000, '180'), DEFINITION, mark)).toMatchObject({
      size: '-2',
      average_entry_price: '90',
      mark_price: '102',
      market_value: '-204',
      unrealized_pnl: '-24',
    });
  });

  it('values nothing without a mark', () => {
    expect(toPositionDto(position(1_000, '90'), DEFINITION, NO_MARK)).toMatchObject({
      mark_price: null,
      mark_source: 'none',
      market_value: null,
      unrealized_pnl: null,
    });
  });

  it('values nothing where the position is flat, whatever the market was settled at', () => {
    const mark = { price: amountOf('1'), source: 'settlement' } as const;
    expect(toPositionDto(position(0, '0'), DEFINITION, mark)).toMatchObject({
      size: '0',
      average_entry_price: null,
      mark_price: null,
      mark_source: 'none',
      market_value: null,
      unrealized_pnl: null,
    });
  });
});
