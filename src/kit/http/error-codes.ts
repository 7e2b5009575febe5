import { ErrorCode } from './error-code.js';

// What HTTP, access and the service itself refuse, whatever the group. A group's own codes are in its `errors.ts`; those of
// the engine are in `REFUSALS`, beside the accounts.

export const MALFORMED_REQUEST = new ErrorCode('malformed_request', 400);
export const VALIDATION_FAILED = new ErrorCode('validation_failed', 400);
export const INVALID_CURSOR = new ErrorCode('invalid_cursor', 400);
/** Also RFC 6749's and RFC 6750's. */
export const INVALID_REQUEST = new ErrorCode('invalid_request', 400);
export const INVALID_IDEMPOTENCY_KEY = new ErrorCode('invalid_idempotency_key', 400);

export const AUTHENTICATION_REQUIRED = new ErrorCode('authentication_required', 401);
export const INVALID_TOKEN = new ErrorCode('invalid_token', 401);
export const INVALID_API_KEY = new ErrorCode('invalid_api_key', 401);
export const SIGNATURE_INVALID = new ErrorCode('signature_invalid', 401);
export const SIGNATURE_REPLAYED = new ErrorCode('signature_replayed', 401);

export const INSUFFICIENT_SCOPE = new ErrorCode('insufficient_scope', 403);
export const MARKET_NOT_ALLOWED = new ErrorCode('market_not_allowed', 403);
export const STEP_UP_REQUIRED = new ErrorCode('step_up_required', 403);
export const FORBIDDEN = new ErrorCode('forbidden', 403);
export const APPROVAL_REQUIRED = new ErrorCode('approval_required', 403);
export const SAME_PERSON = new ErrorCode('same_person', 403);
export const RELATED_PERSON = new ErrorCode('related_person', 403);

export const ROUTE_NOT_FOUND = new ErrorCode('route_not_found', 404);
export const NOT_FOUND = new ErrorCode('not_found', 404);

export const METHOD_NOT_ALLOWED = new ErrorCode('method_not_allowed', 405);

export const REQUEST_TIMEOUT = new ErrorCode('request_timeout', 408);
/** Only sent by sockets and event streams, which have no status. */
export const SLOW_CONSUMER = new ErrorCode('slow_consumer', 408);

export const CONFLICT = new ErrorCode('conflict', 409);
export const IDEMPOTENCY_IN_PROGRESS = new ErrorCode('idempotency_in_progress', 409);
export const APPROVAL_NOT_PENDING = new ErrorCode('approval_not_pending', 409);

export const PRECONDITION_FAILED = new ErrorCode('precondition_failed', 412);

export const PAYLOAD_TOO_LARGE = new ErrorCode('payload_too_large', 413);

export const URI_TOO_LONG = new ErrorCode('uri_too_long', 414);

export const UNSUPPORTED_MEDIA_TYPE = new ErrorCode('unsupported_media_type', 415);

export const UNPROCESSABLE = new ErrorCode('unprocessable', 422);
export const IDEMPOTENCY_KEY_REUSED = new ErrorCode('idempotency_key_reused', 422);
export const DESTINATION_NOT_ALLOWED = new ErrorCode('destination_not_allowed', 422);
export const LIMIT_EXCEEDED = new ErrorCode('limit_exceeded', 422);

export const RATE_LIMITED = new ErrorCode('rate_limited', 429);
export const TOO_MANY_IN_FLIGHT = new ErrorCode('too_many_in_flight', 429);

export const HEADERS_TOO_LARGE = new ErrorCode('headers_too_large', 431);

export const INTERNAL_ERROR = new ErrorCode('internal_error', 500);

export const TEMPORARILY_UNAVAILABLE = new ErrorCode('temporarily_unavailable', 503);
export const CAPACITY = new ErrorCode('capacity', 503);
export const OUTCOME_UNKNOWN = new ErrorCode('outcome_unknown', 503);
