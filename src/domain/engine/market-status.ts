/** The statuses of a market and the transitions between them. */
import { invariant } from '../invariant.js';
import type { Refusal, SetMarketStatus } from './commands.js';
import { type Context, MARKET_NOT_FOUND, refusal } from './context.js';
import type { EngineState, Market } from './state.js';
import type { MarketStatus } from './types.js';

const NEXT_STATUSES: Record<MarketStatus, readonly MarketStatus[]> = {
  scheduled: ['open', 'closed'],
  open: ['halted', 'closed'],
  halted: ['open', 'closed'],
  closed: ['settled'],
  settling: [],
  settled: [],
};

/** The market of a status change, or a refusal. */
export function marketThatMayBecome(
  state: EngineState,
  { marketId, status }: Pick<SetMarketStatus, 'marketId' | 'status'>,
): Market | Refusal {
  const market = state.markets.get(marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  if (NEXT_STATUSES[market.status].includes(status)) return market;
  return refusal('invalid_status_change', `A market that is ${market.status} cannot become ${status}.`);
}

/** What commands may ask for, and what a settlement goes on to: it is paid in parts, and may be corrected. */
function mayFollow(before: MarketStatus, status: MarketStatus): boolean {
  if (status === 'settling') return before === 'closed' || before === 'settling';
  if (status === 'settled') return before === 'closed' || before === 'settling' || before === 'settled';
  return NEXT_STATUSES[before].includes(status);
}

/** Sets the status, and marks the market's row and book as changed. */
export function noteStatus(context: Context, market: Market, status: MarketStatus): void {
  invariant(
    mayFollow(market.status, status),
    'a market changes its status in order',
    market.definition.marketId,
    market.status,
    status,
  );
  market.status = status;
  market.rowChanged = true;
  context.changes.touch(market, context.timeMs);
}
