import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MarketChange, MarketData, MarketListener, PlainSocket } from '../../../src/index.js';
import type { KlinesService } from '../klines.service.js';
import type { SymbolMarket, SymbolsService } from '../symbols.service.js';
import type { TickersService } from '../tickers.service.js';
import { StreamConnection } from './stream-connection.js';
import { StreamHub } from './stream-hub.js';
import { StreamSources } from './stream-sources.js';

const MINUTE_MS = 60_000;
const MARKET: SymbolMarket = {
  symbol: 'BTCUSD',
  marketId: 'BTC-USD',
  baseAsset: 'BTC',
  quoteAsset: 'USD',
};

class FakeSocket {
  readonly events: Record<string, unknown>[] = [];
  closed: number | undefined;
  send(text: string): void {
    this.events.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(code: number): void {
    this.closed = code;
  }
  onMessage(): void {}
  onClose(): void {}
}

describe('streams', () => {
  let listeners: MarketListener[];
  let hub: StreamHub;
  beforeEach(() => {
    vi.useFakeTimers({ now: 10 * MINUTE_MS + 30_000 });
    listeners = [];
    const data = {
      follow: (_: string, listener: MarketListener) => (listeners.push(listener), () => undefined),
    };
    const klines = { klines: () => Promise.resolve([klineAt(-1), klineAt(0)]) };
    const symbols = { find: () => MARKET };
    const sources = new StreamSources(
      data as unknown as MarketData,
      klines as unknown as KlinesService,
      {} as TickersService,
    );
    hub = new StreamHub(symbols as unknown as SymbolsService, sources);
  });
  afterEach(() => {
    hub.onModuleDestroy();
    vi.useRealTimers();
  });

  const open = (...names: string[]): FakeSocket => {
    const socket = new FakeSocket();
    new StreamConnection(socket as unknown as PlainSocket, hub, false).subscribe(names);
    return socket;
  };

  it('disconnect their clients with 1013 where commits were missed', () => {
    const clients = [open('btcusd@depth'), open('btcusd@trade', 'btcusd@depth')];
    listeners[0]!.onGap();
    expect(clients.map(({ closed }) => closed)).toEqual([1_013, 1_013]);
  });

  it('tell each kline once more when it is over, as closed', async () => {
    const { events } = open('btcusd@kline_1m');
    await vi.advanceTimersByTimeAsync(1_000);
    listeners[0]!.onChange({ trades: [{}] } as unknown as MarketChange);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    const told = events.map(({ k }) => k as { t: number; x: boolean });
    expect(told.filter(({ t }) => t === 10 * MINUTE_MS).map(({ x }) => x)).toEqual([false, false, true]);
    expect(told.filter(({ t, x }) => t === 11 * MINUTE_MS && x)).toEqual([]);
    expect(told.at(-1)).toMatchObject({ t: 11 * MINUTE_MS, x: false });
  });

  /** So many minutes from the running one. */
  function klineAt(minutes: number) {
    const openTime = (Math.floor(Date.now() / MINUTE_MS) + minutes) * MINUTE_MS;
    const price = '100';
    const prices = { open: price, high: price, low: price, close: price };
    return { openTime, ...prices, volume: '1', closeTime: openTime + MINUTE_MS - 1 };
  }
});
