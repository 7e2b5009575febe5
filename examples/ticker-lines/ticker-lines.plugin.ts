import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiError, MarketData, PlainSockets, TradepostPlugin, type PlainSocket } from '../../src/index.js';

const MARKETS_PER_CLIENT_MAX = 20;

/**
 * A protocol of its own, at `/ticker-lines`: a client sends `watch BTC-USD`, and from then on gets a line whenever the best
 * prices of that market have changed, such as `BTC-USD 59990 x 0.5 / 60010 x 1`.
 */
@Injectable()
class TickerLines implements OnModuleInit {
  constructor(
    private readonly sockets: PlainSockets,
    private readonly markets: MarketData,
  ) {}

  onModuleInit(): void {
    this.sockets.serve({
      path: '/ticker-lines',
      framesPerSecondMax: 20,
      pingEveryMs: 20_000,
      connect: (socket) => this.connect(socket),
    });
  }

  private connect(socket: PlainSocket): void {
    const watched = new Map<string, () => void>();
    socket.onClose(() => watched.forEach((stop) => stop()));
    socket.onMessage((line) => {
      const [word, market, ...rest] = line.trim().split(' ');
      if (word !== 'watch' || market === undefined || rest.length > 0)
        return socket.send('error: send "watch MARKET"');
      if (watched.has(market)) return;
      if (watched.size >= MARKETS_PER_CLIENT_MAX) return socket.send('error: too many markets');
      try {
        watched.set(market, this.watch(market, socket));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        socket.send(`error: ${error.message}`);
      }
    });
  }

  /** Returns what ends it. */
  private watch(market: string, socket: PlainSocket): () => void {
    let told = '';
    let isAsking = false;
    let isBehind = false;
    const tell = async (): Promise<void> => {
      isBehind = true;
      if (isAsking) return;
      isAsking = true;
      // One request at a time, however fast the book changes; what comes meanwhile is in the next answer.
      while (isBehind && socket.isOpen) {
        isBehind = false;
        const { bids, asks } = await this.markets.orderbook(market, 1);
        const [bid, ask] = [bids[0], asks[0]].map((level) => (level ? `${level[0]} x ${level[1]}` : '-'));
        const line = `${market} ${bid} / ${ask}`;
        if (line !== told) socket.send((told = line));
      }
      isAsking = false;
    };
    const onNews = (): void => void tell().catch(() => socket.close(1011, 'Connect again.'));
    const stop = this.markets.follow(market, { onChange: onNews, onGap: onNews });
    onNews();
    return stop;
  }
}

@TradepostPlugin({ name: 'ticker-lines', compatibility: '^0.1.0', providers: [TickerLines] })
export default class TickerLinesPlugin {}
