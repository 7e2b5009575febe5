import { useEffect, useState } from 'preact/hooks';
import { session } from '../session.js';

/** The last 24 hours of a market. */
export interface Day {
  /** The price at their start; null where nothing was traded. */
  readonly open: string | null;
  /** Of every hour in which something was traded, oldest first. */
  readonly closes: readonly string[];
}

const HOUR_MS = 3_600_000;
const CALLS_AT_ONCE = 4;

/** Those that were asked for; a market's day is good for as long as the page is open. */
const known = new Map<string, Day>();

/** The days of some markets, as they come. */
export function useDays(marketIds: readonly string[]): ReadonlyMap<string, Day> {
  const [, render] = useState({});
  const key = marketIds.join(' ');
  useEffect(() => {
    const stop = new AbortController();
    const missing = marketIds.filter((id) => !known.has(id));
    const work = async (): Promise<void> => {
      for (let id = missing.shift(); id !== undefined && !stop.signal.aborted; id = missing.shift()) {
        // The table is complete without: it shows a dash.
        const day = await dayOf(id, stop.signal).catch(() => undefined);
        if (day !== undefined) known.set(id, day);
        render({});
      }
    };
    for (let worker = 0; worker < CALLS_AT_ONCE; worker++) void work();
    return () => stop.abort();
  }, [key]);
  return known;
}

async function dayOf(marketId: string, signal: AbortSignal): Promise<Day> {
  const from = new Date(Math.floor(Date.now() / HOUR_MS - 24) * HOUR_MS).toISOString();
  const { data } = await session.value.client.get('/markets/{market_id}/candles', {
    params: { path: { market_id: marketId }, query: { interval: '1h', from, limit: 25 } },
    signal,
  });
  const candles = data.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  return { open: candles[0]?.open ?? null, closes: candles.map(({ close }) => close) };
}
