import { Injectable, Logger } from '@nestjs/common';
import { MarketData, type CandleInterval, type MarketChange } from '../../../src/index.js';
import { KlinesService, NOT_KNOWN, type Kline } from '../klines.service.js';
import type { SymbolMarket } from '../symbols.service.js';
import { bookTickerOf, TickersService } from '../tickers.service.js';
import { aggregatesOf, publicTradeOf } from '../trades.js';
import { DepthDiff } from './depth-diff.js';
import type { StreamKind } from './stream-name.js';

const SECOND_MS = 1_000;

/** Who hears what a stream tells. */
export interface StreamAudience {
  publish(payload: object): void;
  /** Something was missed that no later event makes good: clients must begin anew. */
  end(): void;
}

/** Makes the events of streams from what is committed. */
@Injectable()
export class StreamSources {
  private readonly logger = new Logger('Binance');

  constructor(
    private readonly data: MarketData,
    private readonly klines: KlinesService,
    private readonly tickers: TickersService,
  ) {}

  /** Tells until the function that is returned is called. */
  open(market: SymbolMarket, kind: StreamKind, audience: StreamAudience): () => void {
    switch (kind.name) {
      case 'trade':
      case 'aggTrade':
        return this.follow(market, audience, (change) => {
          const trades = kind.name === 'trade' ? tradeEventsOf(change) : aggregatesOf(change.trades);
          for (const trade of trades) {
            audience.publish({ e: kind.name, E: Date.now(), s: market.symbol, ...trade });
          }
        });
      case 'bookTicker':
        return this.bookTicker(market, audience);
      case 'depth': {
        const diff = new DepthDiff(market.symbol);
        return this.everyMs(
          market,
          audience,
          kind.everyMs,
          () => diff.take(),
          (change) => diff.add(change),
        );
      }
      case 'partialDepth':
        return this.everyMs(market, audience, kind.everyMs, async () => {
          const book = await this.data.orderbook(market.marketId, kind.levels);
          const levels = (side: typeof book.bids): string[][] => side.map(([price, size]) => [price, size]);
          return { lastUpdateId: book.sequence, bids: levels(book.bids), asks: levels(book.asks) };
        });
      case 'ticker':
        return this.everyMs(market, audience, SECOND_MS, async () => {
          const day = await this.tickers.day(market);
          return {
            e: '24hrTicker',
            ...miniFieldsOf(day),
            p: day.priceChange,
            P: day.priceChangePercent,
            b: day.bidPrice,
            B: day.bidQty,
            a: day.askPrice,
            A: day.askQty,
            O: day.openTime,
            C: day.closeTime,
          };
        });
      case 'miniTicker':
        return this.everyMs(market, audience, SECOND_MS, async () => ({
          e: '24hrMiniTicker',
          ...miniFieldsOf(await this.tickers.mini(market)),
        }));
      case 'kline':
        return this.kline(market, kind.interval, audience);
    }
  }

  private follow(
    { marketId }: SymbolMarket,
    audience: StreamAudience,
    onChange: (change: MarketChange) => void,
  ): () => void {
    return this.data.follow(marketId, { onChange, onGap: () => audience.end() });
  }

  /** Tells of changes together, some time after the first of them. */
  private everyMs(
    market: SymbolMarket,
    audience: StreamAudience,
    everyMs: number,
    make: () => object | undefined | Promise<object | undefined>,
    onChange: (change: MarketChange) => void = () => undefined,
  ): () => void {
    let timer: NodeJS.Timeout | undefined;
    const tell = async (): Promise<void> => {
      timer = undefined;
      const payload = make();
      const made = payload instanceof Promise ? await payload : payload;
      if (made !== undefined) audience.publish(made);
    };
    const stop = this.follow(market, audience, (change) => {
      onChange(change);
      timer ??= setTimeout(() => this.attempt(tell), everyMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  private bookTicker(market: SymbolMarket, audience: StreamAudience): () => void {
    let told = '';
    return this.everyMs(market, audience, 0, async () => {
      const book = await this.data.orderbook(market.marketId, 1);
      const { bidPrice: b, bidQty: B, askPrice: a, askQty: A } = bookTickerOf(market.symbol, book);
      const best = [b, B, a, A].join();
      if (best === told) return undefined;
      told = best;
      return { u: book.sequence, s: market.symbol, b, B, a, A };
    });
  }

  /** The running kline each second in which something was traded, and each that ended once more, as closed. */
  private kline(market: SymbolMarket, interval: CandleInterval, audience: StreamAudience): () => void {
    let running: Kline | undefined;
    let hasTraded = true;
    const stop = this.follow(market, audience, ({ trades }) => {
      hasTraded ||= trades.length > 0;
    });
    const tell = async (): Promise<void> => {
      const isOver = running !== undefined && running.closeTime < Date.now();
      if (!hasTraded && !isOver) return;
      hasTraded = false;
      for (const kline of await this.klines.klines(market.marketId, interval, 2)) {
        if (running !== undefined && kline.openTime < running.openTime) continue;
        const isClosed = kline.closeTime < Date.now();
        if (isClosed && running?.openTime !== kline.openTime) continue;
        audience.publish(klineEventOf(market.symbol, interval, kline, isClosed));
        running = isClosed ? undefined : kline;
      }
    };
    const timer = setInterval(() => this.attempt(tell), SECOND_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /** What cannot be read now is told with the next change. */
  private attempt(tell: () => Promise<void>): void {
    tell().catch((error: unknown) => this.logger.warn({ err: error, msg: 'a stream could not be told' }));
  }
}

function tradeEventsOf({ trades }: MarketChange): object[] {
  return trades.map((trade) => {
    const { id: t, price: p, qty: q, time: T, isBuyerMaker: m } = publicTradeOf(trade);
    return { t, p, q, T, m, M: true };
  });
}

function miniFieldsOf(day: Awaited<ReturnType<TickersService['mini']>>): object {
  return {
    E: Date.now(),
    s: day.symbol,
    c: day.lastPrice,
    o: day.openPrice,
    h: day.highPrice,
    l: day.lowPrice,
    v: day.volume,
  };
}

function klineEventOf(symbol: string, interval: CandleInterval, kline: Kline, isClosed: boolean): object {
  const { openTime: t, closeTime: T, open: o, close: c, high: h, low: l, volume: v } = kline;
  const [q, n, V, Q, B] = NOT_KNOWN;
  const k = { t, T, s: symbol, i: interval, f: -1, L: -1, o, c, h, l, v, n, x: isClosed, q, V, Q, B };
  return { e: 'kline', E: Date.now(), s: symbol, k };
}
