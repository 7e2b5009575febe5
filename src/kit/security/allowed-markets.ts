/** On which markets a credential may be used. */
import { MARKET_NOT_ALLOWED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import type { Principal } from './principal.js';

/** Throws `market_not_allowed` (403) for a credential that is bound to other markets. */
export function requireAllowedMarket({ allowedMarkets }: Principal, marketId: string): void {
  if (allowedMarkets === undefined || allowedMarkets.includes(marketId)) return;
  throw marketNotAllowed();
}

/** Throws `market_not_allowed` (403) for a credential that is bound to markets: what it asks for concerns all of them. */
export function requireAllMarkets({ allowedMarkets }: Principal): void {
  if (allowedMarkets !== undefined) throw marketNotAllowed();
}

export function marketNotAllowed(): ApiError {
  return new ApiError(
    MARKET_NOT_ALLOWED,
    'The key is bound to other markets; use one that is bound to none, or to this one.',
  );
}
