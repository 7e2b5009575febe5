import type { Refusal, RefusalCode } from '../../domain/engine/commands.js';
import { PluginErrorCode } from './plugin-error-code.js';
import { CodedError, type ServiceFailure, type ServiceFailureCode } from '../coded-error.js';

/** Errors of HTTP itself, before or beside any operation. */
type TransportErrorCode =
  | 'malformed_request'
  | 'validation_failed'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'rate_limited'
  | 'slow_consumer';

/** Errors of authentication and authorization; names from RFC 6749 are unchanged. */
type AccessErrorCode =
  | 'authentication_required'
  | 'invalid_token'
  | 'invalid_api_key'
  | 'signature_invalid'
  | 'signature_replayed'
  | 'invalid_credentials'
  | 'insufficient_scope'
  | 'market_not_allowed'
  | 'second_factor_required'
  | 'step_up_required'
  | 'reauthentication_required'
  | 'forbidden'
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'user_locked';

/** Refusals outside the engine. */
type OperationErrorCode =
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'invalid_input'
  | 'idempotency_in_progress'
  | 'destination_not_found'
  | 'destination_not_allowed'
  | 'duplicate_client_transfer_id'
  | 'transfer_not_pending'
  | 'payment_held'
  | 'invalid_address'
  | 'kyc_required'
  | 'limit_exceeded'
  | 'holder_name_mismatch'
  | 'chain_unavailable'
  | 'chain_not_connected'
  | 'username_taken'
  | 'account_not_empty'
  | 'risk_refused'
  | 'address_holds_funds'
  | 'signing_denied'
  | 'approval_required'
  | 'same_person'
  | 'related_person'
  | 'member_banned'
  | 'approval_not_pending'
  | 'quote_not_found'
  | 'order_list_not_found'
  | 'matched_bet_not_found';

/** Every value that `error.code` may have. A refusal of the engine is answered under its own code. */
export type ErrorCode =
  | TransportErrorCode
  | AccessErrorCode
  | OperationErrorCode
  | ServiceFailureCode
  | RefusalCode;

/** The only table from code to HTTP status; a missing code does not compile. */
export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed_request: 400,
  validation_failed: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  invalid_request: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,

  authentication_required: 401,
  invalid_token: 401,
  invalid_api_key: 401,
  signature_invalid: 401,
  signature_replayed: 401,
  invalid_credentials: 401,
  invalid_client: 401,
  second_factor_required: 401,

  insufficient_scope: 403,
  market_not_allowed: 403,
  step_up_required: 403,
  reauthentication_required: 403,
  forbidden: 403,
  access_denied: 403,
  user_locked: 403,
  self_excluded: 403,
  approval_required: 403,
  same_person: 403,
  related_person: 403,
  member_banned: 403,

  route_not_found: 404,
  not_found: 404,
  market_not_found: 404,
  event_group_not_found: 404,
  account_not_found: 404,
  asset_not_found: 404,
  order_not_found: 404,
  order_list_not_found: 404,
  hold_not_found: 404,
  destination_not_found: 404,
  quote_not_found: 404,
  matched_bet_not_found: 404,

  method_not_allowed: 405,
  // Petstore's own documents specify 405 for an invalid form update of a pet.
  invalid_input: 405,

  request_timeout: 408,
  // Only sent by sockets and event streams, which have no status.
  slow_consumer: 408,

  conflict: 409,
  idempotency_in_progress: 409,
  username_taken: 409,
  account_not_empty: 409,
  account_frozen: 409,
  self_limits_changed: 409,
  market_not_open: 409,
  order_not_open: 409,
  order_list_not_open: 409,
  quotes_protected: 409,
  order_not_amendable: 409,
  duplicate_client_order_id: 409,
  duplicate_client_transfer_id: 409,
  transfer_not_pending: 409,
  approval_not_pending: 409,
  payment_held: 409,
  chain_not_connected: 409,
  asset_exists: 409,
  market_exists: 409,
  event_group_exists: 409,
  market_in_event_group: 409,
  hold_exists: 409,
  invalid_status_change: 409,
  quote_stale: 409,
  quote_expired: 409,
  quote_already_accepted: 409,

  precondition_failed: 412,

  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,

  unprocessable: 422,
  idempotency_key_reused: 422,
  risk_refused: 422,
  address_holds_funds: 422,
  signing_denied: 422,
  insufficient_funds: 422,
  insufficient_liquidity: 422,
  invalid_tick: 422,
  invalid_lot: 422,
  size_out_of_range: 422,
  price_out_of_range: 422,
  min_notional: 422,
  post_only_would_cross: 422,
  reduce_only_violated: 422,
  size_below_filled: 422,
  too_many_open_orders: 422,
  already_expired: 422,
  invalid_market: 422,
  invalid_event_group: 422,
  settlement_not_reversible: 422,
  invalid_amount: 422,
  amount_too_precise: 422,
  invalid_kyc_level: 422,
  invalid_address: 422,
  destination_not_allowed: 422,
  kyc_required: 422,
  limit_exceeded: 422,
  self_limit_exceeded: 422,
  holder_name_mismatch: 422,

  rate_limited: 429,
  too_many_in_flight: 429,
  headers_too_large: 431,

  internal_error: 500,
  temporarily_unavailable: 503,
  capacity: 503,
  chain_unavailable: 503,
  outcome_unknown: 503,
};

