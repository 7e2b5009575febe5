import { describe, expect, it } from 'vitest';
import {
  MarketData,
  type CandleDto,
  type CandleSelection,
  type MarketDto,
  type Page,
} from '../../src/index.js';
import { BARS_MAX, HistoryService, type Bars } from './history.service.js';
import { SymbolsService } from './symbols.service.js';

const CANDLES = 6_000;
const MINUTE_SECONDS = 60;

/** One market with a candle in each of many minutes; reads as the service does. */
class ManyCandles extends MarketData {
  reads = 0;

  override async market(marketId: string): Promise<MarketDto> {
    return { market_id: marketId } as MarketDto;
  }

  override async candles(_marketId: string, selection: CandleSelection = {}): Promise<Page<CandleDto>> {
    this.reads++;
    const { limit = 50, cursor } = selection;
    expect(limit).toBeLessThanOrEqual(200);
    const minuteOf = (time: string): number => Math.ceil(Date.parse(time) / 1_000 / MINUTE_SECONDS);
    const from = selection.from === undefined ? 0 : minuteOf(selection.from);
    const to = Math.min(CANDLES, minuteOf(selection.to!), cursor === undefined ? CANDLES : Number(cursor));
    const first = Math.max(from, to - limit);
    const data = Array.from({ length: Math.max(0, to - first) }, (_, place) => candleAt(to - 1 - place));
    return { data, next_cursor: first > from ? String(first) : null };
  }

  override markets = unused;
  override orderbook = unused;
  override trades = unused;
  override firstTrades = unused;
  override firstCandles = unused;
  override follow = unused;
}

function unused(): never {
  throw new Error('The history needs candles alone.');
}

function candleAt(minute: number): CandleDto {
  const start = new Date(minute * MINUTE_SECONDS * 1_000).toISOString();
  return { start, open: '1', high: '2', low: '0.5', close: '1.5', volume: String(minute) };
}

describe('HistoryService', () => {
  const data = new ManyCandles();
  const history = new HistoryService(data, new SymbolsService(data));
  const END = String(CANDLES * MINUTE_SECONDS);
  const minutesOf = async (query: { from?: string; to: string; countback?: string }): Promise<number[]> => {
    const bars = (await history.bars({ symbol: 'BTC-USD', resolution: '1', ...query })) as Bars;
    expect(bars.v).toEqual(bars.t.map((time) => time / MINUTE_SECONDS));
    return [...bars.v];
  };
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

  it('joins the pages of a period, oldest first', async () => {
    expect(await minutesOf({ from: '6000', to: '36000' })).toEqual(range(100, 600));
  });

  it.each([1, 199, 200, 201, 450])('counts %d bars back', async (count) => {
    expect(await minutesOf({ to: END, countback: String(count) })).toEqual(range(CANDLES - count, CANDLES));
  });

  it('answers the latest bars of a longer period, in a bounded number of reads', async () => {
    data.reads = 0;
    expect(await minutesOf({ from: '0', to: END })).toEqual(range(CANDLES - BARS_MAX, CANDLES));
    expect(data.reads).toBe(BARS_MAX / 200);
    expect(await minutesOf({ to: END, countback: '6000' })).toHaveLength(BARS_MAX);
  });
});
