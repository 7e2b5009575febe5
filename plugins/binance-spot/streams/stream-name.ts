import type { CandleInterval } from '../../../src/index.js';
import { INTERVALS } from '../klines.service.js';

const SLOW_MS = 1_000;
const FAST_MS = 100;

/** What a stream tells, and how often at most; without `everyMs` it tells at once. */
export type StreamKind =
  | { readonly name: 'trade' | 'aggTrade' | 'bookTicker' | 'ticker' | 'miniTicker' }
  | { readonly name: 'depth'; readonly everyMs: number }
  | { readonly name: 'partialDepth'; readonly levels: number; readonly everyMs: number }
  | { readonly name: 'kline'; readonly interval: CandleInterval };

export interface ParsedStream {
  readonly symbol: string;
  readonly kind: StreamKind;
}

const SIMPLE = ['trade', 'aggTrade', 'bookTicker', 'ticker', 'miniTicker'] as const;

/** Reads names such as `btcusd@depth20@100ms`; `undefined` for what is no stream of ours. */
export function parseStream(text: string): ParsedStream | undefined {
  const [symbol = '', channel = '', ...speed] = text.split('@');
  const kind = kindOf(channel, speed.join('@'));
  return kind === undefined || !/^[a-z0-9._-]{1,20}$/.test(symbol)
    ? undefined
    : { symbol: symbol.toUpperCase(), kind };
}

function kindOf(channel: string, speed: string): StreamKind | undefined {
  const depth = /^depth(5|10|20)?$/.exec(channel);
  if (depth !== null) {
    const everyMs = speedOf(speed);
    if (everyMs === undefined) return undefined;
    const levels = depth[1];
    return levels === undefined
      ? { name: 'depth', everyMs }
      : { name: 'partialDepth', levels: Number(levels), everyMs };
  }
  if (speed !== '') return undefined;
  const interval = INTERVALS.find((each) => channel === `kline_${each}`);
  if (interval !== undefined) return { name: 'kline', interval };
  const simple = SIMPLE.find((name) => name === channel);
  return simple === undefined ? undefined : { name: simple };
}

function speedOf(speed: string): number | undefined {
  if (speed === '' || speed === '1000ms') return SLOW_MS;
  return speed === '100ms' ? FAST_MS : undefined;
}
