import { Injectable } from '@nestjs/common';
import { MarketData, type CandleDto, type MarketDto } from '../../src/index.js';
import { priceChange } from './price-change.js';
import { EXCHANGE } from './symbol-info.js';
import { SymbolsService } from './symbols.service.js';
import { UdfError } from './udf-error.js';
import { unixTimeOf } from './unix-time.js';

/** How many symbols one request may name. */
export const SYMBOLS_MAX = 50;
const DAY_SECONDS = 86_400;

/** What a market is doing now, and today, a day of UTC. A figure that does not exist is left out. */
export interface QuoteValues {
  readonly short_name: string;
  readonly exchange: string;
  readonly description: string;
  readonly lp?: number;
  readonly ask?: number;
  readonly bid?: number;
  /** Of the last price against the close of the day before, or on the first day against its open. */
  readonly ch?: number;
  readonly chp?: number;
  readonly open_price?: number;
  readonly high_price?: number;
  readonly low_price?: number;
  readonly prev_close_price?: number;
  readonly volume: number;
}

export type Quote =
  | { readonly s: 'ok'; readonly n: string; readonly v: QuoteValues }
  | { readonly s: 'error'; readonly n: string; readonly v: Record<string, never> };

export interface Quotes {
  readonly s: 'ok';
  readonly d: readonly Quote[];
}

/** Quotes of several markets at once. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
  ) {}

  /** Throws a UdfError for no symbols, and for too many. */
  async quotes(list = ''): Promise<Quotes> {
    const names = list.split(',').filter((name) => name !== '');
    if (names.length === 0) throw new UdfError('symbols must name a symbol');
    if (names.length > SYMBOLS_MAX) throw new UdfError(`symbols may name ${SYMBOLS_MAX} symbols`);
    const quotes: Quote[] = [];
    // One after another, so that one request takes one connection at a time.
    for (const name of names) quotes.push(await this.quote(name));
    return { s: 'ok', d: quotes };
  }

  private async quote(name: string): Promise<Quote> {
    const market = await this.symbols.find(name);
    if (market === undefined) return { s: 'error', n: name, v: {} };
    const { data } = await this.data.candles(market.market_id, { interval: '1d', limit: 2 });
    return { s: 'ok', n: name, v: valuesOf(market, data, Math.floor(Date.now() / 1_000)) };
  }
}

/** Of a market and its last two days with trades, the later first. */
export function valuesOf(
  { market_id: id, title, ticker }: MarketDto,
  days: readonly CandleDto[],
  now: number,
): QuoteValues {
  const [last] = days;
  const tradedToday = last !== undefined && unixTimeOf(last.start) >= now - (now % DAY_SECONDS);
  const today = tradedToday ? last : undefined;
  const before = tradedToday ? days[1] : last;
  const reference = before?.close ?? today?.open;
  return {
    short_name: id,
    exchange: EXCHANGE,
    description: title,
    lp: numberOf(ticker.last_price),
    ask: numberOf(ticker.best_ask),
    bid: numberOf(ticker.best_bid),
    ...(reference !== undefined && ticker.last_price !== null && priceChange(reference, ticker.last_price)),
    open_price: numberOf(today?.open),
    high_price: numberOf(today?.high),
    low_price: numberOf(today?.low),
    prev_close_price: numberOf(before?.close),
    volume: numberOf(today?.volume) ?? 0,
  };
}

function numberOf(text: string | null | undefined): number | undefined {
  return text == null ? undefined : Number(text);
}
