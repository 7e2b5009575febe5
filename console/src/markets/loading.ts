import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../live.js';
import type { Market } from '../market/market.js';
import { session } from '../session.js';

export interface MarketList {
  /** Those that have come so far; undefined before the first. */
  readonly markets: readonly Market[] | undefined;
  readonly failure: string | undefined;
  readonly reload: () => void;
}

const AT_ONCE = 200;

/** All markets, page after page: the first are shown while the others come. */
export function useMarkets(): MarketList {
  const [markets, setMarkets] = useState<readonly Market[] | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      const known: Market[] = [];
      const { client } = session.value;
      const query = { limit: AT_ONCE };
      for await (const market of client.list('/markets', { params: { query }, signal: stop.signal })) {
        known.push(market);
        if (known.length % AT_ONCE === 0) setMarkets([...known]);
      }
      setMarkets(known);
    };
    setFailure(undefined);
    load().catch((error: unknown) => {
      if (!stop.signal.aborted) setFailure(wordsOf(error));
    });
    return () => stop.abort();
  }, [round]);
  return { markets, failure, reload: () => setRound((each) => each + 1) };
}
