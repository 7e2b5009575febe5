import type { components } from '../generated/openapi.js';
import { isObject } from '../errors.js';
import type { Transport } from '../transport.js';
import { Signalled } from '../waiting.js';
import { type OnConnection, SocketSession } from './socket-session.js';

export type Trade = components['schemas']['TradeDto'];
export type Ticker = components['schemas']['TickerDto'];

/** The best prices and the last 24 hours of a market. */
export interface MarketTicker {
  readonly marketId: string;
  readonly ticker: Ticker;
}

/** Trades of a market, newest first. */
export interface MarketTrades {
  /** The latest trades: what you knew before no longer counts. Otherwise those that have just been made. */
  readonly isSnapshot: boolean;
  readonly trades: readonly Trade[];
}

export interface FollowMarketOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: OnConnection | undefined;
}

type Channel = 'trades' | 'ticker';

/** For a reader who is as slow as this the stream begins anew, with a snapshot. */
const UNREAD_MAX = 10_000;

/** The trades of a market: the latest, then each that is made, over lost connections. */
export async function* followTrades(
  transport: Transport,
  marketId: string,
  options: FollowMarketOptions = {},
): AsyncGenerator<MarketTrades, void, undefined> {
  for await (const { type, data } of followChannel(transport, [marketId], 'trades', options)) {
    const { trades } = data as { readonly trades: readonly Trade[] };
    yield { isSnapshot: type === 'trades.snapshot', trades };
  }
}

/** The tickers of up to 200 markets, over one connection: each as it is, then whenever it changes. */
export async function* followTickers(
  transport: Transport,
  marketIds: readonly string[],
  options: FollowMarketOptions = {},
): AsyncGenerator<MarketTicker, void, undefined> {
  for await (const { market_id: marketId, data } of followChannel(transport, marketIds, 'ticker', options)) {
    yield { marketId, ticker: data as Ticker };
  }
}

interface ChannelEvent {
  readonly type: string;
  readonly market_id: string;
  readonly data: object;
}

async function* followChannel(
  transport: Transport,
  marketIds: readonly string[],
  channel: Channel,
  { signal, onConnection }: FollowMarketOptions,
): AsyncGenerator<ChannelEvent, void, undefined> {
  const came = new Signalled();
  const events: ChannelEvent[] = [];
  let failure: Error | undefined;
  const session = new SocketSession({
    transport,
    namespace: '/markets',
    signal,
    onConnection,
    async onOpen(opened) {
      for (const marketId of marketIds)
        await opened.request('subscribe', { market_id: marketId, channels: [channel] });
      opened.succeed();
    },
    onEvent(type, event) {
      if (!type.startsWith(channel) || !isEvent(event)) return;
      events.push({ ...event, type });
      if (events.length > UNREAD_MAX) {
        events.length = 0;
        session.fail(new Error('Events came faster than they were read.'));
      }
      came.wake();
    },
    onEnd(error) {
      failure = error;
      came.wake();
    },
  });
  try {
    for (;;) {
      await came.wait();
      yield* events.splice(0);
      if (failure !== undefined) throw failure;
    }
  } finally {
    session.close();
  }
}

function isEvent(event: unknown): event is ChannelEvent {
  return isObject(event) && typeof event['market_id'] === 'string' && isObject(event['data']);
}
