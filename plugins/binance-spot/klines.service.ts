import { Injectable } from '@nestjs/common';
import { MarketData, type CandleDto, type CandleInterval } from '../../src/index.js';
import { BinanceError, invalidParameter, mandatory } from './binance-error.js';
import type { Parameters } from './parameters.js';
import { SymbolsService } from './symbols.service.js';
import { LIMIT_MAX, periodOf } from './trades.service.js';

const LIMIT_DEFAULT = 500;
/** The most that the service answers at once. */
const PAGE = 200;

const INTERVAL_MS: Readonly<Record<CandleInterval, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
};
export const INTERVALS = Object.keys(INTERVAL_MS) as readonly CandleInterval[];

/** One interval; the figures that our candles do not have are 0. */
export interface Kline {
  readonly openTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly closeTime: number;
}

/** Klines of the dialect: one for each interval, also where nothing was traded. */
@Injectable()
export class KlinesService {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
  ) {}

  async list(parameters: Parameters): Promise<unknown[][]> {
    const { marketId } = this.symbols.get(parameters.symbol());
    const interval = intervalOf(parameters);
    if (!['0', '00:00', '+00:00'].includes(parameters.text('timeZone') ?? '0')) {
      throw invalidParameter('timeZone');
    }
    const { from, to } = periodOf(parameters);
    const limit = parameters.limit(LIMIT_DEFAULT, LIMIT_MAX);
    const klines = await this.klines(marketId, interval, limit, {
      fromMs: from === undefined ? undefined : Date.parse(from),
      toMs: to === undefined ? undefined : Date.parse(to),
    });
    return klines.map((kline) => [
      kline.openTime,
      kline.open,
      kline.high,
      kline.low,
      kline.close,
      kline.volume,
      kline.closeTime,
      ...NOT_KNOWN,
    ]);
  }

  /** The first of a period that has a beginning, otherwise the latest, oldest first; never of time to come. */
  async klines(
    marketId: string,
    interval: CandleInterval,
    count: number,
    { fromMs, toMs }: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined } = {},
  ): Promise<Kline[]> {
    const stepMs = INTERVAL_MS[interval];
    const end = Math.ceil(Math.min(toMs ?? Infinity, Date.now() + 1) / stepMs) * stepMs;
    const first = await this.firstStart(marketId, interval, fromMs, end - count * stepMs);
    if (first === undefined || first >= end) return [];
    const before = await this.lastBefore(marketId, interval, first);
    const candles = await this.candles(marketId, interval, first, Math.min(end, first + count * stepMs));
    return filled(candles, before, { first, end: Math.min(end, first + count * stepMs), stepMs });
  }

  /** Where the klines begin: not before anything was traded. */
  private async firstStart(
    marketId: string,
    interval: CandleInterval,
    fromMs: number | undefined,
    latestMs: number,
  ): Promise<number | undefined> {
    const stepMs = INTERVAL_MS[interval];
    const [oldest] = await this.data.firstCandles(marketId, { interval, limit: 1 });
    if (oldest === undefined) return undefined;
    const asked = fromMs === undefined ? latestMs : Math.ceil(fromMs / stepMs) * stepMs;
    return Math.max(asked, Date.parse(oldest.start));
  }

  private async lastBefore(
    marketId: string,
    interval: CandleInterval,
    beforeMs: number,
  ): Promise<CandleDto | undefined> {
    const { data } = await this.data.candles(marketId, { interval, to: utcTimeOf(beforeMs), limit: 1 });
    return data[0];
  }

  private async candles(
    marketId: string,
    interval: CandleInterval,
    fromMs: number,
    toMs: number,
  ): Promise<CandleDto[]> {
    const candles: CandleDto[] = [];
    let from = fromMs;
    for (;;) {
      const page = await this.data.firstCandles(marketId, {
        interval,
        from: utcTimeOf(from),
        to: utcTimeOf(toMs),
        limit: PAGE,
      });
      candles.push(...page);
      if (page.length < PAGE) return candles;
      from = Date.parse(page.at(-1)!.start) + INTERVAL_MS[interval];
    }
  }
}

/** Volume in the quote asset, number of trades, volumes of buying takers, and a field that means nothing. */
export const NOT_KNOWN = ['0', 0, '0', '0', '0'] as const;

/** Throws -1120. */
export function intervalOf(parameters: Parameters): CandleInterval {
  const interval = parameters.oneOf(
    'interval',
    INTERVALS,
    () => new BinanceError(-1120, 'Invalid interval.'),
  );
  if (interval === undefined) throw mandatory('interval');
  return interval;
}

/** One kline for each interval: where nothing was traded the last price stands. */
export function filled(
  candles: readonly CandleDto[],
  before: CandleDto | undefined,
  { first, end, stepMs }: { readonly first: number; readonly end: number; readonly stepMs: number },
): Kline[] {
  const byStart = new Map(candles.map((candle) => [Date.parse(candle.start), candle]));
  const klines: Kline[] = [];
  let last = before?.close;
  for (let openTime = first; openTime < end; openTime += stepMs) {
    const candle = byStart.get(openTime) ?? flat(last);
    if (candle === undefined) continue;
    last = candle.close;
    const { open, high, low, close, volume } = candle;
    klines.push({ openTime, open, high, low, close, volume, closeTime: openTime + stepMs - 1 });
  }
  return klines;
}

function flat(price: string | undefined): Omit<CandleDto, 'start'> | undefined {
  if (price === undefined) return undefined;
  return { open: price, high: price, low: price, close: price, volume: '0' };
}

function utcTimeOf(timeMs: number): string {
  return new Date(Math.max(0, timeMs)).toISOString();
}
