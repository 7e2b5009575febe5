import { describe, expect, it } from 'vitest';
import type { CandleDto, MarketDto } from '../../src/index.js';
import { valuesOf } from './quotes.service.js';

const NOW = Date.parse('2026-11-25T07:00:00.000Z') / 1_000;
const TODAY = day('2026-11-25T00:00:00.000Z', '100');
const YESTERDAY = day('2026-11-24T00:00:00.000Z', '99.7');

function day(start: string, close: string): CandleDto {
  return { start, open: '98', high: '101.5', low: '97.25', close, volume: '12.5' };
}

function market(lastPrice: string | null): MarketDto {
  const ticker = {
    best_bid: null,
    best_ask: '100.25',
    last_price: lastPrice,
    volume_24h: '20',
    high_24h: '200',
    low_24h: '1',
    open_interest: null,
  };
  return { market_id: 'BTC-USD', title: 'Bitcoin', ticker } as MarketDto;
}

describe('valuesOf', () => {
  it('has the figures of today, and the change since the close of the day before, exactly', () => {
    expect(valuesOf(market('100'), [TODAY, YESTERDAY], NOW)).toEqual({
      short_name: 'BTC-USD',
      exchange: 'Tradepost',
      description: 'Bitcoin',
      lp: 100,
      ask: 100.25,
      ch: 0.3,
      chp: 0.3009,
      open_price: 98,
      high_price: 101.5,
      low_price: 97.25,
      prev_close_price: 99.7,
      volume: 12.5,
    });
  });

  it('has nothing of today where nothing was traded today', () => {
    const values = valuesOf(market('99.7'), [YESTERDAY], NOW);
    expect(values).toMatchObject({ lp: 99.7, ch: 0, chp: 0, prev_close_price: 99.7, volume: 0 });
    expect(values.open_price).toBeUndefined();
    expect(values.high_price).toBeUndefined();
  });

  it('counts the change from the open on the first day', () => {
    const values = valuesOf(market('97'), [TODAY], NOW);
    expect(values).toMatchObject({ ch: -1, chp: -1.0204 });
    expect(values.prev_close_price).toBeUndefined();
  });

  it('has no price before the first trade', () => {
    const values = JSON.parse(JSON.stringify(valuesOf(market(null), [], NOW))) as object;
    expect(values).toEqual({
      short_name: 'BTC-USD',
      exchange: 'Tradepost',
      description: 'Bitcoin',
      ask: 100.25,
      volume: 0,
    });
  });
});
