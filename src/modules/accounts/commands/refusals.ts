import type { Refusal, RefusalCode } from '../../../domain/engine/commands.js';
import { ErrorCode } from '../../../kit/http/error-code.js';
import { IDEMPOTENCY_KEY_REUSED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';

/** What the engine refuses, under its own codes; one without a status does not compile. */
export const REFUSALS = {
  self_excluded: new ErrorCode('self_excluded', 403),
  market_not_found: new ErrorCode('market_not_found', 404),
  event_group_not_found: new ErrorCode('event_group_not_found', 404),
  account_not_found: new ErrorCode('account_not_found', 404),
  asset_not_found: new ErrorCode('asset_not_found', 404),
  order_not_found: new ErrorCode('order_not_found', 404),
  hold_not_found: new ErrorCode('hold_not_found', 404),
  account_frozen: new ErrorCode('account_frozen', 409),
  self_limits_changed: new ErrorCode('self_limits_changed', 409),
  market_not_open: new ErrorCode('market_not_open', 409),
  order_not_open: new ErrorCode('order_not_open', 409),
  order_list_not_open: new ErrorCode('order_list_not_open', 409),
  quotes_protected: new ErrorCode('quotes_protected', 409),
  order_not_amendable: new ErrorCode('order_not_amendable', 409),
  duplicate_client_order_id: new ErrorCode('duplicate_client_order_id', 409),
  asset_exists: new ErrorCode('asset_exists', 409),
  market_exists: new ErrorCode('market_exists', 409),
  event_group_exists: new ErrorCode('event_group_exists', 409),
  market_in_event_group: new ErrorCode('market_in_event_group', 409),
  hold_exists: new ErrorCode('hold_exists', 409),
  invalid_status_change: new ErrorCode('invalid_status_change', 409),
  quote_stale: new ErrorCode('quote_stale', 409),
  quote_expired: new ErrorCode('quote_expired', 409),
  quote_already_accepted: new ErrorCode('quote_already_accepted', 409),
  idempotency_key_reused: IDEMPOTENCY_KEY_REUSED,
  insufficient_funds: new ErrorCode('insufficient_funds', 422),
  insufficient_liquidity: new ErrorCode('insufficient_liquidity', 422),
  invalid_tick: new ErrorCode('invalid_tick', 422),
  invalid_lot: new ErrorCode('invalid_lot', 422),
  size_out_of_range: new ErrorCode('size_out_of_range', 422),
  price_out_of_range: new ErrorCode('price_out_of_range', 422),
  min_notional: new ErrorCode('min_notional', 422),
  post_only_would_cross: new ErrorCode('post_only_would_cross', 422),
  reduce_only_violated: new ErrorCode('reduce_only_violated', 422),
  size_below_filled: new ErrorCode('size_below_filled', 422),
  too_many_open_orders: new ErrorCode('too_many_open_orders', 422),
  already_expired: new ErrorCode('already_expired', 422),
  invalid_market: new ErrorCode('invalid_market', 422),
  invalid_event_group: new ErrorCode('invalid_event_group', 422),
  settlement_not_reversible: new ErrorCode('settlement_not_reversible', 422),
  invalid_amount: new ErrorCode('invalid_amount', 422),
  amount_too_precise: new ErrorCode('amount_too_precise', 422),
  invalid_kyc_level: new ErrorCode('invalid_kyc_level', 422),
  self_limit_exceeded: new ErrorCode('self_limit_exceeded', 422),
} satisfies Readonly<Record<RefusalCode, ErrorCode>>;

/** Those that are the engine's alone. */
export const ENGINE_CODES: readonly ErrorCode[] = Object.values(REFUSALS).filter(
  (code) => code !== IDEMPOTENCY_KEY_REUSED,
);

/** The route to which a refusal's message points; the engine knows no routes. */
const ROUTE_HINTS: Partial<Record<RefusalCode, string>> = {
  market_not_found: 'See GET /markets.',
  account_not_found: 'See GET /accounts.',
};

/** The error for an engine's refusal, with the engine's code and message. */
export function errorOf({ code, message }: Refusal): ApiError {
  const hint = ROUTE_HINTS[code];
  return new ApiError(REFUSALS[code], hint === undefined ? message : `${message} ${hint}`);
}
