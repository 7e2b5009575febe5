import { Injectable } from '@nestjs/common';
import { amount, formatAmount, MarketData, parseAmount, type OrderbookDto } from '../../src/index.js';
import { BinanceError, invalidParameter } from './binance-error.js';
import type { Parameters } from './parameters.js';
import { SymbolsService, type SymbolMarket } from './symbols.service.js';

const MINUTE_MS = 60_000;
/** The running minute and those before it, as the ticker of a market counts them. */
const WINDOW_MS = 1_440 * MINUTE_MS;
const TYPES = ['FULL', 'MINI'] as const;

export interface PriceTicker {
  readonly symbol: string;
  readonly price: string;
}

export interface BookTicker {
  readonly symbol: string;
  readonly bidPrice: string;
  readonly bidQty: string;
  readonly askPrice: string;
  readonly askQty: string;
}

/** The last 24 hours. What does not exist is left out. */
export interface MiniTicker {
  readonly symbol: string;
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly lastPrice: string;
  readonly volume: string;
  readonly openTime: number;
  readonly closeTime: number;
}

export interface DayTicker extends MiniTicker, BookTicker {
  readonly priceChange: string;
  readonly priceChangePercent: string;
}

/** Nobody buys, or nobody sells. */
const NO_LEVEL = ['0', '0'] as const;

/** Tickers of one symbol, of several, or of all. */
@Injectable()
export class TickersService {
  constructor(
    private readonly data: MarketData,
    private readonly symbols: SymbolsService,
  ) {}

  prices(parameters: Parameters): Promise<PriceTicker | PriceTicker[]> {
    return this.each(parameters, async ({ symbol, marketId }) => {
      const { ticker } = await this.data.market(marketId);
      return { symbol, price: ticker.last_price ?? '0' };
    });
  }

  books(parameters: Parameters): Promise<BookTicker | BookTicker[]> {
    return this.each(parameters, async ({ symbol, marketId }) =>
      bookTickerOf(symbol, await this.data.orderbook(marketId, 1)),
    );
  }

  days(parameters: Parameters): Promise<MiniTicker | MiniTicker[]> {
    const invalidType = (): BinanceError => new BinanceError(-1139, 'Invalid ticker type.');
    const type = parameters.oneOf('type', TYPES, invalidType) ?? 'FULL';
    return this.each(parameters, (market) => (type === 'MINI' ? this.mini(market) : this.day(market)));
  }

  async mini({ symbol, marketId }: SymbolMarket): Promise<MiniTicker> {
    const closeTime = Date.now();
    const openTime = Math.floor(closeTime / MINUTE_MS) * MINUTE_MS - WINDOW_MS + MINUTE_MS;
    const { ticker } = await this.data.market(marketId);
    const last = ticker.last_price ?? '0';
    const [first] =
      ticker.volume_24h === '0'
        ? []
        : await this.data.firstCandles(marketId, { from: new Date(openTime).toISOString(), limit: 1 });
    return {
      symbol,
      openPrice: first?.open ?? last,
      highPrice: ticker.high_24h ?? last,
      lowPrice: ticker.low_24h ?? last,
      lastPrice: last,
      volume: ticker.volume_24h,
      openTime,
      closeTime,
    };
  }

  async day(market: SymbolMarket): Promise<DayTicker> {
    const mini = await this.mini(market);
    const book = bookTickerOf(market.symbol, await this.data.orderbook(market.marketId, 1));
    return { ...mini, ...book, ...changeOf(mini) };
  }

  /** One where one is named by `symbol`, otherwise a list. One after another, so that one request takes one connection. */
  private async each<Ticker>(
    parameters: Parameters,
    tickerOf: (market: SymbolMarket) => Promise<Ticker>,
  ): Promise<Ticker | Ticker[]> {
    const status = parameters.text('symbolStatus');
    if (status !== undefined && status !== 'TRADING') throw invalidParameter('symbolStatus');
    const tickers: Ticker[] = [];
    for (const market of this.symbols.list(parameters.symbols())) tickers.push(await tickerOf(market));
    return parameters.has('symbol') ? tickers[0]! : tickers;
  }
}

export function bookTickerOf(
  symbol: string,
  { bids, asks }: Pick<OrderbookDto, 'bids' | 'asks'>,
): BookTicker {
  const [bidPrice, bidQty] = bids[0] ?? NO_LEVEL;
  const [askPrice, askQty] = asks[0] ?? NO_LEVEL;
  return { symbol, bidPrice, bidQty, askPrice, askQty };
}

/** The percentage is cut off after three decimals. */
function changeOf({
  openPrice,
  lastPrice,
}: MiniTicker): Pick<DayTicker, 'priceChange' | 'priceChangePercent'> {
  const open = parseAmount(openPrice)!;
  const change = parseAmount(lastPrice)! - open;
  const thousandths = open === 0n ? 0n : (change * 100_000n) / open;
  return {
    priceChange: formatAmount(amount(change)),
    priceChangePercent: formatAmount(amount(thousandths * (parseAmount('1')! / 1_000n))),
  };
}
