import { ErrorCode } from '../../kit/http/error-code.js';

// Names from RFC 6749 are unchanged.
export const INVALID_GRANT = new ErrorCode('invalid_grant', 400);
export const INVALID_SCOPE = new ErrorCode('invalid_scope', 400);
export const UNAUTHORIZED_CLIENT = new ErrorCode('unauthorized_client', 400);
export const UNSUPPORTED_GRANT_TYPE = new ErrorCode('unsupported_grant_type', 400);
export const UNSUPPORTED_RESPONSE_TYPE = new ErrorCode('unsupported_response_type', 400);
export const INVALID_CLIENT = new ErrorCode('invalid_client', 401);
export const SECOND_FACTOR_REQUIRED = new ErrorCode('second_factor_required', 401);
export const ACCESS_DENIED = new ErrorCode('access_denied', 403);
