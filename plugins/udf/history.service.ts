import { Injectable } from '@nestjs/common';
import { MarketData, type CandleDto, type CandleInterval } from '../../src/index.js';
import { intervalOf } from './resolutions.js';
import { SymbolsService } from './symbols.service.js';
import { UdfError } from './udf-error.js';
import type { HistoryQueryDto } from './udf.dto.js';
import { secondsOf, unixTimeOf, utcTimeOf } from './unix-time.js';

/** How many bars one answer has at most: the latest of those asked for. */
export const BARS_MAX = 5_000;
/** The most candles that one page has. */
const PAGE = 200;

/** Bars column by column, oldest first. */
export interface Bars {
  readonly s: 'ok';
  readonly t: readonly number[];
  readonly o: readonly number[];
  readonly h: readonly number[];
  readonly l: readonly number[];
  readonly c: readonly number[];
  readonly v: readonly number[];
}

export interface NoBars {
  readonly s: 'no_data';
  /** The last bar before those asked for; absent where there is none. */
  readonly nextTime?: number;
}

interface Request {
  readonly marketId: string;
  readonly interval: CandleInterval;
  readonly to: string;
  /** Absent where a number of bars is asked for, however old. */
  readonly from?: string;
  readonly count: number;
}

/** Bars of a market's history, from its candles. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
  ) {}

  /** Throws a UdfError for a request that says nothing. */
  async bars(query: HistoryQueryDto): Promise<Bars | NoBars> {
    const { market_id: marketId } = await this.symbols.market(query.symbol);
    const request = requestOf(marketId, query);
    const candles = await this.read(request);
    if (candles.length > 0) return barsOf(candles.reverse());
    const before = request.from === undefined ? undefined : await this.lastBefore(request, request.from);
    return before === undefined ? { s: 'no_data' } : { s: 'no_data', nextTime: unixTimeOf(before.start) };
  }

  /** The latest candles of the request, newest first. */
  private async read({ marketId, interval, from, to, count }: Request): Promise<CandleDto[]> {
    const candles: CandleDto[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(PAGE, count - candles.length);
      const page = await this.data.candles(marketId, { interval, from, to, limit, cursor });
      candles.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined && candles.length < count);
    return candles;
  }

  private async lastBefore({ marketId, interval }: Request, to: string): Promise<CandleDto | undefined> {
    const { data } = await this.data.candles(marketId, { interval, to, limit: 1 });
    return data[0];
  }
}

function requestOf(marketId: string, query: HistoryQueryDto): Request {
  const interval = intervalOf(query.resolution);
  if (interval === undefined) throw new UdfError('unsupported_resolution');
  const to = secondsOf(query.to);
  if (to === undefined) throw new UdfError('to must be a time in seconds');
  const asked = { marketId, interval, to: utcTimeOf(to) };
  if (query.countback !== undefined) return { ...asked, count: countOf(query.countback) };
  const from = secondsOf(query.from);
  if (from === undefined) throw new UdfError('from must be a time in seconds');
  if (from > to) throw new UdfError('from must not be after to');
  return { ...asked, from: utcTimeOf(from), count: BARS_MAX };
}

function countOf(countback: string): number {
  if (!/^[1-9]\d*$/.test(countback)) throw new UdfError('countback must be a whole number from 1');
  return Math.min(Number(countback), BARS_MAX);
}

function barsOf(candles: readonly CandleDto[]): Bars {
  return {
    s: 'ok',
    t: candles.map(({ start }) => unixTimeOf(start)),
    o: candles.map(({ open }) => Number(open)),
    h: candles.map(({ high }) => Number(high)),
    l: candles.map(({ low }) => Number(low)),
    c: candles.map(({ close }) => Number(close)),
    v: candles.map(({ volume }) => Number(volume)),
  };
}
