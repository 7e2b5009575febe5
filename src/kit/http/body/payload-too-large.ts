import { PAYLOAD_TOO_LARGE } from '../error-codes.js';
import { ApiError } from '../errors.js';

/** 413: the body, or its declared length, exceeds the route's limit. */
export function payloadTooLarge(bytesMax: number): ApiError {
  return new ApiError(PAYLOAD_TOO_LARGE, `Send at most ${bytesMax / 1024} KB in one request.`);
}