/** The route to which a refusal's message points; the engine knows no routes. */
const ROUTE_HINTS: Partial<Record<RefusalCode, string>> = {
  market_not_found: 'See GET /markets.',
  account_not_found: 'See GET /accounts.',
};

/** One field that a request got wrong. `field` is a path such as `orders.3.price`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The body of every failure of every route, socket and stream. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly request_id: string;
    /** Only with `validation_failed`, `invalid_input`, and `account_not_empty`, where an account is the field. */
    readonly details?: readonly FieldError[];
  };
}

export interface ApiErrorOptions {
  readonly details?: readonly FieldError[];
  /** Headers of the answer, such as `WWW-Authenticate` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal cause; logged with a 5xx, never sent. */
  readonly cause?: unknown;
}

/** How long a caller should wait before it tries again after a 503 that says nothing else. */
const RETRY_AFTER_S = '1';

/** A failure as HTTP, sockets and streams answer it. */
export class ApiError extends CodedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode | PluginErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    // A plugin's code is in nobody's table: it brings its status, and nothing of the service looks for it.
    this.code = code instanceof PluginErrorCode ? (code.code as ErrorCode) : code;
    this.status = code instanceof PluginErrorCode ? code.status : ERROR_STATUS[code];
    this.details = options.details;
    this.headers = { ...(this.status === 503 && { 'Retry-After': RETRY_AFTER_S }), ...options.headers };
  }

  /** The error for an engine's refusal, with the engine's code and message. */
  static fromRefusal({ code, message }: Refusal): ApiError {
    const hint = ROUTE_HINTS[code];
    return new ApiError(code, hint === undefined ? message : `${message} ${hint}`);
  }

  /** The answer where the service itself has failed, under the same code and words. */
  static fromFailure(failure: ServiceFailure): ApiError {
    const { code, message, retryAfterS, cause = failure } = failure;
    const headers = retryAfterS === undefined ? undefined : { 'Retry-After': String(retryAfterS) };
    return new ApiError(code, message, { headers, cause });
  }

  static validation(details: readonly FieldError[]): ApiError {
    const fields = details.map((detail) => detail.field).join(', ');
    return new ApiError('validation_failed', `Correct these fields and send the request again: ${fields}.`, {
      details,
    });
  }
}

/** The envelope of a failure, for HTTP answers, socket acknowledgements and batch results alike. */
export function errorEnvelope(error: ApiError, requestId: string): ErrorEnvelope {
  const { code, message, details } = error;
  return {
    error: details
      ? { code, message, request_id: requestId, details }
      : { code, message, request_id: requestId },
  };
}
