import type { TradepostClient } from '@tradepost/client';
import { add } from '../decimal.js';

interface Pnl {
  /** Null, as `unrealized`, where an open position has no price. */
  readonly net: string | null;
  readonly realized: string;
  readonly unrealized: string | null;
  readonly fees: string;
}

/** What an account had at one time, by asset. */
export interface Moment {
  readonly atMs: number;
  /** Money, and what positions that are quoted in it were worth. */
  readonly equity: ReadonlyMap<string, string>;
  readonly pnl: ReadonlyMap<string, Pnl>;
}

const quoteAssets = new Map<string, Promise<string>>();

/** Three reads of the service, as things stood then. */
export async function momentOf(
  client: TradepostClient,
  accountId: string,
  atMs: number,
  isNow: boolean,
  signal: AbortSignal,
): Promise<Moment> {
  const asOf = isNow ? {} : { as_of: new Date(atMs).toISOString() };
  const init = { params: { path: { account_id: accountId }, query: { ...asOf, limit: 200 } }, signal };
  const [balances, positions, pnl] = await Promise.all([
    client.get('/accounts/{account_id}/balances', init),
    client.get('/accounts/{account_id}/positions', init),
    client.get('/accounts/{account_id}/pnl', {
      params: { path: { account_id: accountId }, query: { ...asOf, limit: 1 } },
      signal,
    }),
  ]);
  const equity = new Map(balances.data.map(({ asset, total }) => [asset, total]));
  for (const { market_id: marketId, market_value: value } of positions.data) {
    if (value === null) continue;
    const asset = await quoteAssetOf(client, marketId);
    equity.set(asset, add(equity.get(asset) ?? '0', value));
  }
  return {
    atMs,
    equity,
    pnl: new Map(
      pnl.totals.map((total) => [
        total.asset,
        {
          net: total.net_pnl,
          realized: total.realized_pnl,
          unrealized: total.unrealized_pnl,
          fees: total.fees,
        },
      ]),
    ),
  };
}

/** What a market is quoted in, which never changes. */
function quoteAssetOf(client: TradepostClient, marketId: string): Promise<string> {
  const known = quoteAssets.get(marketId);
  if (known !== undefined) return known;
  const asked = client
    .get('/markets/{market_id}', { params: { path: { market_id: marketId } } })
    .then(({ quote_asset }) => quote_asset);
  quoteAssets.set(marketId, asked);
  asked.catch(() => quoteAssets.delete(marketId));
  return asked;
}
